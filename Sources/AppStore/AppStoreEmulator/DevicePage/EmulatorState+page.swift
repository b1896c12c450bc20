import Eligibility
import ExternalPurchaseCore
import TokenLifecycle

// The phones of the device page. Tokens and customers belong to the emulator, not to a phone.
extension EmulatorState {
    /// The requested changes of a phone.
    ///
    /// Members that are nil keep their values.
    struct PageChange: Sendable {
        var release: SystemRelease?
        var storefront: String?
        var canMakePayments: Bool?
        var isPersonEligible: Bool?
        var environment: AppStoreEnvironment?
        /// The number of an account; 0 creates a new one.
        var account: Int?
    }

    /// The state of a phone as the page shows it.
    struct PageView: Sendable {
        let id: Int
        let session: PageSession
        let appAppleId: Int64
    }

    /// A token that a tap returned, or the reason why there is none.
    struct PageToken: Sendable {
        let type: TokenType?
        let token: DecodedToken?
        /// False for the token of a period that was already active.
        let isNew: Bool
        let reason: String?
    }

    /// The end of a flow.
    struct PageResult: Sendable {
        let sheet: PageSession.Sheet
        let isContinued: Bool
        var tokens: [PageToken] = []
        /// The URL that the browser opens.
        var url: String?
    }

    var pageAccounts: [Int] { customers.accountNumbers }

    /// Installs an app on a phone, and registers it if it is unknown.
    func openPage(_ app: PageApp, appAppleId: Int64?, _ change: PageChange) throws(EmulatorInputError) -> PageView {
        if apps[app.bundleId] == nil {
            _ = try register(AppRegistration(bundleId: app.bundleId, appAppleId: appAppleId ?? 1_234_567_890))
        } else if let appAppleId, apps[app.bundleId]?.appAppleId != appAppleId {
            throw EmulatorInputError(
                "app-known",
                field: "appAppleId",
                kind: .conflict,
                "\(app.bundleId) is registered with another App Store id; leave it out, or register the app anew"
            )
        }
        let newest = SystemRelease(platform: .iOS, version: OSVersion(26, 5))
        var session = PageSession(
            app: app,
            release: change.release ?? newest,
            storefront: change.storefront,
            environment: configuration.environment ?? .sandbox,
            account: 0
        )
        try apply(change, to: &session)
        return try view(pages.open(session), session)
    }

    func page(_ id: Int) throws(EmulatorInputError) -> PageView { try view(id, pages.session(id)) }

    func changePage(_ id: Int, _ change: PageChange) throws(EmulatorInputError) -> PageView {
        var session = try pages.session(id)
        try apply(change, to: &session)
        pages.replace(id, by: session)
        return try view(id, session)
    }

    private func view(_ id: Int, _ session: PageSession) throws(EmulatorInputError) -> PageView {
        PageView(id: id, session: session, appAppleId: try app(session.app.bundleId).appAppleId)
    }

    private func apply(_ change: PageChange, to session: inout PageSession) throws(EmulatorInputError) {
        if let environment = change.environment {
            if let pinned = configuration.environment, pinned != environment {
                throw EmulatorInputError(
                    "environment-mismatch",
                    field: "environment",
                    "this emulator plays \(pinned.rawValue) only"
                )
            }
            session.environment = environment
        }
        if let account = change.account, account > 0, !pageAccounts.contains(account) {
            throw EmulatorInputError("unknown-account", field: "account", "there is no account \(account); 0 opens one")
        }
        if let release = change.release { session.release = release }
        if let storefront = change.storefront { session.storefront = storefront }
        if let canMakePayments = change.canMakePayments { session.canMakePayments = canMakePayments }
        if let isPersonEligible = change.isPersonEligible { session.isPersonEligible = isPersonEligible }
        if let account = change.account { session.account = account == 0 ? try openAccount() : account }
        guard !pageAccounts.contains(session.account) else { return }
        if let first = pageAccounts.first { session.account = first } else { session.account = try openAccount() }
    }

