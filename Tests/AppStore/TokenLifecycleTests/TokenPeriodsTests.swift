import ExternalPurchaseCore
import Foundation
import Testing

@testable import TokenLifecycle

/// One customer with two devices, and a clock that tests advance.
struct SimulatedCustomer {
    static let app = App(appAppleId: 1_234_567_890, bundleId: "com.acme.app")

    var periods = TokenPeriods()
    var now = Timestamp(milliseconds: 1_790_000_000_000)
    var settings = LifecycleSettings()
    var environment = AppStoreEnvironment.sandbox
    var account: AccountID
    private var drawn: UInt8 = 0

    init(_ environment: AppStoreEnvironment) {
        self.environment = environment
        account = periods.openAccount()
    }

    mutating func draw() -> UUID {
        drawn += 1
        return UUID(uuid: (drawn, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
    }

    mutating func request(_ type: TokenType?) -> TokenAnswer {
        periods.request(
            type,
            by: account,
            for: Self.app,
            in: environment,
            at: now,
            drawing: draw(),
            settings: settings
        )
    }

    @discardableResult
    mutating func receive(_ event: AppEvent, isConfigured: Bool = true) -> [ExternalPurchaseToken] {
        periods.receive(
            event,
            of: account,
            for: Self.app,
            in: environment,
            isConfigured: isConfigured,
            at: now,
            drawing: (draw(), draw()),
            settings: settings
        )
    }

    mutating func wait(days: Int64 = 0, milliseconds: Int64 = 0) {
        now = now.advanced(by: .days(days) + .milliseconds(milliseconds))
    }
}

extension TokenAnswer {
    /// The result as a word.
    var word: String {
        switch self {
        case .created: "created"
        case .current: "returned"
        case .none: "nil"
        }
    }
}

@Suite("Token periods")
struct TokenPeriodsTests {
    // Row, environment, ACQUISITION, SERVICES: the table of spec/03 section 4.
    @Test(
        "Requests agree with each cell of their table (TK-32 to TK-38)",
        arguments: [
            ("before", AppStoreEnvironment.production, "nil", "nil"), ("before", .sandbox, "created", "created"),
            ("active", .production, "returned", "returned"), ("active", .sandbox, "returned", "returned"),
            ("expired", .production, "nil", "nil"), ("expired", .sandbox, "nil", "created"),
            ("updated", .production, "nil", "returned"), ("updated", .sandbox, "nil", "created"),
        ]
    )
    func table(_ row: String, _ environment: AppStoreEnvironment, _ acquisition: String, _ services: String) {
        for (type, expected) in [(TokenType.acquisition, acquisition), (.services, services)] {
            var customer = SimulatedCustomer(environment)
            if row != "before" {
                customer.receive(.install)
                _ = customer.request(.acquisition)
                _ = customer.request(.services)
            }
            if row == "expired" || row == "updated" { customer.wait(days: 366) }
            if row == "updated" { customer.receive(.update) }
            #expect(customer.request(type).word == expected, "\(row) \(environment) \(type)")
        }
    }

    @Test("The first install creates both types, a later one on any device no ACQUISITION (TK-32, TK-40)")
    func install() {
        var customer = SimulatedCustomer(.production)
        #expect(customer.receive(.install).map(\.tokenType) == [.acquisition, .services])
        #expect(customer.receive(.install).isEmpty)
        customer.wait(days: 366)
        #expect(customer.receive(.install).map(\.tokenType) == [.services])
        #expect(customer.request(.acquisition).token == nil)
    }

    @Test(
        "Update and redownload create SERVICES unless one is active, never ACQUISITION (TK-32)",
        arguments: [AppEvent.update, .redownload]
    )
    func laterEvents(_ event: AppEvent) {
        var customer = SimulatedCustomer(.production)
        #expect(customer.receive(event).map(\.tokenType) == [.services])
        #expect(customer.receive(event).isEmpty)
        // The app was on a device before, so a later install is not the first.
        customer.wait(days: 366)
        #expect(customer.receive(.install).map(\.tokenType) == [.services])
        #expect(customer.request(.acquisition) == .none(.installedBefore))
    }

    @Test("An install before the app was configured leaves only SERVICES, by the update (TK-33)")
    func unconfigured() {
        var customer = SimulatedCustomer(.production)
        #expect(customer.receive(.install, isConfigured: false).isEmpty)
        #expect(customer.request(.services) == .none(.noEventYet))
        #expect(customer.receive(.update).map(\.tokenType) == [.services])
        #expect(customer.request(.acquisition) == .none(.installedBefore))
        #expect(customer.request(.services).word == "returned")
    }

    @Test("Events create nothing in the sandbox, the first request does (TK-34)", arguments: AppEvent.allCases)
    func sandboxEvents(_ event: AppEvent) {
        var customer = SimulatedCustomer(.sandbox)
        #expect(customer.receive(event).isEmpty)
        customer.wait(milliseconds: 5)
        let token = customer.request(.acquisition).token
        #expect(token?.tokenCreationDate == customer.now)
        #expect(token?.environment == .sandbox)
    }

    @Test("A token is active up to its expiration, that millisecond included (TK-35)", arguments: [0, 1] as [Int64])
    func bounds(_ late: Int64) throws {
        var customer = SimulatedCustomer(.sandbox)
        let first = try #require(customer.request(.services).token)
        #expect(first.tokenExpirationDate == customer.now + .hours(1))
        #expect(customer.request(.services) == .current(first))
        customer.wait(milliseconds: 3_600_000 + late)
        #expect(customer.request(.services).word == (late == 0 ? "returned" : "created"))
    }

    @Test("A refreshed token differs in its id alone, and all of a period are valid (TK-36, TK-41)")
    func refreshed() throws {
        var customer = SimulatedCustomer(.sandbox)
        customer.settings.refreshPolicy = .refreshed
        let first = try #require(customer.request(.acquisition).token)
        var tokens = [first]
        for _ in 0..<3 {
            customer.wait(milliseconds: 1_000)
            var token = try #require(customer.request(.acquisition).token)
            tokens.append(token)
            token.externalPurchaseId = first.externalPurchaseId
            #expect(token == first)
        }
        #expect(Set(tokens.map(\.externalPurchaseId)).count == 4)
        func active(_ moment: Timestamp) -> [ExternalPurchaseToken] {
            customer.periods.activeTokens(of: customer.account, for: SimulatedCustomer.app, in: .sandbox, at: moment)
        }
        #expect(active(customer.now) == tokens)
        #expect(active(first.tokenCreationDate - .milliseconds(1)).isEmpty)
        #expect(active(first.tokenCreationDate + .milliseconds(3_600_001)).isEmpty)
    }

    @Test("The random policy mixes both, the same way for the same seed (TK-36)")
    func randomRefresh() {
        func ids(_ seed: UInt64) -> [ExternalPurchaseId?] {
            var customer = SimulatedCustomer(.sandbox)
            customer.settings.refreshPolicy = .random(seed: seed)
            return (0..<40).map { _ in customer.request(.services).token?.externalPurchaseId }
        }
        #expect(ids(7) == ids(7))
        #expect(ids(7) != ids(8))
        #expect((2...39).contains(Set(ids(7)).count))
    }

    @Test("There is one ACQUISITION period per customer and app, another account has its own (TK-37)")
    func acquisitionOnce() throws {
        var customer = SimulatedCustomer(.sandbox)
        let account = customer.account
        let first = try #require(customer.request(.acquisition).token)
        customer.wait(days: 1)
        let end = try #require(first.tokenExpirationDate)
        #expect(customer.request(.acquisition) == .none(.exhausted(at: end)))
        customer.account = customer.periods.openAccount()
        #expect(customer.request(.acquisition).word == "created")
        let other = App(appAppleId: 2, bundleId: "com.acme.other")
        let elsewhere = customer.periods.request(
            .acquisition,
            by: account,
            for: other,
            in: .sandbox,
            at: customer.now,
            drawing: UUID()
        )
        #expect(elsewhere.token?.bundleId == "com.acme.other")
    }

    @Test("After SERVICES expired production waits for an event, the sandbox begins anew (TK-38)")
    func renewal() throws {
        var production = SimulatedCustomer(.production)
        let first = try #require(production.receive(.update).first)
        production.wait(days: 366)
        #expect(production.request(.services) == .none(.expired(at: try #require(first.tokenExpirationDate))))
        let second = try #require(production.receive(.redownload).first)
        #expect(second.externalPurchaseId != first.externalPurchaseId)
        #expect(production.request(.services) == .current(second))
        var sandbox = SimulatedCustomer(.sandbox)
        let ids = (0..<3).compactMap { _ in
            sandbox.wait(days: 1)
            return sandbox.request(.services).token?.externalPurchaseId
        }
        #expect(Set(ids).count == 3)
    }

    @Test("Lifetimes are 365 days, 180 days and an hour unless set; a change spares older tokens (TK-39, D4)")
    func lifetimes() throws {
        var production = SimulatedCustomer(.production)
        let spans = production.receive(.install).map { token in
            token.tokenExpirationDate.map { token.tokenCreationDate.duration(to: $0).wholeDays }
        }
        #expect(spans == [180, 365])
        var sandbox = SimulatedCustomer(.sandbox)
        let before = try #require(sandbox.request(.acquisition).token)
        sandbox.settings.sandboxLifetime = .minutes(1)
        #expect(sandbox.request(.acquisition) == .current(before))
        let after = try #require(sandbox.request(.services).token)
        #expect(after.tokenExpirationDate == sandbox.now + .minutes(1))
        production.wait(days: 400)
        production.settings.servicesLifetime = .days(1)
        let renewed = try #require(production.receive(.update).first)
        #expect(renewed.tokenExpirationDate == production.now + .days(1))
    }

    @Test(
        "Whatever the lifetime, a minted token decodes strictly (TK-27)",
        arguments: [Int64.min, -1, 0, 1, .max]
    )
    func extremeLifetimes(_ lifetime: Int64) throws {
        var customer = SimulatedCustomer(.sandbox)
        customer.settings.sandboxLifetime = .milliseconds(lifetime)
        customer.settings.transactionTokenLifetime = .milliseconds(lifetime)
        for type in [TokenType.acquisition, .services, .inApp, .linkOut] {
            let token = try #require(customer.request(type).token)
            #expect(try ExternalPurchaseToken.decode(token.encoded(), mode: .strict).token == token)
        }
    }

    @Test("Periods are the customer's on all devices; sandbox and production do not meet (TK-40)")
    func separateStates() throws {
        var customer = SimulatedCustomer(.production)
        let phone = customer.periods.addDevice(of: customer.account)
        let tablet = customer.periods.addDevice(of: customer.account)
        #expect(phone != tablet)
        #expect(customer.periods.account(on: phone) == customer.periods.account(on: tablet))
        let created = customer.receive(.install)
        #expect(customer.request(.services) == .current(created[1]))
        customer.environment = .sandbox
        #expect(customer.request(.services).word == "created")
        #expect(customer.request(.acquisition).word == "created")
        customer.environment = .production
        #expect(customer.request(.acquisition) == .current(created[0]))
    }

    @Test(
        "Plain and transaction tokens are minted at every request and do not expire (TK-30, TK-45)",
        arguments: [nil, TokenType.inApp, .linkOut]
    )
    func everyRequest(_ type: TokenType?) throws {
        var customer = SimulatedCustomer(.production)
        let tokens = (0..<5).compactMap { _ in customer.request(type).token }
        #expect(Set(tokens.map(\.externalPurchaseId)).count == 5)
        #expect(tokens.allSatisfy { $0.tokenType == type && $0.tokenExpirationDate == nil })
        customer.settings.transactionTokenLifetime = .seconds(1)
        let expiring = try #require(customer.request(type).token)
        #expect(expiring.tokenExpirationDate == (type == nil ? nil : customer.now + .seconds(1)))
    }

    @Test("With a clock set to before the only ACQUISITION period none is active")
    func clockSetBack() throws {
        var customer = SimulatedCustomer(.sandbox)
        let token = try #require(customer.request(.acquisition).token)
        customer.wait(milliseconds: -1)
        #expect(customer.request(.acquisition) == .none(.notBegun(until: token.tokenCreationDate)))
    }

    @Test(
        "Ids are new lower-case UUIDs, with the prefix SANDBOX_ in the sandbox (TK-26)",
        arguments: AppStoreEnvironment.allCases
    )
    func ids(_ environment: AppStoreEnvironment) throws {
        var customer = SimulatedCustomer(environment)
        let id = try #require(customer.request(.inApp).token?.externalPurchaseId)
        #expect(id.environment == environment)
        #expect(id.rawValue.hasSuffix("01000000-0000-4000-8000-000000000000"))
    }
}
