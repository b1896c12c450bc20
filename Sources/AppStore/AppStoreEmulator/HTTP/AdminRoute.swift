import ExternalPurchaseCore
import HTTPTypes
import Hummingbird

/// The control paths, all under `/emulator/v1`.
enum AdminRoute: Hashable, Sendable {
    static let root = "/emulator/v1"

    case health
    case clock, setClock, advanceClock
    case app(BundleId), apps
    case orderToken, tokens
    case settings, changeSettings
    case requests, clearRequests
    case injectFault, clearFaults
    case reset
    case openAccount, addDevice
    case deviceEvent(Int), deviceCall(Int)
    case notifications, sendNotification
    case rootDER, rootPEM
    case snapshot, restore
    case events
    case page(PagePath)

    /// Finds the control path of a request.
    ///
    /// - Parameters:
    ///   - path: the path after the root.
    ///   - method: the method.
    init(_ path: String, method: HTTPRequest.Method) throws(EmulatorInputError) {
        let methods = Self.methods(path)
        guard !methods.isEmpty else {
            throw EmulatorInputError("unknown-path", kind: .unknownPath, "there is no control path \(Self.root)\(path)")
        }
        guard let match = methods.first(where: { $0.method == (method == .head ? .get : method) })?.path else {
            let allowed = methods.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            throw EmulatorInputError(
                "wrong-method",
                kind: .wrongMethod(allowed: allowed),
                "\(Self.root)\(path) does not take \(method.rawValue); it takes \(allowed.joined(separator: ", "))"
            )
        }
        self = match
    }

