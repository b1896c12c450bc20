import ExternalPurchaseCore
import TokenLifecycle

/// The customers and devices of the emulator, with their token periods (TK-40).
struct CustomerRegistry: Sendable {
    private(set) var periods = TokenPeriods()
    private var accounts: [AccountID] = []
    private var devices: [DeviceID] = []
    /// The inputs that led to the current state.
    ///
    /// A snapshot consists of them.
    private(set) var history: [LifecycleInput] = []

    /// The numbers of the accounts, in the order of their creation.
    var accountNumbers: [Int] { accounts.map(\.number) }

    /// Returns the account's first device; nil when it has none.
    func firstDevice(of account: Int) -> Int? {
        devices.first { periods.account(on: $0)?.number == account }?.number
    }

    /// Applies an input to the token periods.
    mutating func apply(_ input: LifecycleInput) throws(EmulatorInputError) -> LifecycleOutcome {
        let outcome: LifecycleOutcome
        switch input.kind {
        case .account:
            let account = periods.openAccount()
            accounts.append(account)
            outcome = .account(account)
        case .device(let number):
            let account = try account(number)
            let device = periods.addDevice(of: account)
            devices.append(device)
            outcome = .device(device, of: account)
        case .event(let event):
            let account = try self.account(onDevice: event.device)
            outcome = .tokens(
                periods.receive(
                    event.event,
                    of: account,
                    for: event.app,
                    in: event.environment,
                    isConfigured: event.isConfigured,
                    at: input.at,
                    drawing: (event.draws.0, event.draws.1),
                    settings: input.settings
                )
            )
        case .call(let call):
            let account = try self.account(onDevice: call.device)
            outcome = .answer(
                periods.request(
                    call.type,
                    by: account,
                    for: call.app,
                    in: call.environment,
                    at: input.at,
                    drawing: call.draw,
                    settings: input.settings
                )
            )
        }
        history.append(input)
        return outcome
    }

    private func account(_ number: Int) throws(EmulatorInputError) -> AccountID {
        guard let account = accounts.first(where: { $0.number == number }) else {
            throw EmulatorInputError(
                "unknown-account",
                field: "account",
                "there is no account \(number); POST /emulator/v1/accounts opens one"
            )
        }
        return account
    }

    private func account(onDevice number: Int) throws(EmulatorInputError) -> AccountID {
        guard let device = devices.first(where: { $0.number == number }), let account = periods.account(on: device)
        else {
            throw EmulatorInputError(
                "unknown-device",
                field: "id",
                kind: .unknownPath,
                "there is no device \(number); POST /emulator/v1/devices adds one"
            )
        }
        return account
    }
}

/// The result of a lifecycle input.
enum LifecycleOutcome: Sendable {
    case account(AccountID)
    case device(DeviceID, of: AccountID)
    /// The tokens that an event created.
    case tokens([ExternalPurchaseToken])
    case answer(TokenAnswer)
}

/// An input to the token lifecycle, with everything that its result depends on.
struct LifecycleInput: Sendable {
    enum Kind: Sendable {
        case account
        case device(account: Int)
        case event(Event)
        case call(Call)
    }

    struct Event: Sendable {
        var device: Int
        var event: AppEvent
        var app: TokenLifecycle.App
        var environment: AppStoreEnvironment
        var isConfigured: Bool
        var draws: (UUID, UUID)
    }

    struct Call: Sendable {
        var device: Int
        /// The token type; nil requests a plain token, as a link does.
        var type: TokenType?
        var app: TokenLifecycle.App
        var environment: AppStoreEnvironment
        var draw: UUID
    }

    var kind: Kind
    var at: Timestamp
    var settings: LifecycleSettings
}

extension EmulatorState {
    /// Applies an input at the current time, and records the tokens that it creates.
    func live(_ kind: LifecycleInput.Kind) throws(EmulatorInputError) -> LifecycleOutcome {
        let input = LifecycleInput(kind: kind, at: now, settings: settings.lifecycle)
        let outcome = try customers.apply(input)
        store(.lifecycle(StoredLifecycleInput(input)))
        var created: [ExternalPurchaseToken] = []
        switch outcome {
        case .tokens(let tokens): created = tokens
        // A refreshed token is new, although its period is not.
        case .answer(.created(let token)), .answer(.current(let token)): created = [token]
        default: break
        }
        for token in created where tokens[token.externalPurchaseId] == nil {
            try tokens.record(token)
            // A refreshed token has the creation date of its period, but its own CREATED notification.
            recorded(token, at: input.at, isMintedNow: true)
        }
        return outcome
    }

    /// Returns the app of a call or event.
    func app(_ bundleId: BundleId) throws(EmulatorInputError) -> TokenLifecycle.App {
        guard let app = apps[bundleId] else { throw TokenRegistry.unknownApp(bundleId) }
        return TokenLifecycle.App(appAppleId: app.appAppleId, bundleId: app.bundleId)
    }

    /// Returns two random UUIDs.
    ///
    /// The first one is for `ACQUISITION`.
    func draws() -> (UUID, UUID) { (tokens.freshUUID(dependencies), tokens.freshUUID(dependencies)) }
}
