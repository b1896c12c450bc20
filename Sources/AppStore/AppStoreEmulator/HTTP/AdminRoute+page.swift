import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import StoreKitSimulator
import TokenLifecycle

/// The control paths of the device page, all under `/emulator/v1/page`.
enum PagePath: Hashable, Sendable {
    case style, script
    case options
    case open
    case session(Int), change(Int)
    case tap(Int), sheet(Int), event(Int)

    static func methods(_ path: String) -> [(method: HTTPRequest.Method, path: PagePath)] {
        switch path {
        case "/page/style.css": return [(.get, .style)]
        case "/page/script.js": return [(.get, .script)]
        case "/page/options": return [(.get, .options)]
        case "/page/sessions": return [(.post, .open)]
        default: break
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[1] == "page", parts[2] == "sessions", let id = Int(parts[3]), id > 0 else {
            return []
        }
        switch parts.dropFirst(4) {
        case []: return [(.get, .session(id)), (.put, .change(id))]
        case ["tap"]: return [(.post, .tap(id))]
        case ["sheet"]: return [(.post, .sheet(id))]
        case ["events"]: return [(.post, .event(id))]
        default: return []
        }
    }

    private static let changes = [
        "storefront", "os", "canMakePayments", "personEligible", "environment", "account",
    ]

    func answer(_ request: Request, state: EmulatorState) async throws(EmulatorInputError) -> Response {
        switch self {
        case .style: return DevicePage.response(WebFiles.deviceCSS, .css)
        case .script: return DevicePage.response(WebFiles.deviceJS, .javaScript)
        case .options: return .json(await Self.options(state))
        case .open:
            let files = ["infoPlist", "entitlements", "bundleId", "appAppleId"]
            // Two files in Base64, and the other members.
            let limit = 2 * (PageApp.maximumBytes / 3 * 4 + 4) + 65_536
            let body = try await ControlBody(request, known: files + Self.changes, upTo: limit)
            let app = try PageApp(
                infoPlist: body.required("infoPlist", body.file("infoPlist"), such: "the file as base64"),
                entitlements: body.file("entitlements"),
                bundleId: body.string("bundleId")
            )
            let change = try EmulatorState.PageChange(body)
            let view = try await state.openPage(app, appAppleId: body.integer("appAppleId"), change)
            return .json(view.json, status: .created)
        case .session(let id):
            return .json(try await state.page(id).json)
        case .change(let id):
            let change = try EmulatorState.PageChange(await ControlBody(request, known: Self.changes))
            return .json(try await state.changePage(id, change).json)
        case .tap(let id):
            return try await tap(id, request, state)
        case .sheet(let id):
            let body = try await ControlBody(request, known: ["action"])
            let form = "continue, continueWithoutReminders or cancel"
            let action = try body.required("action", body.string("action"), such: form)
            guard ["continue", "continueWithoutReminders", "cancel"].contains(action) else {
                throw body.wrongType("action", form)
            }
            let result = try await state.answerSheet(
                id,
                continuing: action != "cancel",
                remindersOff: action == "continueWithoutReminders"
            )
            return .json(.object(JSONObject(result.members)))
        case .event(let id):
            let body = try await ControlBody(request, known: ["event"])
            let events = AppEvent.allCases.map(\.rawValue).joined(separator: ", ")
            let name = try body.required("event", body.string("event"), such: "one of \(events)")
            guard let event = AppEvent.named(name) else { throw body.wrongType("event", "one of \(events)") }
            let tokens = try await state.pageEvent(id, event).map { JSONValue.string($0.externalPurchaseId.rawValue) }
            return .json(["tokens": .array(tokens)])
        }
    }

    private func tap(_ id: Int, _ request: Request, _ state: EmulatorState) async throws(EmulatorInputError) -> Response
    {
        let body = try await ControlBody(request, known: ["method", "url", "tokenType"])
        let names = PageSession.Method.allCases.map(\.rawValue).joined(separator: ", ")
        let name = try body.required("method", body.string("method"), such: "one of \(names)")
        guard let method = PageSession.Method.named(name) else { throw body.wrongType("method", "one of \(names)") }
        let outcome = try await state.tap(
            id,
            method,
            url: try body.string("url"),
            type: try body.string("tokenType").map(TokenType.init(rawValue:))
        )
        switch outcome.tap {
        case .refused(let refusal):
            return .json(["refused": refusal.json])
        case .sheet(let sheet):
            return .json(["sheet": sheet.json])
        case .suppressed:
            return .json(.object(JSONObject((outcome.result?.members ?? []) + [.init("suppressed", .bool(true))])))
        }
    }

    /// The choices of the page's menus.
    private static func options(_ state: EmulatorState) async -> JSONValue {
        let pack = RulePack.newest
        // Kosovo's storefront has no country code in ISO 3166-1.
        let countries = Country.all.map { ($0.alpha3, $0.name, $0.region) } + [("XKS", "Kosovo", "")]
        let storefronts = countries.sorted { $0.1 < $1.1 }.map { code, name, region in
            let programmes = pack.programmes.filter { $0.storefronts.contains(region) }.map(\.title)
            return JSONValue.object([
                "code": .string(code), "name": .string(name),
                "programmes": .array(programmes.map(JSONValue.string)),
            ])
        }
        let accounts = await state.pageAccounts.map { JSONValue.integer(Int64($0)) }
        return [
            "storefronts": .array(storefronts),
            "systems": .array(Platform.allCases.flatMap(Self.releases).map(JSONValue.string)),
            "accounts": .array(accounts),
            "environment": state.configuration.environment.map { .string($0.rawValue) } ?? .null,
            "rulePack": .string(pack.id),
            "sample": await sample(state),
        ]
    }

    /// The app that the page shows where no other is registered, in the form of a request that opens a phone.
    private static func sample(_ state: EmulatorState) async -> JSONValue {
        func base64(_ text: String) -> JSONValue { .string(Data(text.utf8).base64EncodedString()) }
        return [
            "infoPlist": base64(GemShopFiles.infoPlist), "entitlements": base64(GemShopFiles.entitlements),
            "opensAtStart": .bool(await state.registeredApps.allSatisfy { $0.bundleId.rawValue == sampleBundleId }),
        ]
    }

    private static let sampleBundleId = "com.example.gemshop"

    /// The versions at which an evaluation can change, newest first.
    private static func releases(of platform: Platform) -> [String] {
        let tables = RegionTables.builtIn
        var versions = Set(tables.members.values.compactMap { $0.availability[platform] })
        versions.formUnion(tables.newestPack.programmes.compactMap { $0.minimumOS[platform] })
        versions.formUnion(tables.newestPack.programmes.compactMap { $0.tokenMinimumOS[platform] })
        if platform == .iOS || platform == .iPadOS { versions.insert(OSVersion(26, 5)) }
        return versions.sorted(by: >).map { SystemRelease(platform: platform, version: $0).description }
    }
}

extension ControlBody {
    /// Decodes a file in Base64 of at most ``PageApp/maximumBytes``; nil when the member is absent.
    fileprivate func file(_ key: String) throws(EmulatorInputError) -> [UInt8]? {
        guard let text = try string(key) else { return nil }
        guard let bytes = Data(base64Encoded: text) else { throw wrongType(key, "the file as base64") }
        guard bytes.count <= PageApp.maximumBytes else {
            throw EmulatorInputError(
                "file-too-large",
                field: key,
                kind: .tooLarge,
                "\(key) has more than \(PageApp.maximumBytes) bytes"
            )
        }
        return Array(bytes)
    }
}

extension EmulatorState.PageChange {
    fileprivate init(_ body: ControlBody) throws(EmulatorInputError) {
        if let text = try body.string("storefront") {
            guard StorefrontCode(text) != nil else {
                throw body.wrongType("storefront", "a code of three letters, such as NLD")
            }
            storefront = text
        }
        if let text = try body.string("os") {
            do {
                release = try SystemRelease(text)
            } catch {
                throw EmulatorInputError("invalid-field", field: "os", error.description)
            }
        }
        canMakePayments = try body.bool("canMakePayments")
        isPersonEligible = try body.bool("personEligible")
        environment = try body.environment()
        account = try body.integer("account").map { Int(clamping: $0) }
    }
}

// MARK: What the page shows

extension EmulatorState.PageView {
    fileprivate var json: JSONValue {
        let engine = session.engine
        let answers = PageSession.Method.allCases.map { method in
            engine.evaluate(method.question).json(of: method)
        }
        // The order of families in SK-86.
        let advised: [JSONValue] = engine.advice.map { advice in
            let method: PageSession.Method? =
                switch advice {
                case .useCustomLink: .showNotice
                case .useMultiLink: .openURL
                case .useLink: .open
                case .useNoticeSheet: .presentNoticeSheet
                case .offerNothing, .useInAppPurchase: nil
                }
            return .string(method?.rawValue ?? advice.name)
        }
        return [
            "id": .integer(Int64(id)),
            "app": [
                "name": .string(session.app.name),
                "bundleId": .string(session.app.bundleId.rawValue),
                "appAppleId": .integer(appAppleId),
            ],
            "storefront": session.storefront.map(JSONValue.string) ?? .null,
            "os": .string(session.release.description),
            "environment": .string(session.environment.rawValue),
            "account": .integer(Int64(session.account)),
            "canMakePayments": .bool(session.canMakePayments),
            "personEligible": .bool(session.isPersonEligible),
            "advice": .array(advised),
            "answers": .array(answers),
            "minors": (session.engine.terms?.minorsInWords(storefront: session.storefront)).map(JSONValue.string)
                ?? .null,
            "leftOut": .array(session.app.leftOut),
            "sheet": session.sheet?.json ?? .null,
        ]
    }
}

extension PageApp {
    /// The unusable entries with their reasons, limited to the first ones.
    fileprivate var leftOut: [JSONValue] {
        configuration.removed.prefix(100).map { finding in
            [
                "rule": .string(finding.rule),
                "message": .string(finding.message),
                "hint": finding.hint.map(JSONValue.string) ?? .null,
                "place": .string(finding.file + (finding.position.map { ":\($0.line)" } ?? "")),
            ]
        }
    }
}

extension Evaluation {
    fileprivate func json(of method: PageSession.Method) -> JSONValue {
        [
            "question": .string(question.rawValue),
            "method": .string(method.rawValue),
            "eligible": .bool(isEligible),
            "failed": failed.map { .string($0.description) } ?? .null,
            "error": error.map { .string($0.rawValue) } ?? .null,
            "reason": failedCondition.map { .string($0.detail) } ?? .null,
            "fix": failedCondition?.fix.map(JSONValue.string) ?? .null,
            "next": .string(next.description),
            "programme": programme.map { .string($0.title) } ?? .null,
            "links": .array(links.map { .string($0.url) }),
            "tokenTypes": .array(tokenTypes.map { $0.map { .string($0.rawValue) } ?? .null }),
            "conditions": .array(conditions.map(\.json)),
        ]
    }
}

extension Condition {
    fileprivate var json: JSONValue {
        let place = evidence.map { $0.file + ($0.position.map { ":\($0.line)" } ?? "") }
        return [
            "id": .string(id.description),
            "holds": holds.map(JSONValue.bool) ?? .null,
            "detail": .string(detail),
            "place": place.map(JSONValue.string) ?? .null,
            "fix": fix.map(JSONValue.string) ?? .null,
            "route": route.map(JSONValue.string) ?? .null,
        ]
    }
}

extension PageSession.Refusal {
    fileprivate var json: JSONValue {
        [
            "error": .string(error.rawValue), "condition": .string(condition.description),
            "reason": .string(reason), "fix": fix.map(JSONValue.string) ?? .null,
        ]
    }
}

extension PageSession.Sheet {
    fileprivate var json: JSONValue {
        [
            "method": .string(method.rawValue),
            "kind": .string(request.kind.rawValue),
            "text": .string(request.text),
            "destination": request.destination.map { .string($0.absoluteString) } ?? .null,
            "storefront": .string(request.storefront),
            "offersNoReminders": .bool(offersNoReminders),
            "shownBy": .string(isOwnDisclosure ? "app" : "system"),
            "simulated": true,
        ]
    }
}

extension EmulatorState.PageResult {
    fileprivate var members: [JSONObject.Member] {
        [
            .init("result", .string(isContinued ? "continued" : "cancelled")),
            .init("method", .string(sheet.method.rawValue)),
            .init("url", url.map(JSONValue.string) ?? .null),
            .init("tokens", .array(tokens.map(\.json))),
            .init("withoutToken", isContinued ? sheet.withoutToken.map(JSONValue.string) ?? .null : .null),
        ]
    }
}

extension EmulatorState.PageToken {
    fileprivate var json: JSONValue {
        .object(
            JSONObject(
                [
                    .init("tokenType", type.map { .string($0.rawValue) } ?? .null),
                    .init("isNew", .bool(isNew)),
                    .init("reason", reason.map(JSONValue.string) ?? .null),
                ] + (token?.members ?? [])
            )
        )
    }
}