    private static func methods(_ path: String) -> [(method: HTTPRequest.Method, path: AdminRoute)] {
        switch path {
        case "/health": return [(.get, .health)]
        case "/clock": return [(.get, .clock), (.put, .setClock)]
        case "/clock/advance": return [(.post, .advanceClock)]
        case "/apps": return [(.get, .apps)]
        case "/tokens": return [(.get, .tokens), (.post, .orderToken)]
        case "/settings": return [(.get, .settings), (.put, .changeSettings)]
        case "/requests": return [(.get, .requests), (.delete, .clearRequests)]
        case "/faults": return [(.post, .injectFault), (.delete, .clearFaults)]
        case "/reset": return [(.post, .reset)]
        case "/accounts": return [(.post, .openAccount)]
        case "/devices": return [(.post, .addDevice)]
        case "/notifications": return [(.get, .notifications), (.post, .sendNotification)]
        case "/root.cer": return [(.get, .rootDER)]
        case "/root.pem": return [(.get, .rootPEM)]
        case "/snapshot": return [(.get, .snapshot), (.put, .restore)]
        case "/events": return [(.get, .events)]
        default: break
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 4, parts[1] == "devices", let device = Int(parts[2]), device > 0 {
            if parts[3] == "events" { return [(.post, .deviceEvent(device))] }
            if parts[3] == "calls" { return [(.post, .deviceCall(device))] }
        }
        let pages = PagePath.methods(path)
        if !pages.isEmpty { return pages.map { ($0.method, .page($0.path)) } }
        let app = path.dropFirst("/apps/".count)
        guard path.hasPrefix("/apps/"), !app.isEmpty, !app.contains("/") else { return [] }
        return [(.put, .app(BundleId(PercentEncoding.decoded(app))))]
    }

    func answer(_ request: Request, state: EmulatorState) async throws(EmulatorInputError) -> Response {
        switch self {
        case .health, .clearRequests, .clearFaults, .reset:
            if self == .clearFaults { await state.clearFaults() }
            if self == .clearRequests { await state.clearRequests() }
            if self == .reset { await state.reset() }
            return .json(["status": "ok"])
        case .clock:
            return await Self.clock(state)
        case .setClock:
            try await Self.setClock(ControlBody(request, known: ["now", "mode"]), state)
            return await Self.clock(state)
        case .advanceClock:
            let body = try await ControlBody(request, known: ["seconds"])
            let seconds = try body.required("seconds", body.integer("seconds"), such: "a number such as 864000")
            try await state.advanceClock(seconds: seconds)
            return await Self.clock(state)
        case .apps:
            return .json(.array(await state.registeredApps.map(\.json)))
        case .app(let bundleId):
            return .json(try await state.register(AppRegistration(bundleId, request)).json)
        case .orderToken:
            let entry = try await state.fulfil(TokenOrder(request))
            return .json(.object(JSONObject(entry.token.members)), status: entry.isNew ? .created : .ok)
        case .tokens:
            return try await Self.tokens(request, state)
        case .settings:
            return .json(await state.settings.json)
        case .changeSettings:
            return .json(try await state.change(Self.changes(ControlBody(request, known: nil))).json)
        case .injectFault:
            await state.inject(try Fault(await ControlBody(request, known: ["match", "behaviour", "times"])))
            return .json(["status": "ok"], status: .created)
        case .requests:
            return .json(.array(await state.requests.map(\.json)))
        case .openAccount, .addDevice, .deviceEvent, .deviceCall:
            return try await lifecycle(request, state)
        case .notifications:
            return .json(.array(await state.notifications.records.map(\.json)))
        case .sendNotification:
            let body = try await ControlBody(request, known: ["externalPurchaseId", "subtype", "damage"])
            return .json(try await state.send(NotificationOrder(body)).json, status: .created)
        case .rootDER:
            return .bytes(await state.rootCertificate, contentType: "application/pkix-cert")
        case .rootPEM:
            return .bytes(try await state.rootPEM, contentType: "application/x-pem-file")
        case .snapshot:
            return .bytes(await state.snapshotDocument, contentType: "application/json")
        case .restore:
            try await state.restore(try await ControlBody.document(request))
            return .json(["status": "ok"])
        case .events:
            return try Self.events(request, state)
        case .page(let path):
            return try await path.answer(request, state: state)
        }
    }

    // MARK: Clock

    static func clock(_ state: EmulatorState) async -> Response {
        let (now, isVirtual) = await state.clockReading
        return .json(
            [
                "now": .string(now.description),
                "mode": .string(isVirtual ? "virtual" : "real"),
            ]
        )
    }

    private static func setClock(_ body: ControlBody, _ state: EmulatorState) async throws(EmulatorInputError) {
        let mode = try body.string("mode")
        guard mode == nil || mode == "real" || mode == "virtual" else {
            throw body.wrongType("mode", "real or virtual")
        }
        let now = try body.string("now")
        switch (now, mode) {
        case (let text?, nil), (let text?, "virtual"):
            guard let moment = Timestamp(rfc3339: text) else {
                throw body.wrongType("now", "a date and time such as 2026-11-21T00:00:00Z")
            }
            try await state.setClock(to: moment)
        case (nil, "real"):
            try await state.followMachine()
        case (nil, "virtual"):
            try await state.holdClock()
        default:
            throw EmulatorInputError(
                "invalid-clock",
                #"the clock accepts {"now":"2026-11-21T00:00:00Z"} or {"mode":"real"}"#
            )
        }
    }

    // MARK: Tokens

    private static func tokens(_ request: Request, _ state: EmulatorState) async throws(EmulatorInputError) -> Response
    {
        var bundleId: BundleId?
        for parameter in (request.uri.query ?? "").split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "bundleId", bundleId == nil else {
                throw EmulatorInputError(
                    "unknown-parameter",
                    field: PercentEncoding.decoded(parts[0]),
                    "the query accepts only bundleId=com.example.shop, once"
                )
            }
            bundleId = BundleId(PercentEncoding.decoded(parts[1]))
        }
        let tokens = try await state.tokens(of: bundleId)
        return .json(
            .array(
                tokens.map { token, status in
                    let report = JSONObject.Member("reportStatus", status.map { .string($0.rawValue) } ?? .null)
                    return .object(JSONObject(token.members + [report]))
                }
            )
        )
    }

    // MARK: Settings

    private static func changes(_ body: ControlBody) throws(EmulatorInputError) -> [(name: String, value: String)] {
        var changes: [(name: String, value: String)] = []
        for member in body.members {
            guard let value = member.value.stringValue else {
                throw EmulatorInputError(
                    "invalid-setting",
                    field: member.key,
                    "the value of \(member.key) is not a text; values are written as \"300s\", \"on\" or \"1000\""
                )
            }
            changes.append((member.key, value))
        }
        return changes
    }
}

// MARK: Bodies in and out

extension AppRegistration {
    fileprivate init(_ bundleId: BundleId, _ request: Request) async throws(EmulatorInputError) {
        let known = ["bundleId", "appAppleId", "notificationURL", "issuerId", "privateKey", "released"]
        let body = try await ControlBody(request, known: known)
        if let named = try body.string("bundleId"), BundleId(named) != bundleId {
            throw body.wrongType("bundleId", "the one of the path, \(bundleId), or left out")
        }
        self.init(
            bundleId: bundleId,
            appAppleId: try body.integer("appAppleId"),
            issuerId: try body.string("issuerId"),
            privateKey: try body.string("privateKey"),
            notificationURLs: try Self.addresses(body),
            isReleased: try body.bool("released")
        )
    }

