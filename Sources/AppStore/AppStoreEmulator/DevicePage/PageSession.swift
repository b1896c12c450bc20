import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import StoreKitSimulator

/// A phone of the device page: an app on a system in a storefront, and the sheet that is shown.
struct PageSession: Sendable {
    /// A method that a person can call from the page.
    enum Method: String, Sendable, CaseIterable {
        case showNotice = "ExternalPurchaseCustomLink.showNotice"
        case openURL = "ExternalPurchaseLink.open(url:)"
        case open = "ExternalPurchaseLink.open()"
        case presentNoticeSheet = "ExternalPurchase.presentNoticeSheet()"

        /// The question that an app evaluates before it calls the method.
        var question: EligibilityQuestion {
            switch self {
            case .showNotice: .isEligible
            case .openURL: .eligibleURLs
            case .open: .canOpen
            case .presentNoticeSheet: .canPresent
            }
        }

        var sheet: SheetRequest.Kind {
            switch self {
            case .showNotice: .disclosure
            case .openURL, .open: .continuation
            case .presentNoticeSheet: .notice
            }
        }
    }

    /// A sheet that waits for its answer, with the settings of the phone when it was shown (SK-91).
    struct Sheet: Sendable {
        let method: Method
        let request: SheetRequest
        /// The link exactly as configured (TK-62); nil when the app opens the destination itself.
        let link: String?
        /// The types of the tokens that the app requests at Continue; nil is a plain token.
        let types: [TokenType?]
        /// What the app does without a token, on systems that have none.
        let withoutToken: String?
        let account: Int
        let environment: AppStoreEnvironment
        /// True when the customer can turn off later reminders (SK-67).
        let offersNoReminders: Bool
        /// True where the app shows its own disclosure in place of the system's notice (SK-66).
        let isOwnDisclosure: Bool
    }

    /// Why a method failed before its sheet was shown.
    struct Refusal: Sendable {
        let error: FailureCase
        let condition: ConditionID
        let reason: String
        let fix: String?
    }

    let app: PageApp
    var release: SystemRelease
    var storefront: String?
    var canMakePayments = true
    var isPersonEligible = true
    var environment: AppStoreEnvironment
    var account: Int
    /// The customer's choice in a disclosure of the EU (SK-67).
    var remindersOff = false
    var sheet: Sheet?

    var device: Device {
        Device(platform: release.platform, osVersion: release.version)
    }

    var engine: EligibilityEngine {
        EligibilityEngine(
            device: device,
            storefront: storefront,
            canMakePayments: canMakePayments,
            isPersonEligible: isPersonEligible,
            configuration: app.configuration
        )
    }

    /// The result of a tap.
    enum Tap: Sendable {
        case refused(Refusal)
        case sheet(Sheet)
        /// The customer has turned off reminders, so the app continues without a sheet (SK-67).
        case suppressed(Sheet)
    }

    /// Checks a call, including C10 and C11.
    ///
    /// - Parameters:
    ///   - method: the method that the app calls.
    ///   - url: one of the eligible links, or the destination of a custom link; nil for the first link, or for an offer
    ///     inside the app.
    ///   - type: the only token type to request; nil for all that apply.
    func tap(_ method: Method, url: String?, type: TokenType?) -> Tap {
        let engine = engine
        let evaluation = engine.evaluate(method.question)
        if let failed = evaluation.failedCondition {
            return refused(failed.id, failed.detail, failed.fix)
        }
        guard sheet == nil else {
            return refused(.sheet, "another sheet is up", "Wait until it is answered.")
        }
        var link: String?
        var types = evaluation.tokenTypes
        var withoutToken = types.isEmpty ? "this system makes no tokens" : nil
        switch method {
        case .presentNoticeSheet:
            guard !types.isEmpty else {
                return refused(.memberExists, "this system has no result with a token", "Try a newer system.")
            }
        case .open, .openURL:
            link = url.map { url in evaluation.links.first { $0.url == url }?.url } ?? evaluation.links.first?.url
            guard link != nil else {
                return refused(
                    .argument,
                    "\(url ?? "the link") is not in eligibleURLs",
                    "Choose one of eligibleURLs."
                )
            }
        case .showNotice:
            let tokens = engine.evaluate(.token)
            types = tokens.isEligible ? Self.types(of: engine, leavesApp: url != nil, only: type) : []
            withoutToken = types.isEmpty ? tokens.failedCondition?.detail ?? "the storefront has no such token" : nil
        }
        let isInUnion = engine.region.map(EuropeanUnion.regions.contains) ?? false
        let sheet = Sheet(
            method: method,
            request: SheetRequest(
                family: method.question.family,
                kind: method.sheet,
                destination: (link ?? url).flatMap { URL(string: $0) },
                storefront: storefront ?? ""
            ),
            link: link,
            types: types,
            withoutToken: withoutToken,
            account: account,
            environment: environment,
            offersNoReminders: method.sheet == .disclosure && isInUnion,
            isOwnDisclosure: method == .showNotice && evaluation.next.isOwnDisclosure
        )
        return sheet.offersNoReminders && remindersOff ? .suppressed(sheet) : .sheet(sheet)

        func refused(_ id: ConditionID, _ reason: String, _ fix: String?) -> Tap {
            .refused(Refusal(error: FailureCase(id, on: device), condition: id, reason: reason, fix: fix))
        }
    }

