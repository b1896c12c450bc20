import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("Changes of sales that Apple has not accepted")
struct SaleChangeTests {
    enum Kind: String, Sendable, CaseIterable {
        case memory, sqlite
    }

    private static func store(_ kind: Kind) throws -> any LedgerStore {
        switch kind {
        case .memory: return MemoryLedgerStore.empty()
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appending(path: "sale-changes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try SQLiteLedgerStore(path: folder.appending(path: "l.sqlite").path)
        }
    }

    private static let amends = #""amends":true,"by":"kim","#

    private func void(_ id: SaleId, at merchant: Merchant) async throws -> SaleReceipt {
        try await merchant.system.voidSale(id, body: JSONReader().read(#"{"by":"kim","reason":"a test"}"#))
    }

    private func token(_ token: ExternalPurchaseToken, at merchant: Merchant) async throws -> StoredToken {
        try #require(try await merchant.system.lists.tokens(withId: token.externalPurchaseId).first)
    }

    private func sale(_ id: SaleId, at merchant: Merchant) async throws -> StoredSale {
        try #require(try await merchant.system.lists.sales(LedgerPage()).first { $0.sale.saleId == id })
    }

    // MARK: Links

    @Test(
        "The link that a wrong customer made goes with it, and other sales find their own token",
        arguments: Kind.allCases
    )
    func wrongCustomer(_ kind: Kind) async throws {
        let merchant = Merchant(store: try Self.store(kind))
        let end = Merchant.noon + .days(365)
        let berts = Merchant.token("b", type: .services, expires: end)
        let annas = Merchant.token("a", type: .services, expires: end)
        try await merchant.take(berts)
        try await merchant.take(annas, customer: "anna")
        merchant.clock.advance(seconds: 1)
        // Bert's sale says by mistake that Anna bought it: his token becomes hers.
        try await merchant.sell(Merchant.purchase("s", on: berts, more: #""customerId":"anna","#))
        #expect(try await token(berts, at: merchant).customerId == "anna")
        let right = Merchant.purchase("s", on: berts, more: Self.amends + #""customerId":"bert","#)
        let receipt = try await merchant.sell(right)
        #expect(receipt.sale.attribution.externalPurchaseId == berts.externalPurchaseId)
        #expect(receipt.sale.attribution.flags.isEmpty)
        #expect(try await token(berts, at: merchant).customerId == "bert")
        #expect(try await token(annas, at: merchant).customerId == "anna")
        try await merchant.sell(Merchant.purchase("t", on: nil, more: #""customerId":"anna","#))
        try await merchant.sell(Merchant.purchase("u", on: nil, more: #""customerId":"bert","#))
        #expect(try await sale("t", at: merchant).attribution.externalPurchaseId == annas.externalPurchaseId)
        #expect(try await sale("u", at: merchant).attribution.externalPurchaseId == berts.externalPurchaseId)
        let found = try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.sales(.customer("bert", of: Merchant.shop), LedgerPage()).map(\.sale.saleId)
        }
        #expect(found == ["s", "u"])
    }

    @Test("A link that a token's own arrival made stays, whatever a sale says no more", arguments: Kind.allCases)
    func statedLink(_ kind: Kind) async throws {
        let merchant = Merchant(store: try Self.store(kind))
        let plain = Merchant.token()
        try await merchant.take(plain, customer: "anna", checkout: "k")
        try await merchant.sell(Merchant.purchase("s", on: plain, more: #""customerId":"anna","checkoutId":"k","#))
        _ = try await void("s", at: merchant)
        #expect(try await token(plain, at: merchant).customerId == "anna")
        let checkout = try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.checkout("k", of: Merchant.shop)
        }
        #expect(checkout?.externalPurchaseId == plain.externalPurchaseId)
        #expect(checkout?.customerId == "anna")
    }

    @Test("What another sale supports stays when one of two is voided", arguments: Kind.allCases)
    func supportedLink(_ kind: Kind) async throws {
        let merchant = Merchant(store: try Self.store(kind))
        let plain = Merchant.token()
        try await merchant.take(plain)
        for id in ["s", "t"] {
            try await merchant.sell(Merchant.purchase(id, on: plain, more: #""customerId":"anna","#))
        }
        _ = try await void("s", at: merchant)
        #expect(try await token(plain, at: merchant).customerId == "anna")
        _ = try await void("t", at: merchant)
        #expect(try await token(plain, at: merchant).customerId == nil)
    }

    @Test("A person settles whose a token is, and the contradiction is gone", arguments: Kind.allCases)
    func settledCustomer(_ kind: Kind) async throws {
        let merchant = Merchant(store: try Self.store(kind))
        let end = Merchant.noon + .days(365)
        let services = Merchant.token("a", type: .services, expires: end)
        try await merchant.take(services, customer: "anna")
        let first = try await merchant.sell(Merchant.purchase("s", on: services, more: #""customerId":"bert","#))
        #expect(first.sale.attribution.flags == [.customerContradiction])
        let body = try JSONReader().read(#"{"customerId":"bert","by":"kim","reason":"Bert borrowed the phone"}"#)
        let settled = try await merchant.system.setCustomer(of: services.externalPurchaseId, body: body)
        #expect(settled.customerId == "bert")
        #expect(try await sale("s", at: merchant).attribution.flags.isEmpty)
        let entry = try #require(
            try await merchant.system.lists.audit(LedgerPage(limit: 1_000)).last { $0.kind == "customer-settled" }
        )
        let content = try JSONReader().read(entry.content).objectValue
        #expect(content?["by"]?.stringValue == "kim")
        #expect(content?["reason"]?.stringValue == "Bert borrowed the phone")
    }

    // MARK: What waits

    @Test(
        "A change that waits outlives a restart, and is made or offered by what Apple says",
        arguments: [true, false]
    )
    func restart(isKept: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sale-changes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "l.sqlite").path
        let clock = Merchant.Clock()
        let apple = ScriptedApple(clock: clock)
        func ask() async throws {
            let store = try SQLiteLedgerStore(path: path)
            let before = Merchant(store: store, apple: apple, clock: clock)
            let token = Merchant.token()
            try await before.take(token)
            apple.fail(isKept ? .dropAfterAccept : .answer(.noAnswer(reason: "gone")))
            try await before.sell(Merchant.purchase("s", on: token))
            await before.system.sender.runUntilIdle()
            let waiting = try await before.sell(
                Merchant.purchase("s", on: token, more: Self.amends).replacing("9.99", with: "4.99")
            )
            #expect(waiting.isWaiting)
            try store.close()
        }
        // The lock of the file goes with the store.
        try await ask()
        let after = Merchant(store: try SQLiteLedgerStore(path: path), apple: apple, clock: clock)
        for _ in 0..<4 {
            clock.advance(seconds: 100)
            await after.system.sender.runUntilIdle()
        }
        let items = try await after.system.lists.review(LedgerPage())
        if isKept {
            #expect(apple.item("s")?.amountTaxExclusive == 8_256)
            #expect(items.map(\.kind) == [.saleChanged])
            #expect(try await after.system.lists.corrections(LedgerPage()).map(\.requestedBy) == ["kim"])
        } else {
            #expect(apple.item("s")?.amountTaxExclusive == 4_124)
            #expect(items.isEmpty)
            #expect(apple.acceptedReports == 1)
        }
        let left = try await after.store.read { ledger throws(LedgerError) in
            try ledger.waitingSaleChanges(LedgerPage())
        }
        #expect(left.isEmpty)
    }

    @Test("A later change takes the place of one that waits; a void that waits is not amended")
    func superseded() async throws {
        let merchant = Merchant()
        let token = Merchant.token()
        try await merchant.take(token)
        merchant.apple.fail(.answer(.serverError(status: 500)))
        try await merchant.sell(Merchant.purchase("s", on: token))
        await merchant.system.sender.runUntilIdle()
        for amount in ["5.00", "6.00"] {
            let body = Merchant.purchase("s", on: token, more: Self.amends).replacing("9.99", with: amount)
            #expect(try await merchant.sell(body).isWaiting)
        }
        #expect(try await void("s", at: merchant).isWaiting)
        await #expect(throws: RequestError.self) {
            try await merchant.sell(Merchant.purchase("s", on: token, more: Self.amends))
        }
        for _ in 0..<4 {
            merchant.clock.advance(seconds: 100)
            await merchant.system.sender.runUntilIdle()
        }
        #expect(try await sale("s", at: merchant).isVoid)
        #expect(merchant.apple.acceptedReports == 0)
        let outcomes = try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.changes(of: "s", app: Merchant.shop).map(\.closing?.outcome)
        }
        #expect(outcomes == [.superseded, .superseded, .applied])
    }

    @Test("A report that waits its turn is taken back; the other sales of it go out with the amended one")
    func rateLimited() async throws {
        let merchant = Merchant()
        let token = Merchant.token()
        try await merchant.take(token)
        merchant.apple.fail(.answer(.rateLimited(until: nil)))
        try await merchant.sell(Merchant.purchase("s", on: token))
        try await merchant.sell(Merchant.purchase("t", on: token))
        await merchant.system.sender.runUntilIdle()
        let receipt = try await merchant.sell(
            Merchant.purchase("s", on: token, more: Self.amends).replacing("9.99", with: "4.99")
        )
        #expect(!receipt.isWaiting)
        merchant.clock.advance(seconds: 400)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.amountTaxExclusive == 4_124)
        #expect(merchant.apple.item("t")?.amountTaxExclusive == 8_256)
        #expect(try await merchant.reports().map(\.state) == [.withdrawn, .accepted])
    }

    // MARK: What refers to a sale

    @Test("A sale that others take back is not voided before them, and its currency stays", arguments: Kind.allCases)
    func dependants(_ kind: Kind) async throws {
        let merchant = Merchant(store: try Self.store(kind))
        let token = Merchant.token()
        try await merchant.take(token)
        try await merchant.sell(Merchant.purchase("s", on: token))
        try await merchant.sell(Merchant.refund("r", of: "s", "3.00"))
        await #expect {
            _ = try await void("s", at: merchant)
        } throws: { error in
            if case RequestError.impossible(let detail) = error { detail.hasSuffix(": r") } else { false }
        }
        let dollars = Merchant.purchase("s", on: token, more: Self.amends).replacing("EUR", with: "USD")
        #expect(await merchant.faults(of: dollars).map(\.path) == ["/amount/currency"])
        #expect(try await void("r", at: merchant).sale.isVoid)
        #expect(try await void("s", at: merchant).sale.isVoid)
    }

    @Test(
        "Every field of a sale that is not reported may be amended, and it is found by the new ones",
        arguments: Kind.allCases
    )
    func everyField(_ kind: Kind) async throws {
        let merchant = Merchant(store: try Self.store(kind))
        let (first, second) = (Merchant.token(), Merchant.token("b"))
        try await merchant.take(first)
        try await merchant.take(second)
        try await merchant.sell(Merchant.purchase("buy", on: first))
        try await merchant.sell(Merchant.purchase("s", on: first))
        let subscription = """
            {"saleId":"s","bundleId":"com.example.shop","type":"subscription","occurredAt":"2026-11-20T10:00:00Z",
            "amends":true,"by":"kim","externalPurchaseId":"\(second.externalPurchaseId)","customerId":"anna",
            "subscriptionId":"sub","period":{"start":"2026-11-20T10:00:00Z","end":"2026-12-20T10:00:00Z"},
            "productId":"gold","amount":{"currency":"USD","inclusive":"5.00","tax":"0.50","taxCountry":"USA"}}
            """
        #expect(
            try await merchant.sell(subscription).sale.attribution.externalPurchaseId == second.externalPurchaseId
        )
        let refund = Merchant.refund("s", of: "buy", "2.00").replacing(
            #""refundOf""#,
            with: Self.amends + #""refundOf""#
        )
        let ten = try #require(Timestamp(rfc3339: "2026-11-20T10:00:00Z"))
        let found = try await merchant.store.read { ledger throws(LedgerError) in
            [
                try ledger.sales(.subscription("sub", of: Merchant.shop), LedgerPage()),
                try ledger.sales(.customer("anna", of: Merchant.shop), LedgerPage()),
                try ledger.sales(.token(second.externalPurchaseId, of: Merchant.shop), LedgerPage()),
                try ledger.sales(
                    of: Merchant.shop,
                    occurredFrom: ten,
                    until: ten + .milliseconds(1),
                    TimePage()
                ),
            ].map { $0.map(\.sale.saleId) }
        }
        #expect(found == Array(repeating: ["s"], count: 4))
        #expect(try await merchant.sell(refund).sale.attribution.externalPurchaseId == first.externalPurchaseId)
        let (refunds, versions, subscribed) = try await merchant.store.read { ledger throws(LedgerError) in
            (
                try ledger.refunds(of: "buy", app: Merchant.shop).map(\.sale.saleId),
                try ledger.versions(of: "s", app: Merchant.shop),
                try ledger.sales(.subscription("sub", of: Merchant.shop), LedgerPage()).count
            )
        }
        #expect(refunds == ["s"])
        #expect(subscribed == 0)
        #expect(versions.map(\.sale.typeName) == ["purchase", "subscription", "refund"])
        #expect(versions.map(\.sale.customerId) == [nil, "anna", nil])
        #expect(versions.map(\.by) == [nil, "kim", "kim"])
        #expect(versions.map(\.word) == ["arrived", "amended", "amended"])
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.eventType == .refund)
        #expect(merchant.apple.item("buy")?.netAmountTaxExclusive == merchant.apple.item("s")?.netAmountTaxExclusive)
    }

    @Test("A sale that was given up after its refusal is amended and sent again")
    func resolved() async throws {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        let merchant = Merchant(settings: settings)
        let token = Merchant.token()
        try await merchant.take(token)
        let early = Merchant.purchase("s", on: token).replacing("2026-11-20T11", with: "2026-11-10T11")
        try await merchant.sell(early)
        await merchant.system.sender.runUntilIdle()
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        _ = try await merchant.system.review.decide(
            ReviewDecision(.resolve, by: "kim", note: "later"),
            on: item.sequence
        )
        #expect(try await sale("s", at: merchant).attribution.flags.contains(.reportRefused))
        try await merchant.sell(Merchant.purchase("s", on: token, more: Self.amends))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.amountTaxExclusive == 8_256)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
    }

    // MARK: Completed

    struct Completion: Sendable, CustomTestStringConvertible {
        let lacks: String
        let has: String
        var testDescription: String { lacks }
    }

    private static let whole = Merchant.purchase(
        "s",
        on: Merchant.token(),
        more: #""customerId":"anna","checkoutId":"k","#
    )

    @Test(
        "Each field that a sale may lack is added by a repetition (RR-45, RR-47)",
        arguments: [
            Completion(lacks: #""customerId":"anna","#, has: "customer"),
            Completion(lacks: #""checkoutId":"k","#, has: "checkout"),
            Completion(lacks: #""taxRate":"21","#, has: "tax"),
            Completion(lacks: #","taxCountry":"NLD""#, has: "tax country"),
            Completion(lacks: #""externalPurchaseId":"4d3f0000-0000-4000-8000-00000000000a","#, has: "token"),
        ]
    )
    func completed(_ completion: Completion) async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        let less = Self.whole.replacing(completion.lacks, with: "")
        try #require(less != Self.whole)
        try await merchant.sell(less)
        let receipt = try await merchant.sell(Self.whole)
        #expect(!receipt.isNew)
        #expect(receipt.sale.version == 2)
        #expect(receipt.sale.attribution.state == .planned)
        let again = [try await merchant.sell(less), try await merchant.sell(Self.whole)]
        #expect(again.map(\.sale.version) == [2, 2])
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.amountTaxExclusive == 8_256)
    }

    // MARK: The tax of a refund

    @Test(
        "A refund's stated tax is its share of the purchase's, within one minor unit (RR-46)",
        arguments: [
            // 21 % of 9.99: 1.7338…, of 1.00: 0.1735…
            ("1.00", "1.00", false), ("1.00", "0.17", true), ("1.00", "0.18", true), ("1.00", "0.16", true),
            ("1.00", "0.19", false), ("1.00", "0.15", false), ("9.99", "1.73", true), ("9.99", "1.75", false),
            ("1.00", "0.00", false),
            // All of the tax, and nothing else.
            ("1.73", "1.73", true), ("1.70", "1.70", false), ("3.00", "1.73", false),
        ]
    )
    func refundTax(_ inclusive: String, _ tax: String, _ fits: Bool) async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        let refund = Merchant.refund("r", of: "s", inclusive)
            .replacing(#""inclusive":"\#(inclusive)""#, with: #""inclusive":"\#(inclusive)","tax":"\#(tax)""#)
        #expect(try await merchant.sell(refund).flags == (fits ? [] : [.refundTaxDiffers]))
        if inclusive == "1.00", tax == "1.00" {
            let detail = try #require(try await merchant.system.lists.review(LedgerPage()).first?.detail)
            for figure in ["is 1.00 EUR", "0.17 EUR", "0.01"] { #expect(detail.contains(figure), "\(detail)") }
        }
    }
}