    private static func addresses(_ body: ControlBody) throws(EmulatorInputError) -> NotificationURLs? {
        let key = "notificationURL"
        let form = #"an http or https address, or {"production":…,"sandbox":…}"#
        func address(_ value: JSONValue?) throws(EmulatorInputError) -> String? {
            guard let value, value != .null else { return nil }
            guard let text = value.stringValue, text.hasPrefix("http://") || text.hasPrefix("https://") else {
                throw body.wrongType(key, form)
            }
            return text
        }
        switch body.value(key) {
        case nil:
            return nil
        case .object(let object):
            guard object.members.allSatisfy({ ["production", "sandbox"].containsName($0.key) }) else {
                throw body.wrongType(key, form)
            }
            return NotificationURLs(
                production: try address(object["production"]),
                sandbox: try address(object["sandbox"])
            )
        case let value:
            return try address(value).map { NotificationURLs($0) }
        }
    }
}

extension RegisteredApp {
    fileprivate var json: JSONValue {
        var members: JSONObject = [
            "bundleId": .string(bundleId.rawValue), "appAppleId": .integer(appAppleId),
            "keyId": .string(keyId), "issuerId": .string(issuerId),
            "privateKey": .string(privateKey), "released": .bool(isReleased),
        ]
        if let notificationURLs {
            let addresses: JSONObject = [
                "production": notificationURLs.production.map(JSONValue.string) ?? .null,
                "sandbox": notificationURLs.sandbox.map(JSONValue.string) ?? .null,
            ]
            members["notificationURL"] = .object(addresses)
        }
        return .object(members)
    }
}

extension TokenOrder {
    fileprivate init(_ request: Request) async throws(EmulatorInputError) {
        let minted = [
            "bundleId", "environment", "tokenType", "externalPurchaseId", "creationDate", "expirationDate",
        ]
        let body = try await ControlBody(request, known: minted + ["token"])
        if let token = try body.string("token") {
            if let other = body.members.first(where: { !$0.key.hasSameScalars(as: "token") }) {
                throw EmulatorInputError(
                    "unknown-field",
                    field: other.key,
                    "\(other.key) cannot be combined with token, which contains all fields"
                )
            }
            self = .registration(token)
            return
        }
        let bundleId = try body.required("bundleId", body.string("bundleId"), such: "such as com.example.shop")
        var minting = Minting(bundleId: BundleId(bundleId))
        if let text = try body.string("environment") {
            guard let environment = AppStoreEnvironment(rawValue: text) else {
                throw body.wrongType("environment", "production or sandbox")
            }
            minting.environment = environment
        }
        minting.externalPurchaseId = try body.string("externalPurchaseId").map(ExternalPurchaseId.init(rawValue:))
        minting.creationDate = try body.milliseconds("creationDate")
        if body.names("tokenType") {
            let type = try body.string("tokenType").map(TokenType.init(rawValue:))
            // A token of a later type is registered as text.
            if let type, !TokenType.all.contains(type) {
                let names = TokenType.all.map(\.rawValue).joined(separator: ", ")
                throw body.wrongType("tokenType", "one of \(names), or null for a token without type")
            }
            minting.tokenType = .chosen(type)
        }
        if body.names("expirationDate") {
            minting.expirationDate = .chosen(try body.milliseconds("expirationDate"))
        }
        self = .minting(minting)
    }
}

extension DecodedToken {
    /// The encoded token and its fields, in the format of `token decode`.
    var members: [JSONObject.Member] {
        let warnings = warnings.map { warning in
            JSONValue.object([
                "name": .string(warning.name.rawValue),
                "field": warning.field.map(JSONValue.string) ?? .null,
            ])
        }
        let decoded: JSONObject = [
            "appAppleId": .integer(token.appAppleId),
            "bundleId": .string(token.bundleId.rawValue),
            "externalPurchaseId": .string(token.externalPurchaseId.rawValue),
            "tokenCreationDate": .integer(token.tokenCreationDate.milliseconds),
            "tokenType": token.tokenType.map { .string($0.rawValue) } ?? .null,
            "tokenExpirationDate": token.tokenExpirationDate.map { .integer($0.milliseconds) } ?? .null,
            "environment": .string(token.environment.rawValue),
            "family": .string(token.family.interfaceName),
            "warnings": .array(warnings),
            "unknownFields": .array(unknownFields.map { .string($0.key) }),
        ]
        return [.init("token", .string(text)), .init("decoded", .object(decoded))]
    }
}
