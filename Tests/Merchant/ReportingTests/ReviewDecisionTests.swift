import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Testing

@testable import ReportValidation
@testable import Reporting

@Suite("What a person decides about what waits for them")
struct ReviewDecisionTests {
    private static func merchant(settings: ReportingSettings = withoutPreflight) async throws -> Merchant {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        let merchant = Merchant(store: store, settings: settings)
        try await merchant.take(Merchant.token())
        return merchant
    }

    private static var withoutPreflight: ReportingSettings {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        return settings
    }

    private static let refusal = SendOutcome.rejected([
        ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "s")
    ])

    private static func item(_ merchant: Merchant) async throws -> ReviewItem {
        try #require(try await merchant.system.lists.review(LedgerPage()).first)
    }

    private static let retry = ReviewDecision(.retry, by: "kim", note: "the token is known now")
    private static let resolve = ReviewDecision(.resolve, by: "kim", note: "handed in by hand")

    /// What Apple accepted of a sale, over all reports.
    private static func accepted(_ id: LineItemId, at merchant: Merchant) async throws -> Int {
        let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
        let versions = try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.lineItemVersions(id, in: scope)
        }
        return versions.count { $0.reportState == .accepted }
    }

    @Test("A refused report is released: its sale goes out in a new report, once, and the old one stays as evidence")
    func retry() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(.answer(Self.refusal))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        // A later sale does not wait for it: the refusal names the line item.
        try await merchant.sell(Merchant.purchase("later", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 2)
        let item = try await Self.item(merchant)
        let outcome = try await merchant.system.review.decide(Self.retry, on: item.sequence)
        #expect(outcome.item.resolution?.by == "kim")
        await merchant.system.sender.runUntilIdle()
        let reports = try await merchant.reports()
        #expect(reports.map(\.state) == [.withdrawn, .accepted, .accepted])
        #expect(Set(reports.map(\.requestIdentifier)).count == 3)
        #expect(reports[0].body == merchant.apple.puts[0])
        #expect(reports[0].errors.map(\.error.errorCode.rawValue) == [36])
        #expect(try await Self.accepted("s", at: merchant) == 1)
        #expect(merchant.apple.item("later") != nil)
        // Nothing had to be asked: a refusal with errors says that nothing was kept (SA-60).
        #expect(merchant.apple.gets.isEmpty)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        let audit = try await merchant.system.lists.audit(LedgerPage(limit: 500)).filter {
            $0.kind == "attention-resolved"
        }
        #expect(audit.map { $0.content.contains(#""by":"kim""#) } == [true])
        #expect(audit.map { $0.content.contains("retry: the token is known now") } == [true])
        #expect(try await merchant.system.lists.verifyAudit().broken == nil)
    }

    @Test("What the pre-flight held goes out once the settings are right", arguments: [true, false])
    func preflight(_ isRepaired: Bool) async throws {
        var strict = ReportingSettings()
        strict.rules.plainTokenRange = true
        let merchant = try await Self.merchant(settings: strict)
        let old = Merchant.purchase("s", on: Merchant.token()).replacing("2026-11-20", with: "2026-11-18")
        try await merchant.sell(old)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.isEmpty)
        let settings = isRepaired ? ReportingSettings() : strict
        let restarted = Merchant(
            store: merchant.store,
            apple: merchant.apple,
            settings: settings,
            clock: merchant.clock
        )
        let item = try await Self.item(restarted)
        _ = try await restarted.system.review.decide(Self.retry, on: item.sequence)
        await restarted.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == (isRepaired ? 1 : 0))
        // Judged anew and refused again, it is a new item.
        let open = try await restarted.system.lists.review(LedgerPage())
        #expect(open.count == 1)
        #expect(open.first?.sequence != item.sequence)
    }

    @Test(
        "A report of unknown fate is asked for first: what Apple has is accepted, not sent again",
        arguments: [
            true, false,
        ]
    )
    func unknownFate(_ isKnown: Bool) async throws {
        let merchant = try await Self.merchant()
        if isKnown { merchant.apple.fail(.dropAfterAccept) }
        merchant.apple.fail(.answer(.refusedWithoutErrors))
        merchant.apple.failGet(.notFound)
        if isKnown { merchant.apple.failGet(.notFound) }
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 1)
        await merchant.system.sender.runUntilIdle()
        let item = try await Self.item(merchant)
        merchant.apple.failGet(.noAnswer(reason: "down"))
        await #expect(throws: RequestError.self) {
            try await merchant.system.review.decide(Self.retry, on: item.sequence)
        }
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.sequence) == [item.sequence])
        let puts = merchant.apple.puts.count
        _ = try await merchant.system.review.decide(Self.retry, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == (isKnown ? puts : puts + 1))
        #expect(merchant.apple.acceptedReports == 1)
        #expect(try await Self.accepted("s", at: merchant) == 1)
        #expect(try await merchant.reports().map(\.state) == (isKnown ? [.accepted] : [.withdrawn, .accepted]))
    }

    @Test("Closed, a refused report leaves its sale not reported with who and why, and the token goes on")
    func resolve() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(.answer(Self.refusal))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        let item = try await Self.item(merchant)
        _ = try await merchant.system.review.decide(Self.resolve, on: item.sequence)
        try await merchant.sell(Merchant.purchase("later", on: Merchant.token()))
        try await merchant.sell(Merchant.refund("r", of: "s", "3.00"))
        await merchant.system.sender.runUntilIdle()
        let sales = try await merchant.system.lists.sales(LedgerPage())
        #expect(sales.map(\.standing) == [.held, .reported, .held])
        #expect(sales[0].attribution.flags.contains(.reportRefused))
        #expect(sales[2].attribution.flags.contains(.buyHeld))
        #expect(merchant.apple.item("s") == nil)
        #expect(merchant.apple.item("later") != nil)
        // What a person closed is due nowhere; what refers to it comes before a person.
        let due = try await merchant.dueEntries()
        #expect(due.compactMap(\.subject.heldFor) == ["buy-held, reference-closed"])
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.subject) == [.sale("r")])
        await #expect(throws: RequestError.self) {
            try await merchant.system.review.decide(Self.retry, on: item.sequence)
        }
        await #expect(throws: RequestError.self) {
            try await merchant.system.review.decide(Self.resolve, on: item.sequence)
        }
    }

    @Test("Accepted needs a word of Apple: what was never refused as known stays held and on the list")
    func acceptedWithoutEvidence() async throws {
        let merchant = try await Self.merchant()
        let accepted = ReviewDecision(.accepted, by: "kim", note: "I am sure")
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()).replacing(#""taxRate":"21","#, with: ""))
        merchant.apple.fail(
            .answer(.rejected([ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "t")]))
        )
        try await merchant.sell(Merchant.purchase("t", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        let items = try await merchant.system.lists.review(LedgerPage())
        #expect(Set(items.map(\.kind)) == [.saleHeld, .reportRefused])
        for item in items {
            await #expect(throws: RequestError.self) {
                try await merchant.system.review.decide(accepted, on: item.sequence)
            }
        }
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.sequence) == items.map(\.sequence))
        #expect(try await merchant.system.lists.sales(LedgerPage()).map(\.standing) == [.held, .held])
    }

    @Test("A token that Apple did not know is reported after a retry (TK-74)")
    func unknownToken() async throws {
        let merchant = try await Self.merchant(settings: ReportingSettings())
        merchant.apple.forget(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.state) == [.unknownToApple])
        merchant.apple.know(Merchant.token())
        _ = try await merchant.system.review.decide(Self.retry, on: try await Self.item(merchant).sequence)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.state) == [.confirmed])
        #expect(merchant.apple.item("s") != nil)
    }

    @Test("A retry sends a sale that a refusal named although Apple did not know its token meanwhile (TK-74)")
    func unknownTokenOfNamedSale() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(.answer(Self.refusal))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        let named = try await Self.item(merchant)
        merchant.apple.forget(Merchant.token())
        try await merchant.sell(Merchant.purchase("t", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.tokens(LedgerPage()).map(\.state) == [.unknownToApple])
        let whole = try #require(
            try await merchant.system.lists.review(LedgerPage()).first { $0.sequence != named.sequence }
        )
        _ = try await merchant.system.review.decide(Self.resolve, on: whole.sequence)
        merchant.apple.know(Merchant.token())
        let outcome = try await merchant.system.review.decide(Self.retry, on: named.sequence)
        #expect(outcome.detail == "sent again in a report of their own: sale s")
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s") != nil)
        #expect(merchant.apple.item("t") == nil)
    }

    @Test("A retry of a refund sends the purchase that a person closed when Apple did not know its token (TK-74)")
    func unknownTokenOfClosedPurchase() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.forget(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        _ = try await merchant.system.review.decide(Self.resolve, on: try await Self.item(merchant).sequence)
        try await merchant.sell(Merchant.refund("r", of: "s", "9.99"))
        await merchant.system.sender.runUntilIdle()
        let item = try await Self.item(merchant)
        #expect(item.subject == .sale("r"))
        merchant.apple.know(Merchant.token())
        _ = try await merchant.system.review.decide(Self.retry, on: item.sequence)
        for _ in 1...3 { await merchant.system.sender.runUntilIdle() }
        #expect(merchant.apple.item("s") != nil)
        #expect(merchant.apple.item("r") != nil)
    }

    @Test(
        "A refused answer of a token is given anew by retry, and after closing only when Apple asks",
        arguments: [
            ReviewDecision.Action.retry, .resolve,
        ]
    )
    func answer(_ action: ReviewDecision.Action) async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(.answer(.rejected([ReportError(ReportErrorCode(rawValue: 8), field: "status")])))
        merchant.clock.advance(seconds: 9 * 86_400)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.needsAttention])
        let plan = try await merchant.store.read { ledger throws(LedgerError) in
            try PlanLine.lines(of: nil, settings: ReportingSettings(), now: Merchant.noon, in: ledger)
        }
        #expect(plan.contains { $0.kind == "token" && $0.reason.contains("refused") }, "\(plan)")
        _ = try await merchant.system.review.decide(
            ReviewDecision(action, by: "kim", note: "seen"),
            on: try await Self.item(merchant).sequence
        )
        for _ in 1...3 {
            await merchant.system.sender.runUntilIdle()
            merchant.clock.advance(seconds: 86_400)
        }
        let states = try await merchant.reports().map(\.state)
        #expect(states == (action == .retry ? [.withdrawn, .accepted] : [.withdrawn]))
        #expect(try await merchant.dueEntries().isEmpty)
    }

    @Test("A refused key is one open item; retry goes on with the queue, and the first answer closes what is open")
    func key() async throws {
        let merchant = try await Self.merchant()
        merchant.apple.fail(.answer(.unauthorized), .answer(.unauthorized), .answer(.unauthorized))
        merchant.apple.fail(.answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        let item = try await Self.item(merchant)
        #expect(item.kind == .keyRefused)
        #expect(try await merchant.dueEntries().compactMap(\.subject.heldFor).allSatisfy { $0.contains("key") })
        #expect(try await !merchant.dueEntries().compactMap(\.subject.heldFor).isEmpty)
        #expect(item.subject == .app)
        _ = try await merchant.system.review.decide(Self.retry, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        // Still refused: it stands still again and says so again.
        #expect(merchant.apple.puts.count == 4)
        let again = try await Self.item(merchant)
        #expect(again.sequence != item.sequence)
        // Closed, it is not tried again.
        _ = try await merchant.system.review.decide(Self.resolve, on: again.sequence)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 4)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        // A restart, as after the configuration was repaired, needs nobody to retry.
        let restarted = Merchant(store: merchant.store, apple: merchant.apple, clock: merchant.clock)
        await restarted.system.sender.runUntilIdle()
        #expect(try await restarted.reports().map(\.state) == [.accepted])
        #expect(try await restarted.system.lists.review(LedgerPage()).isEmpty)
    }

    @Test("A report of a correction is sent again with the same bytes (SA-60)")
    func correctionRetry() async throws {
        let (merchant, item) = try await Self.refusedCorrection()
        _ = try await merchant.system.review.decide(Self.retry, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .accepted])
        #expect(merchant.apple.puts.count == 3)
        #expect(merchant.apple.puts[1] == merchant.apple.puts[2])
        #expect(try await merchant.system.lists.corrections(LedgerPage()).first?.closing != nil)
    }

    @Test("A correction of which Apple accepted nothing is given up, and its sale says again what it said before")
    func correctionResolve() async throws {
        let (merchant, item) = try await Self.refusedCorrection()
        _ = try await merchant.system.review.decide(Self.resolve, on: item.sequence)
        #expect(try await merchant.reports().map(\.state) == [.accepted, .withdrawn])
        let closing = try await merchant.system.lists.corrections(LedgerPage()).first?.closing
        #expect(closing?.by == "kim")
        let sale = try await merchant.system.lists.sales(LedgerPage()).first
        #expect(sale?.sale.purchase?.inclusive == Decimal(string: "9.99"))
        #expect(sale?.version == 3)
        // The token is free, and the correction can be asked for anew.
        try await merchant.sell(Merchant.refund("r", of: "s", "3.00"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 5_777)
        try await Self.correct(merchant)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.amountTaxInclusive == 12_100)
    }

    private static func refusedCorrection() async throws -> (Merchant, ReviewItem) {
        let merchant = try await merchant(settings: ReportingSettings())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        merchant.apple.fail(.answer(refusal))
        try await correct(merchant)
        await merchant.system.sender.runUntilIdle()
        return (merchant, try await item(merchant))
    }

    private static func correct(_ merchant: Merchant) async throws {
        let wish = """
            {"bundleId":"com.example.shop","saleId":"s","action":"restate","fields":{"inclusive":"12.10"},
            "requestedBy":"maria","reason":"wrong price"}
            """
        let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        let id = try #require(run.json.objectValue?["correctionId"]?.stringValue)
        let order = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
        guard case .confirmed = try await merchant.system.confirmCorrection(body: try JSONReader().read(order)) else {
            Issue.record("not confirmed")
            return
        }
    }

    @Test("An item that nothing can be sent for is closed, not retried")
    func contradiction() async throws {
        let merchant = try await Self.merchant()
        try await merchant.store.write { ledger throws(LedgerError) in
            _ = try ledger.open(
                ReviewItem(
                    bundleId: Merchant.shop,
                    kind: .contradiction,
                    subject: .token(Merchant.token().externalPurchaseId),
                    detail: "two types were told",
                    openedAt: Merchant.noon
                )
            )
        }
        await #expect(throws: RequestError.self) { try await merchant.system.review.decide(Self.retry, on: 1) }
        #expect(
            try await merchant.system.review.decide(Self.resolve, on: 1).item.resolution?.note.contains("by hand")
                == true
        )
        await #expect(throws: RequestError.unknown("there is no review item 7")) {
            try await merchant.system.review.decide(Self.resolve, on: 7)
        }
    }
}
