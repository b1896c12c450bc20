package import ExternalPurchaseCore

/// The customers of a session or emulator with their devices and token periods (spec/03 section 4).
///
/// The state is a value: its functions take an event or request with time and random ids, and return tokens. The
/// emulator and every simulated session have their own.
package struct TokenPeriods: Hashable, Sendable {
    /// The state of a customer in one environment.
    ///
    /// Sandbox and production are separate (TK-40).
    private struct Holder: Hashable, Sendable {
        let account: AccountID
        let app: App
        let environment: AppStoreEnvironment
    }

    private struct Holding: Hashable, Sendable {
        /// True after the first install on any of the customer's devices.
        var isInstalled = false
        /// The periods of each type, oldest first.
        var periods: [TokenType: [TokenPeriod]] = [:]
    }

    private var devices: [DeviceID: AccountID] = [:]
    private var accountCount = 0
    private var holdings: [Holder: Holding] = [:]

    package init() {}

    // MARK: Customers and devices

    package mutating func openAccount() -> AccountID {
        accountCount += 1
        return AccountID(number: accountCount)
    }

    /// Adds a device for a customer.
    package mutating func addDevice(of account: AccountID) -> DeviceID {
        let device = DeviceID(number: devices.count + 1)
        devices[device] = account
        return device
    }

    /// Returns the customer who is signed in on a device; nil for an unknown device.
    package func account(on device: DeviceID) -> AccountID? { devices[device] }

    // MARK: Events

    /// Processes an event and returns the tokens that it creates, `ACQUISITION` before `SERVICES`; none in the sandbox
    /// (TK-32 to TK-34).
    ///
    /// - Parameters:
    ///   - isConfigured: whether the installed version is configured for custom links in the storefront (TK-33).
    ///   - draw: the random parts of the ids. The first is for `ACQUISITION`.
    package mutating func receive(
        _ event: AppEvent,
        of account: AccountID,
        for app: App,
        in environment: AppStoreEnvironment,
        isConfigured: Bool,
        at now: Timestamp,
        drawing draw: (UUID, UUID),
        settings: LifecycleSettings = LifecycleSettings()
    ) -> [ExternalPurchaseToken] {
        let holder = Holder(account: account, app: app, environment: environment)
        var holding = holdings[holder, default: Holding()]
        defer { holdings[holder] = holding }
        // An app that is updated or redownloaded was installed before, even if that event was not simulated.
        let isFirstInstall = event == .install && !holding.isInstalled
        holding.isInstalled = true
        guard environment == .production, isConfigured else { return [] }
        var created: [ExternalPurchaseToken] = []
        if isFirstInstall {
            created.append(Self.mint(.acquisition, holder, draw.0, now, settings, into: &holding))
        }
        if holding.periods[.services]?.last(where: { $0.isActive(at: now) }) == nil {
            created.append(Self.mint(.services, holder, draw.1, now, settings, into: &holding))
        }
        return created
    }

    // MARK: Requests

    /// Processes a token request.
    ///
    /// Plain tokens (no type) and transaction tokens are issued at every request (TK-30, TK-45); the others belong to
    /// periods (TK-34 to TK-38).
    package mutating func request(
        _ type: TokenType?,
        by account: AccountID,
        for app: App,
        in environment: AppStoreEnvironment,
        at now: Timestamp,
        drawing uuid: UUID,
        settings: LifecycleSettings = LifecycleSettings()
    ) -> TokenAnswer {
        let holder = Holder(account: account, app: app, environment: environment)
        guard let type, type == .acquisition || type == .services else {
            return .created(Self.token(type, holder, uuid, now, settings))
        }
        var holding = holdings[holder, default: Holding()]
        defer { holdings[holder] = holding }
        if let index = holding.periods[type]?.lastIndex(where: { $0.isActive(at: now) }) {
            let id = ExternalPurchaseId(uuid: uuid, environment: environment)
            // `index` is an index of the same array, so the default is never used.
            return .current(
                holding.periods[type, default: []][index].next(settings.refreshPolicy, id: id)
            )
        }
        let earlier = holding.periods[type]?.last?.original
        switch (type, environment, earlier) {
        case (.acquisition, _, let only?):
            return .none(Self.absenceOutside(only, after: TokenAnswer.Absence.exhausted, at: now))
        case (_, .sandbox, _):
            return .created(Self.mint(type, holder, uuid, now, settings, into: &holding))
        case (_, .production, let last?):
            return .none(Self.absenceOutside(last, after: TokenAnswer.Absence.expired, at: now))
        case (.acquisition, .production, nil) where holding.isInstalled:
            return .none(.installedBefore)
        case (_, .production, nil):
            return .none(.noEventYet)
        }
    }

    /// Returns the tokens under which a sale at a moment may be reported (TK-41).
    func activeTokens(
        of account: AccountID,
        for app: App,
        in environment: AppStoreEnvironment,
        at moment: Timestamp
    ) -> [ExternalPurchaseToken] {
        let periods = holdings[Holder(account: account, app: app, environment: environment)]?.periods ?? [:]
        return [TokenType.acquisition, .services].flatMap { type in
            (periods[type] ?? []).filter { $0.isActive(at: moment) }.flatMap(\.tokens)
        }
    }

    // MARK: Minting

    private static func absenceOutside(
        _ token: ExternalPurchaseToken,
        after ended: (Timestamp) -> TokenAnswer.Absence,
        at now: Timestamp
    ) -> TokenAnswer.Absence {
        now < token.tokenCreationDate
            ? .notBegun(until: token.tokenCreationDate) : ended(token.tokenExpirationDate ?? token.tokenCreationDate)
    }

    private static func mint(
        _ type: TokenType,
        _ holder: Holder,
        _ uuid: UUID,
        _ now: Timestamp,
        _ settings: LifecycleSettings,
        into holding: inout Holding
    ) -> ExternalPurchaseToken {
        let token = token(type, holder, uuid, now, settings)
        holding.periods[type, default: []].append(TokenPeriod(token))
        return token
    }

    private static func token(
        _ type: TokenType?,
        _ holder: Holder,
        _ uuid: UUID,
        _ now: Timestamp,
        _ settings: LifecycleSettings
    ) -> ExternalPurchaseToken {
        ExternalPurchaseToken(
            appAppleId: holder.app.appAppleId,
            bundleId: holder.app.bundleId,
            tokenCreationDate: now,
            externalPurchaseId: ExternalPurchaseId(uuid: uuid, environment: holder.environment),
            tokenType: type,
            tokenExpirationDate: type.flatMap { settings.expiration(of: $0, mintedAt: now, in: holder.environment) }
        )
    }
}
