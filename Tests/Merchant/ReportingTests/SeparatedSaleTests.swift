import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import ReportValidation
@testable import Reporting

@Suite("A refusal that names line items is about these only (SA-60, SA-73)")
struct SeparatedSaleTests {
    private static func merchant(
        preflight: Bool = false,
        store: (any LedgerStore)? = nil
    ) async throws -> Merchant {
        var settings = ReportingSettings()
        settings.isPreflightOn = preflight
        settings.rules.plainTokenRange = true
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sqlite = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        let merchant = Merchant(store: store ?? sqlite, settings: settings)
        try await merchant.take(Merchant.token())
        return merchant
    }

    /// A purchase from long before its token, which Apple's side refuses with code 36 and the pre-flight too.
    private static func early(_ id: String) -> String {
        Merchant.purchase(id, on: Merchant.token()).replacing("2026-11-20T11", with: "2026-11-10T11")
    }

    private static func good(_ id: String) -> String { Merchant.purchase(id, on: Merchant.token()) }

    private static func standings(_ merchant: Merchant) async throws -> [String: SaleStanding] {
        let sales = try await merchant.system.lists.sales(LedgerPage(limit: 500))
        return Dictionary(uniqueKeysWithValues: sales.map { ($0.sale.saleId.rawValue, $0.standing) })
    }