    private func openAccount() throws(EmulatorInputError) -> Int {
        guard case .account(let account) = try live(.account) else { return 0 }
        return account.number
    }

    /// Returns the first device of the account.
    ///
    /// It is created if there is none.
    private func device(of account: Int) throws(EmulatorInputError) -> Int {
        if let device = customers.firstDevice(of: account) { return device }
        guard case .device(let device, _) = try live(.device(account: account)) else { return 0 }
        return device.number
    }

    /// Calls a method on behalf of the app.
    func tap(
        _ id: Int,
        _ method: PageSession.Method,
        url: String?,
        type: TokenType?
    ) throws(EmulatorInputError) -> (tap: PageSession.Tap, result: PageResult?) {
        var session = try pages.session(id)
        try apply(PageChange(), to: &session)
        let tap = session.tap(method, url: url, type: type)
        var result: PageResult?
        switch tap {
        case .refused: break
        case .sheet(let sheet): session.sheet = sheet
        case .suppressed(let sheet): result = try finish(sheet, of: session.app.bundleId)
        }
        pages.replace(id, by: session)
        return (tap, result)
    }

    /// Answers the sheet.
    ///
    /// If the customer cancels, no token is issued (TK-30).
    func answerSheet(
        _ id: Int,
        continuing: Bool,
        remindersOff: Bool
    ) throws(EmulatorInputError) -> PageResult {
        var session = try pages.session(id)
        guard let sheet = session.sheet else {
            throw EmulatorInputError("no-sheet", kind: .conflict, "no sheet is up on this phone; tap first")
        }
        session.sheet = nil
        if continuing, remindersOff, sheet.offersNoReminders { session.remindersOff = true }
        pages.replace(id, by: session)
        guard continuing else { return PageResult(sheet: sheet, isContinued: false) }
        return try finish(sheet, of: session.app.bundleId)
    }

    private func finish(_ sheet: PageSession.Sheet, of bundleId: BundleId) throws(EmulatorInputError) -> PageResult {
        var result = PageResult(sheet: sheet, isContinued: true)
        let device = try device(of: sheet.account)
        for type in sheet.types {
            let call = LifecycleInput.Call(
                device: device,
                type: type,
                app: try app(bundleId),
                environment: sheet.environment,
                draw: draws().0
            )
            guard case .answer(let answer) = try live(.call(call)) else { continue }
            switch answer {
            case .created(let token):
                let decoded = tokens[token.externalPurchaseId]
                result.tokens.append(PageToken(type: type, token: decoded, isNew: true, reason: nil))
            case .current(let token):
                let decoded = tokens[token.externalPurchaseId]
                result.tokens.append(PageToken(type: type, token: decoded, isNew: false, reason: nil))
            case .none(let absence):
                result.tokens.append(PageToken(type: type, token: nil, isNew: false, reason: absence.description))
            }
        }
        if let link = sheet.link {
            result.url =
                result.tokens.first?.token.map {
                    WebsiteURL.appending(token: $0.token.encoded(), bundleId: $0.token.bundleId, to: link)
                } ?? link
        }
        return result
    }

    /// Installs, updates or re-downloads the app, which creates tokens in production (TK-32).
    func pageEvent(_ id: Int, _ event: AppEvent) throws(EmulatorInputError) -> [ExternalPurchaseToken] {
        var session = try pages.session(id)
        try apply(PageChange(), to: &session)
        pages.replace(id, by: session)
        let happening = LifecycleInput.Event(
            device: try device(of: session.account),
            event: event,
            app: try app(session.app.bundleId),
            environment: session.environment,
            // Only storefronts whose custom links have token periods count.
            isConfigured: session.engine.evaluate(.isEligible).isEligible
                && session.engine.customLinkTokenTypes.contains(.services),
            draws: draws()
        )
        guard case .tokens(let tokens) = try live(.event(happening)) else { return [] }
        return tokens
    }
}
