import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Synchronization
import Testing

@testable import Reporting

/// A ledger that refuses one token, as a database does that cannot store one of its texts.
private final class RefusingStore: LedgerStore {
    private let base: any LedgerStore
    private let token: ExternalPurchaseId
    private let isRefusing = Mutex(true)

    init(_ base: any LedgerStore, _ token: ExternalPurchaseId) { (self.base, self.token) = (base, token) }

    func refuses(_ value: Bool) { isRefusing.withLock { $0 = value } }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value { try await base.read(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value { try await base.write(body) }

    func write<Value: Sendable>(
        expecting rows: ExpectedRows?,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        if isRefusing.withLock(\.self), rows?.tokens.contains(token) == true {
            throw .failed("a text cannot be stored")
        }
        return try await base.write(body)
    }
}

@Suite("Tokens that arrive")
struct TokenIntakeTests {
    @Test("A token is stored once, and its repetition is told the same checkout (TK-67)")
    func idempotence() async throws {
        let merchant = Merchant()
        let first = try await merchant.take(Merchant.token(environment: .sandbox))
        let again = try await merchant.take(Merchant.token(environment: .sandbox))
        #expect(first.isNew)
        #expect(!again.isNew)
        #expect(again.token == first.token)
        #expect(first.token.state == .unconfirmed)
        #expect(first.token.scope.environment == .sandbox)
        #expect(try await merchant.system.lists.tokens(LedgerPage()) == [first.token])
    }

    @Test("Of many arrivals at once one is new, on every store", arguments: [true, false])
    func parallel(_ isOnDisk: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let merchant = Merchant(store: isOnDisk ? try SQLiteLedgerStore(path: path) : MemoryLedgerStore.empty())
        let receipts = try await withThrowingTaskGroup(of: TokenReceipt.self) { group in
            for _ in 1...50 { group.addTask { try await merchant.take(Merchant.token()) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.count { $0.isNew } == 1)
        #expect(Set(receipts.map(\.token.checkoutId)).count == 1)
        #expect(try await merchant.system.lists.tokens(LedgerPage()).count == 1)
    }

    @Test("A token that does not decode is refused by name and kept aside (TK-68)")
    func undecodable() async throws {
        let merchant = Merchant()
        for _ in 1...2 {
            await #expect(throws: RequestError.self) {
                try await merchant.system.tokens.receive(TokenArrival(text: "%%%", source: .website))
            }
        }
        let aside = try await merchant.system.lists.quarantinedTokens(LedgerPage())
        #expect(aside.map(\.text) == ["%%%"])
        #expect(aside.map(\.reason) == [.undecodable])
        #expect(aside.first?.detail.contains("not-base64url") == true)
        #expect(try await merchant.system.lists.tokens(LedgerPage()).isEmpty)
    }

    @Test("A zero byte never lets two ids meet, and is in no text that is stored", arguments: ["type", "id", "app"])
    func zeroBytes(_ field: String) async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        var forged = Merchant.token()
        switch field {
        case "type": forged.tokenType = TokenType(rawValue: "SERVICES\u{0}")
        case "id": forged.externalPurchaseId = ExternalPurchaseId("\(forged.externalPurchaseId)\u{0}")
        default: forged.bundleId = BundleId("com.evil\u{0}x")
        }
        let text = forged.encoded()
        await #expect(throws: RequestError.self) {
            try await merchant.system.tokens.receive(TokenArrival(text: text, source: .website))
        }
        let aside = try await merchant.system.lists.quarantinedTokens(LedgerPage())
        #expect(aside.map(\.reason) == [.undecodable])
        #expect(!aside.contains { $0.detail.utf8.contains(0) || $0.text.utf8.contains(0) })
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.flags) == [[]])
    }

    @Test("A token of another app is kept as foreign and never reported (TK-75)", arguments: [true, false])
    func foreign(_ differsByBundle: Bool) async throws {
        let merchant = Merchant()
        var token = Merchant.token()
        if differsByBundle { token.bundleId = "com.example.other" } else { token.appAppleId += 1 }
        let text = token.encoded()
        await #expect {
            try await merchant.system.tokens.receive(TokenArrival(text: text, source: .app))
        } throws: { error in
            guard case RequestError.invalid(let faults) = error else { return false }
            return faults.map(\.path) == ["/token"] && faults[0].message.contains("com.example.shop")
        }
        #expect(try await merchant.system.lists.quarantinedTokens(LedgerPage()).map(\.reason) == [.foreign])
        let sale = try await merchant.sell(Merchant.purchase("s", on: token))
        #expect(sale.sale.attribution.flags == [.noToken])
    }

    @Test("A token of an environment without a base URL is kept and held")
    func noBaseURL() async throws {
        let merchant = Merchant(environments: [.sandbox])
        let receipt = try await merchant.take(Merchant.token(environment: .production))
        #expect(receipt.token.flags == [.noBaseURL])
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().isEmpty)
    }

    @Test("A token made more than five minutes ahead waits until then (TK-75)")
    func suspicious() async throws {
        let merchant = Merchant()
        let fine = Merchant.token("a", made: Merchant.noon + .minutes(5))
        let early = Merchant.token("b", made: Merchant.noon + .milliseconds(300_001))
        #expect(try await merchant.take(fine).token.flags.isEmpty)
        #expect(try await merchant.take(early).token.flags == [.suspicious])
        try await merchant.sell(Merchant.purchase("s", on: early))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().isEmpty)
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
    }

    /// Public arrivals name a confirmed token for baskets that have each a token of their own, which Apple has not
    /// answered yet (TK-78).
    ///
    /// - Parameter environment: of the confirmed token.
    @Test(
        "A confirmed token takes the sale of one basket, a sandbox token none, and one that claims several neither",
        arguments: [(.production, 1), (.production, 3), (.sandbox, 1), (.sandbox, 3)] as [(AppStoreEnvironment, Int)]
    )
    func claims(_ environment: AppStoreEnvironment, _ count: Int) async throws {
        let merchant = Merchant()
        merchant.apple.allowEarlySales()
        func claim(_ token: ExternalPurchaseToken, _ number: Int) async throws {
            merchant.apple.know(token)
            let checkout = CheckoutId("k\(number)")
            let arrival = TokenArrival(text: token.encoded(), source: .website, checkoutId: checkout)
            _ = try await merchant.system.tokens.receive(arrival)
        }
        func own(_ number: Int) -> ExternalPurchaseToken { Merchant.token(Character("\(number)")) }
        func places() async throws -> [ExternalPurchaseId?] {
            try await merchant.store.read { ledger throws(LedgerError) in
                var places: [ExternalPurchaseId?] = []
                for number in 1...count {
                    let sale = try ledger.sale(SaleId("s\(number)"), of: Merchant.shop)
                    places.append(sale?.standing == .held ? nil : sale?.attribution.externalPurchaseId)
                }
                return places
            }
        }
        let other = Merchant.token("f", environment: environment)
        merchant.apple.know(other)
        try await claim(other, 9)
        try await merchant.sell(Merchant.purchase("other", on: other))
        await merchant.system.sender.runUntilIdle()
        for number in 1...count {
            try await claim(own(number), number)
            try await claim(other, number)
        }
        for number in 1...count {
            let more = #""checkoutId":"k\#(number)","#
            try await merchant.sell(Merchant.purchase("s\(number)", on: nil, more: more))
        }
        let owns = (1...count).map { Optional(own($0).externalPurchaseId) }
        let expected: [ExternalPurchaseId?] =
            switch environment {
            case .sandbox: owns
            case .production: Array(repeating: count == 1 ? other.externalPurchaseId : nil, count: count)
            }
        #expect(try await places() == expected)
        for _ in 1...9 {
            merchant.clock.advance(by: .days(5))
            await merchant.system.sender.runUntilIdle()
        }
        #expect(try await places() == (count == 1 ? expected : owns))
    }

    @Test("The first tie of customer and checkout stays; a contradiction is kept as a flag")
    func ties() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token("a"), customer: "first", checkout: "c")
        let again = try await merchant.take(Merchant.token("a"), customer: "second")
        #expect(again.token.customerId == "first")
        #expect(again.token.flags == [.customerContradiction])
        let other = try await merchant.take(Merchant.token("b"), checkout: "c")
        #expect(other.token.flags == [.checkoutContradiction])
        let checkout = try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.checkout("c", of: Merchant.shop)
        }
        #expect(checkout?.externalPurchaseId == Merchant.token("a").externalPurchaseId)
    }

    @Test(
        "Fields of the request are checked",
        arguments: [
            (#"[]"#, ""), (#"{}"#, "/token"), (#"{"token":5}"#, "/token"),
            (#"{"token":"x","storefront":"NL"}"#, "/storefront"),
            (#"{"token":"x","customerId":""}"#, "/customerId"), (#"{"token":"x","tokn":1}"#, "/tokn"),
        ]
    )
    func requests(_ body: String, _ path: String) async throws {
        let merchant = Merchant()
        let json = try JSONReader().read(body)
        await #expect {
            try await merchant.system.receiveToken(body: json)
        } throws: { error in
            guard case RequestError.invalid(let faults) = error else { return false }
            return faults.map(\.path) == [path]
        }
    }

    static func query(_ token: ExternalPurchaseToken) -> String {
        "from=mail&externalPurchaseToken=\(token.encoded())&bundleId=com.example.shop"
    }

    @Test("A visit is recorded, and its reload gets the same checkout (TK-65, TK-67)")
    func visits() async throws {
        let merchant = Merchant()
        #expect(await merchant.system.visits.receive(query: "from=mail") == .withoutToken)
        #expect(await merchant.system.visits.receive(query: "externalPurchaseToken=%25%25") == .quarantined)
        let first = await merchant.system.visits.receive(query: Self.query(Merchant.token()))
        let again = await merchant.system.visits.receive(query: Self.query(Merchant.token()))
        #expect(first.checkoutId != nil)
        #expect(again.checkoutId == first.checkoutId)
        let strange = await merchant.system.visits.receive(
            query: "externalPurchaseToken=\(Merchant.token("b").encoded())"
        )
        guard case .recorded(let receipt) = strange else {
            Issue.record("not recorded: \(strange)")
            return
        }
        #expect(receipt.token.flags == [.bundleMismatch])
        #expect(receipt.token.firstSeen.source == .website)
    }

    @Test("While the store fails a visit waits in the spool file and keeps its checkout")
    func spool() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let faults = LedgerFaultScript()
        let failing = FaultyLedgerStore(MemoryLedgerStore.empty(), faults)
        let merchant = Merchant(store: failing, spool: LandingSpool(path: path))
        faults.failWrite(at: .start)
        let outcome = await merchant.system.visits.receive(query: Self.query(Merchant.token()))
        guard case .spooled(let checkoutId) = outcome else {
            Issue.record("not spooled: \(outcome)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: path))
        // A second server takes it in, as after a restart.
        let restarted = Merchant(store: failing, apple: merchant.apple, spool: LandingSpool(path: path))
        await restarted.system.sender.runUntilIdle()
        #expect(try await restarted.system.lists.tokens(LedgerPage()).map(\.checkoutId) == [checkoutId])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A visit that the ledger refuses stays in the spool file, and those behind it are taken in")
    func refusedVisit() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let spool = LandingSpool(path: path)
        let (refused, taken) = (Merchant.token("a"), Merchant.token("b"))
        for (token, checkout) in [(refused, "first"), (taken, "second")] {
            let visit = LandingVisit(query: Self.query(token), checkoutId: CheckoutId(checkout), at: Merchant.noon)
            #expect(await spool.append(visit))
        }
        let store = RefusingStore(MemoryLedgerStore.empty(), refused.externalPurchaseId)
        let merchant = Merchant(store: store, spool: spool)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.checkoutId) == ["second"])
        #expect(await spool.waiting().visits.map(\.checkoutId) == ["first"])
        store.refuses(false)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.checkoutId).sorted() == ["first", "second"])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("When store and spool fail the redirect carries the parameters on")
    func forwarded() async throws {
        let faults = LedgerFaultScript()
        let failing = FaultyLedgerStore(MemoryLedgerStore.empty(), faults)
        let merchant = Merchant(store: failing, spool: LandingSpool(path: "/nowhere/at/all"))
        faults.failWrite(at: .start)
        let outcome = await merchant.system.visits.receive(query: Self.query(Merchant.token()))
        #expect(outcome == .forwarded(token: Merchant.token().encoded(), bundleId: Merchant.shop))
    }

    @Test("A line that was cut off does not damage the lines behind it")
    func tornLine() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data(#"{"query":"externalPurchaseTok"#.utf8).write(to: URL(fileURLWithPath: path))
        let spool = LandingSpool(path: path)
        let visit = LandingVisit(query: "q", checkoutId: "c", at: Merchant.noon)
        #expect(await spool.append(visit))
        let waiting = await spool.waiting()
        #expect(waiting.visits == [visit])
        #expect(await spool.append(visit))
        await spool.remove(waiting.visits.count, of: waiting)
        #expect(await spool.waiting().visits == [visit])
    }
}