    private static func accepted(_ id: String, _ merchant: Merchant) async throws -> Int {
        let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
        return try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.lineItemVersions(LineItemId(id), in: scope)
        }.count { $0.reportState == .accepted }
    }

    private static func item(_ merchant: Merchant) async throws -> ReviewItem {
        let items = try await merchant.system.lists.review(LedgerPage())
        #expect(items.count == 1, "\(items)")
        return try #require(items.first)
    }

    private static func decide(
        _ merchant: Merchant,
        _ action: ReviewDecision.Action
    ) async throws -> ReviewOutcome {
        let item = try await item(merchant)
        let decision = ReviewDecision(action, by: "kim", note: "seen")
        let outcome = try await merchant.system.review.decide(decision, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        return outcome
    }

    @Test("Of an order of which one line was refused nothing goes out until a retry sends all lines in one report")
    func lineOfOrder() async throws {
        let merchant = try await Self.merchant()
        let refusal = ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "o/1")
        merchant.apple.fail(.answer(.rejected([refusal])))
        try await merchant.sell(OrderTests.two)
        try await merchant.sell(Self.good("z"))
        await merchant.system.sender.runUntilIdle()
        let lines = { () async throws -> [SaleStanding] in
            try await merchant.store.read { ledger throws(LedgerError) in
                try ledger.sales(.lines("o", of: Merchant.shop), LedgerPage())
            }.map(\.standing)
        }
        #expect(try await lines() == [.held, .held])
        #expect(try await Self.standings(merchant)["z"] == .reported)
        _ = try await Self.decide(merchant, .retry)
        #expect(try await lines() == [.reported, .reported])
        let last = try #require(try await merchant.reports().last)
        let items = try ReceivedReport.read(last.body).lineItems ?? []
        #expect(items.map(\.lineItemId) == ["o/1", "o/2"])
    }

    @Test("The named sale is held, the others of its report go out at once", arguments: [false, true])
    func separated(preflight: Bool) async throws {
        let merchant = try await Self.merchant(preflight: preflight)
        for sale in [Self.good("a"), Self.early("bad"), Self.good("z")] { try await merchant.sell(sale) }
        await merchant.system.sender.runUntilIdle()
        #expect(try await Self.standings(merchant) == ["a": .reported, "bad": .held, "z": .reported])
        let reports = try await merchant.reports()
        #expect(reports.map(\.state) == [.withdrawn, .accepted])
        #expect(reports[0].errors.map(\.saleId?.rawValue) == ["bad"])
        #expect(reports[0].errors.map(\.isLocal) == [preflight])
        #expect(merchant.apple.puts.count == (preflight ? 1 : 2))
        #expect(merchant.apple.gets.isEmpty)
        let item = try await Self.item(merchant)
        #expect(item.kind == .reportRefused)
        #expect(item.subject == .report(reports[0].requestIdentifier))
        #expect(item.detail.contains("sale bad: E36"), "\(item.detail)")
        #expect(!item.detail.contains("sale a"))
        for sale in ["a", "z"] { #expect(try await Self.accepted(sale, merchant) == 1) }
        // Later sales of the token do not wait for it.
        try await merchant.sell(Self.good("later"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await Self.standings(merchant)["later"] == .reported)
        #expect(try await merchant.system.lists.verifyAudit().broken == nil)
    }

    @Test("Retry sends the named sale in a report of its own, never with sales that wait")
    func retryAlone() async throws {
        let merchant = try await Self.merchant()
        try await merchant.sell(Self.early("bad"))
        await merchant.system.sender.runUntilIdle()
        let item = try await Self.item(merchant)
        try await merchant.sell(Self.good("waits"))
        let decision = ReviewDecision(.retry, by: "kim", note: "")
        _ = try await merchant.system.review.decide(decision, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        // Refused again, it waits again; the other one is accepted without it.
        let items = try merchant.apple.puts.map { body in
            try ReceivedReport.read(body).lineItems?.compactMap(\.lineItemId?.rawValue) ?? []
        }
        #expect(items == [["bad"], ["bad"], ["waits"]])
        #expect(try await Self.standings(merchant) == ["bad": .held, "waits": .reported])
        #expect(try await Self.item(merchant).sequence != item.sequence)
    }

    @Test("Resolve closes the named sale only, which is due nowhere from then on")
    func resolveOnlyNamed() async throws {
        let merchant = try await Self.merchant()
        for sale in [Self.good("a"), Self.early("bad")] { try await merchant.sell(sale) }
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.dueEntries().map(\.subject.needsReview) == [true])
        _ = try await Self.decide(merchant, .resolve)
        try await merchant.sell(Self.good("later"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await Self.standings(merchant) == ["a": .reported, "bad": .held, "later": .reported])
        merchant.clock.advance(seconds: 400 * 86_400)
        #expect(try await merchant.dueEntries().isEmpty)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        let metrics = try await merchant.system.metrics()
        let due = metrics.split(separator: "\n").filter { $0.hasPrefix("external_purchase_due{") }
        #expect(due.allSatisfy { $0.hasSuffix(" 0") }, "\(due)")
        let receiver = ScriptedReceiver()
        let watch = merchant.system.alertMonitor(
            AlertSettings(includesScheduled: true),
            routes: [AlertRoute(.webhook, receiver)]
        )
        try await watch.scan()
        _ = await watch.deliverWaiting()
        #expect(try receiver.steps().isEmpty)
        // A restart brings nothing back.
        let restarted = Merchant(store: merchant.store, apple: merchant.apple, clock: merchant.clock)
        await restarted.system.sender.runUntilIdle()
        #expect(try await restarted.system.lists.review(LedgerPage()).isEmpty)
        #expect(try await Self.standings(restarted)["bad"] == .held)
    }

    @Test("A refund waits with its separated buy, and goes out after it")
    func dependants() async throws {
        let merchant = try await Self.merchant()
        try await merchant.sell(Self.early("bad"))
        try await merchant.sell(Merchant.refund("r", of: "bad", "3.00"))
        try await merchant.sell(Self.good("a"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await Self.standings(merchant) == ["bad": .held, "r": .held, "a": .reported])
        let held = try await merchant.system.lists.sales(LedgerPage()).filter { $0.sale.saleId == "r" }
        #expect(held.first?.attribution.flags == [.buyHeld])
        // Now Apple takes it.
        merchant.apple.allowEarlySales()
        _ = try await Self.decide(merchant, .retry)
        #expect(try await Self.standings(merchant) == ["bad": .reported, "r": .reported, "a": .reported])
        #expect(try await Self.accepted("bad", merchant) == 1)
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 5_777)
    }

    @Test("A named sale is amended and sent again, before a decision or after it was closed", arguments: [false, true])
    func amended(_ isClosed: Bool) async throws {
        let merchant = try await Self.merchant()
        for sale in [Self.good("a"), Self.early("bad")] { try await merchant.sell(sale) }
        await merchant.system.sender.runUntilIdle()
        if isClosed { _ = try await Self.decide(merchant, .resolve) }
        let right = Self.good("bad").replacing(#"{"saleId""#, with: #"{"amends":true,"by":"kim","saleId""#)
        try await merchant.sell(right)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        await merchant.system.sender.runUntilIdle()
        #expect(try await Self.standings(merchant) == ["a": .reported, "bad": .reported])
        #expect(try await Self.accepted("bad", merchant) == 1)
    }

    @Test("What refers to a sale that a person closed waits for a person, and is due (RR-46)")
    func closedDependants() async throws {
        let merchant = try await Self.merchant()
        try await merchant.sell(Self.early("bad"))
        await merchant.system.sender.runUntilIdle()
        _ = try await Self.decide(merchant, .resolve)
        try await merchant.sell(Merchant.refund("r", of: "bad", "3.00"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await Self.standings(merchant)["r"] == .held)
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.kind) == [.saleHeld])
        // The token is answered without the closed sale in the end; the refund of it is not lost from sight.
        #expect(try await merchant.dueEntries().count { !$0.subject.isToken } == 1)
    }

    @Test("An error about the report or its token holds the whole report")
    func wholeReport() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(
            .answer(
                .rejected([
                    ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "a"),
                    ReportError(ReportErrorCode(rawValue: 8), field: "status"),
                ])
            )
        )
        for sale in ["a", "b"] { try await merchant.sell(Self.good(sale)) }
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.needsAttention])
        #expect(try await Self.standings(merchant) == ["a": .inReport, "b": .inReport])
        try await merchant.sell(Self.good("later"))
        _ = try await Self.decide(merchant, .retry)
        let items = try merchant.apple.puts.map { body in
            try ReceivedReport.read(body).lineItems?.compactMap(\.lineItemId?.rawValue) ?? []
        }
        #expect(items == [["a", "b"], ["a", "b"], ["later"]])
    }

    @Test("A report of unknown fate is not separated before Apple was asked (SA-71)")
    func unknownFate() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(.dropAfterAccept)
        for sale in ["a", "b"] { try await merchant.sell(Self.good(sale)) }
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 5)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.puts.count == 1)
        #expect(merchant.apple.gets.count == 1)
    }

    @Test("A store that fails anywhere neither loses nor doubles a sale", arguments: 0..<8)
    func failingStore(_ write: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sqlite = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        for point in [LedgerFault.Point.start, .answer] {
            let faults = LedgerFaultScript()
            let store = FaultyLedgerStore(sqlite, faults)
            let merchant = try await Self.merchant(store: store)
            for sale in [Self.good("a"), Self.early("bad"), Self.good("z")] { _ = try? await merchant.sell(sale) }
            faults.failWrite(write, at: point)
            for _ in 1...4 {
                await merchant.system.sender.runUntilIdle()
                merchant.clock.advance(seconds: 120)
            }
            #expect(try await Self.standings(merchant) == ["a": .reported, "bad": .held, "z": .reported])
            for sale in ["a", "z"] { #expect(try await Self.accepted(sale, merchant) == 1) }
            #expect(try await merchant.system.lists.review(LedgerPage()).count == 1)
            break
        }
    }
}
