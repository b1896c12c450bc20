import ExternalPurchaseCore
import Foundation
import Testing
import TokenLifecycle

/// One customer with two devices, and a clock that tests advance.
struct Story {
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
        now = now.advanced(byMilliseconds: days * Timestamp.day + milliseconds)
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
            var story = Story(environment)
            if row != "before" {
                story.receive(.install)
                _ = story.request(.acquisition)
                _ = story.request(.services)
            }
            if row == "expired" || row == "updated" { story.wait(days: 366) }
            if row == "updated" { story.receive(.update) }
            #expect(story.request(type).word == expected, "\(row) \(environment) \(type)")
        }
    }

    @Test("The first install creates both types, a later one on any device no ACQUISITION (TK-32, TK-40)")
    func install() {
        var story = Story(.production)
        #expect(story.receive(.install).map(\.tokenType) == [.acquisition, .services])
        #expect(story.receive(.install).isEmpty)
        story.wait(days: 366)
        #expect(story.receive(.install).map(\.tokenType) == [.services])
        #expect(story.request(.acquisition).token == nil)
    }

    @Test(
        "Update and redownload create SERVICES unless one is active, never ACQUISITION (TK-32)",
        arguments: [AppEvent.update, .redownload]
    )
    func laterEvents(_ event: AppEvent) {
        var story = Story(.production)
        #expect(story.receive(event).map(\.tokenType) == [.services])
        #expect(story.receive(event).isEmpty)
        // The app was on a device before, so a later install is not the first.
        story.wait(days: 366)
        #expect(story.receive(.install).map(\.tokenType) == [.services])
        #expect(story.request(.acquisition) == .none(.installedBefore))
    }

    @Test("An install before the app was configured leaves only SERVICES, by the update (TK-33)")
    func unconfigured() {
        var story = Story(.production)
        #expect(story.receive(.install, isConfigured: false).isEmpty)
        #expect(story.request(.services) == .none(.noEventYet))
        #expect(story.receive(.update).map(\.tokenType) == [.services])
        #expect(story.request(.acquisition) == .none(.installedBefore))
        #expect(story.request(.services).word == "returned")
    }

    @Test("Events create nothing in the sandbox, the first request does (TK-34)", arguments: AppEvent.allCases)
    func sandboxEvents(_ event: AppEvent) {
        var story = Story(.sandbox)
        #expect(story.receive(event).isEmpty)
        story.wait(milliseconds: 5)
        let token = story.request(.acquisition).token
        #expect(token?.tokenCreationDate == story.now)
        #expect(token?.environment == .sandbox)
    }

    @Test("A token is active up to its expiration, that millisecond included (TK-35)", arguments: [0, 1] as [Int64])
    func bounds(_ late: Int64) throws {
        var story = Story(.sandbox)
        let first = try #require(story.request(.services).token)
        #expect(first.tokenExpirationDate == story.now.advanced(byMilliseconds: 3_600_000))
        #expect(story.request(.services) == .current(first))
        story.wait(milliseconds: 3_600_000 + late)
        #expect(story.request(.services).word == (late == 0 ? "returned" : "created"))
    }

    @Test("A refreshed token differs in its id alone, and all of a period are valid (TK-36, TK-41)")
    func refreshed() throws {
        var story = Story(.sandbox)
        story.settings.refreshPolicy = .refreshed
        let first = try #require(story.request(.acquisition).token)
        var tokens = [first]
        for _ in 0..<3 {
            story.wait(milliseconds: 1_000)
            var token = try #require(story.request(.acquisition).token)
            tokens.append(token)
            token.externalPurchaseId = first.externalPurchaseId
            #expect(token == first)
        }
        #expect(Set(tokens.map(\.externalPurchaseId)).count == 4)
        func active(_ moment: Timestamp) -> [ExternalPurchaseToken] {
            story.periods.activeTokens(of: story.account, for: Story.app, in: .sandbox, at: moment)
        }
        #expect(active(story.now) == tokens)
        #expect(active(first.tokenCreationDate.advanced(byMilliseconds: -1)).isEmpty)
        #expect(active(first.tokenCreationDate.advanced(byMilliseconds: 3_600_001)).isEmpty)
    }

    @Test("The random policy mixes both, the same way for the same seed (TK-36)")
    func randomRefresh() {
        func ids(_ seed: UInt64) -> [ExternalPurchaseId?] {
            var story = Story(.sandbox)
            story.settings.refreshPolicy = .random(seed: seed)
            return (0..<40).map { _ in story.request(.services).token?.externalPurchaseId }
        }
        #expect(ids(7) == ids(7))
        #expect(ids(7) != ids(8))
        #expect((2...39).contains(Set(ids(7)).count))
    }

    @Test("There is one ACQUISITION period per customer and app, another account has its own (TK-37)")
    func acquisitionOnce() throws {
        var story = Story(.sandbox)
        let customer = story.account
        let first = try #require(story.request(.acquisition).token)
        story.wait(days: 1)
        let end = try #require(first.tokenExpirationDate)
        #expect(story.request(.acquisition) == .none(.exhausted(at: end)))
        story.account = story.periods.openAccount()
        #expect(story.request(.acquisition).word == "created")
        let other = App(appAppleId: 2, bundleId: "com.acme.other")
        let elsewhere = story.periods.request(
            .acquisition,
            by: customer,
            for: other,
            in: .sandbox,
            at: story.now,
            drawing: UUID()
        )
        #expect(elsewhere.token?.bundleId == "com.acme.other")
    }

    @Test("After SERVICES expired production waits for an event, the sandbox begins anew (TK-38)")
    func renewal() throws {
        var production = Story(.production)
        let first = try #require(production.receive(.update).first)
        production.wait(days: 366)
        #expect(production.request(.services) == .none(.expired(at: try #require(first.tokenExpirationDate))))
        let second = try #require(production.receive(.redownload).first)
        #expect(second.externalPurchaseId != first.externalPurchaseId)
        #expect(production.request(.services) == .current(second))
        var sandbox = Story(.sandbox)
        let ids = (0..<3).compactMap { _ in
            sandbox.wait(days: 1)
            return sandbox.request(.services).token?.externalPurchaseId
        }
        #expect(Set(ids).count == 3)
    }

    @Test("Lifetimes are 365 days, 180 days and an hour unless set; a change spares older tokens (TK-39, D4)")
    func lifetimes() throws {
        var production = Story(.production)
        let spans = production.receive(.install).map { token in
            token.tokenExpirationDate.map { ($0.milliseconds - token.tokenCreationDate.milliseconds) / Timestamp.day }
        }
        #expect(spans == [180, 365])
        var sandbox = Story(.sandbox)
        let before = try #require(sandbox.request(.acquisition).token)
        sandbox.settings.sandboxLifetime = 60_000
        #expect(sandbox.request(.acquisition) == .current(before))
        let after = try #require(sandbox.request(.services).token)
        #expect(after.tokenExpirationDate == sandbox.now.advanced(byMilliseconds: 60_000))
        production.wait(days: 400)
        production.settings.servicesLifetime = Timestamp.day
        let renewed = try #require(production.receive(.update).first)
        #expect(renewed.tokenExpirationDate == production.now.advanced(byMilliseconds: Timestamp.day))
    }

    @Test(
        "Whatever the lifetime, a minted token decodes strictly (TK-27)",
        arguments: [Int64.min, -1, 0, 1, .max]
    )
    func extremeLifetimes(_ lifetime: Int64) throws {
        var story = Story(.sandbox)
        story.settings.sandboxLifetime = lifetime
        story.settings.transactionTokenLifetime = lifetime
        for type in [TokenType.acquisition, .services, .inApp, .linkOut] {
            let token = try #require(story.request(type).token)
            #expect(try ExternalPurchaseToken.decode(token.encoded(), mode: .strict).token == token)
        }
    }

    @Test("Periods are the customer's on all devices; sandbox and production do not meet (TK-40)")
    func separateStates() throws {
        var story = Story(.production)
        let phone = story.periods.addDevice(of: story.account)
        let tablet = story.periods.addDevice(of: story.account)
        #expect(phone != tablet)
        #expect(story.periods.account(on: phone) == story.periods.account(on: tablet))
        let created = story.receive(.install)
        #expect(story.request(.services) == .current(created[1]))
        story.environment = .sandbox
        #expect(story.request(.services).word == "created")
        #expect(story.request(.acquisition).word == "created")
        story.environment = .production
        #expect(story.request(.acquisition) == .current(created[0]))
    }

    @Test(
        "Plain and transaction tokens are minted at every request and do not expire (TK-30, TK-45)",
        arguments: [nil, TokenType.inApp, .linkOut]
    )
    func everyRequest(_ type: TokenType?) throws {
        var story = Story(.production)
        let tokens = (0..<5).compactMap { _ in story.request(type).token }
        #expect(Set(tokens.map(\.externalPurchaseId)).count == 5)
        #expect(tokens.allSatisfy { $0.tokenType == type && $0.tokenExpirationDate == nil })
        story.settings.transactionTokenLifetime = 1_000
        let expiring = try #require(story.request(type).token)
        #expect(expiring.tokenExpirationDate == (type == nil ? nil : story.now.advanced(byMilliseconds: 1_000)))
    }

    @Test("With a clock set to before the only ACQUISITION period none is active")
    func clockSetBack() throws {
        var story = Story(.sandbox)
        let token = try #require(story.request(.acquisition).token)
        story.wait(milliseconds: -1)
        #expect(story.request(.acquisition) == .none(.notBegun(until: token.tokenCreationDate)))
    }

    @Test(
        "Ids are new lower-case UUIDs, with the prefix SANDBOX_ in the sandbox (TK-26)",
        arguments: AppStoreEnvironment.allCases
    )
    func ids(_ environment: AppStoreEnvironment) throws {
        var story = Story(environment)
        let id = try #require(story.request(.inApp).token?.externalPurchaseId)
        #expect(id.environment == environment)
        #expect(id.rawValue.hasSuffix("01000000-0000-4000-8000-000000000000"))
    }
}