    /// The token types that an app requests: both periods, or the one for the transaction (SK-60).
    private static func types(of engine: EligibilityEngine, leavesApp: Bool, only: TokenType?) -> [TokenType?] {
        let known = engine.customLinkTokenTypes
        if let only { return known.filter { $0 == only } }
        return known.filter { type in
            switch type {
            case .inApp: !leavesApp
            case .linkOut: leavesApp
            default: true
            }
        }
    }
}

/// The data of a phone's app that evaluations need.
///
/// The files themselves are not stored.
struct PageApp: Sendable {
    let name: String
    let bundleId: BundleId
    let configuration: UsableConfiguration

    /// The maximum size of an upload in bytes.
    static let maximumBytes = 1_048_576

    /// Reads the files of an app.
    ///
    /// - Parameters:
    ///   - infoPlist: the bytes of Info.plist.
    ///   - entitlements: the bytes of the entitlements; nil for none.
    ///   - bundleId: replaces the bundle id of Info.plist, which is often a variable in a source file.
    init(infoPlist: [UInt8], entitlements: [UInt8]?, bundleId: String?) throws(EmulatorInputError) {
        let files: AppConfiguration
        do {
            files = try AppConfiguration.parse(infoPlist: infoPlist, entitlements: entitlements)
        } catch {
            throw EmulatorInputError(
                "unreadable-property-list",
                field: error.file == "Info.plist" ? "infoPlist" : "entitlements",
                error.description
            )
        }
        var usable = UsableConfiguration(files, pack: .newest)
        if let bundleId { usable.bundleId = BundleId(bundleId) }
        guard let id = usable.bundleId else {
            throw EmulatorInputError(
                "missing-field",
                field: "bundleId",
                "Info.plist names no bundle id, or one with a variable; give bundleId, such as com.example.shop"
            )
        }
        configuration = usable
        self.bundleId = id
        let names = ["CFBundleDisplayName", "CFBundleName"].compactMap { key -> String? in
            guard case .string(let name) = files.infoPlist?.member(key)?.node.value else { return nil }
            return name.isEmpty || name.contains("$(") ? nil : String(name.prefix(60))
        }
        name = names.first ?? id.rawValue.split(separator: ".").last.map(String.init) ?? id.rawValue
    }
}

/// The phones of all open pages.
///
/// When there are too many, the oldest is removed.
struct PageSessions: Sendable {
    static let maximum = 100

    private var sessions: [(id: Int, session: PageSession)] = []
    private var count = 0

    mutating func open(_ session: PageSession) -> Int {
        if sessions.count >= Self.maximum { sessions.removeFirst(sessions.count - Self.maximum + 1) }
        count += 1
        sessions.append((count, session))
        return count
    }

    func session(_ id: Int) throws(EmulatorInputError) -> PageSession {
        guard let found = sessions.first(where: { $0.id == id })?.session else {
            throw EmulatorInputError(
                "unknown-session",
                field: "id",
                kind: .unknownPath,
                "there is no page session \(id); POST /emulator/v1/page/sessions opens one"
            )
        }
        return found
    }

    mutating func replace(_ id: Int, by session: PageSession) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        sessions[index].session = session
    }

    /// Removes every sheet, because the customers it was shown to no longer exist.
    mutating func lowerSheets() {
        for index in sessions.indices {
            sessions[index].session.sheet = nil
            sessions[index].session.remindersOff = false
        }
    }
}
