import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import ReportValidation
import Testing

@testable import Reporting

@Suite("Due list, review items, metrics and lists count the same rows (OB-52)")
struct HoldClassifierTests {
    private static func merchant() async throws -> Merchant {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        return Merchant(store: store, settings: settings, environments: [.production])
    }

    private static func early(_ id: String) -> String {
        Merchant.purchase(id, on: Merchant.token("a")).replacing("2026-11-20T11", with: "2026-11-10T11")
    }

    private static func withoutTax(_ id: String) -> String {
        Merchant.purchase(id, on: Merchant.token("a")).replacing(#""taxRate":"21","#, with: "")
    }

    /// One row of every kind.
    private static func fill(_ merchant: Merchant) async throws {
        let made = Merchant.noon - .days(9)
        for digit in "abcef" as String { try await merchant.take(Merchant.token(digit)) }
        try await merchant.take(Merchant.token("d", environment: .sandbox))
        try await merchant.sell(Merchant.purchase("old-without-token", on: nil))
        merchant.clock.advance(seconds: 86_400)
        // Refused as a whole.
        let whole = SendOutcome.rejected([ReportError(ReportErrorCode(rawValue: 8), field: "status")])
        merchant.apple.fail(.answer(whole))
        try await merchant.sell(Merchant.purchase("whole", on: Merchant.token("b")))
        await merchant.system.sender.runUntilIdle()
        // A token that Apple does not know.
        merchant.apple.forget(Merchant.token("e"))
        try await merchant.sell(Merchant.purchase("unknown-token", on: Merchant.token("e")))
        await merchant.system.sender.runUntilIdle()
        // A token without a sale whose answer is refused.
        let unused = Merchant.token("9", made: made)
        merchant.apple.fail(.answer(whole))
        try await merchant.take(unused)
        await merchant.system.sender.runUntilIdle()
        // One that a person closed, and one that waits for a person with its refund.
        try await merchant.sell(early("closed"))
        await merchant.system.sender.runUntilIdle()
        let item = try #require(
            try await merchant.system.lists.review(LedgerPage()).first { $0.detail.contains("sale closed") }
        )
        let decision = ReviewDecision(.resolve, by: "kim", note: "by hand")
        _ = try await merchant.system.review.decide(decision, on: item.sequence)
        try await merchant.sell(early("bad"))
        try await merchant.sell(Merchant.refund("refund-of-bad", of: "bad", "1.00"))
        try await merchant.sell(Merchant.refund("refund-of-closed", of: "closed", "1.00"))
        try await merchant.sell(withoutTax("without-tax"))
        try await merchant.sell(Merchant.purchase("without-token", on: nil))
        try await merchant.sell(Merchant.purchase("reported", on: Merchant.token("a")))
        await merchant.system.sender.runUntilIdle()
        merchant.apple.fail(.answer(.serverError(status: 503)))
        try await merchant.sell(Merchant.purchase("on-its-way", on: Merchant.token("f")))
        await merchant.system.sender.runUntilIdle()
    }

    /// What review items are about, in the words of the interface: sales and tokens that are not reported.
    private static func reviewed(_ merchant: Merchant) async throws -> Set<String> {
        let sales = try await merchant.system.lists.sales(LedgerPage(limit: 500))
        let reports = try await merchant.reports()
        let open = try await merchant.dueEntries()
        let tokens = Set(
            open.compactMap { entry -> String? in
                if case .token(let token) = entry.subject.row { token.externalPurchaseId.rawValue } else { nil }
            }
        )
        var ids: Set<String> = []
        for item in try await merchant.system.lists.review(LedgerPage(limit: 500)) {
            switch item.subject {
            case .sale(let id): ids.insert(id.rawValue)
            case .report(let id):
                let report = try #require(reports.first { $0.requestIdentifier == id })
                if report.state == .withdrawn {
                    let held = Set(sales.filter { $0.standing == .held }.map(\.sale.saleId))
                    ids.formUnion(report.errors.compactMap(\.saleId).filter(held.contains).map(\.rawValue))
                } else {
                    ids.formUnion(sales.filter { $0.requestIdentifier == id }.map(\.sale.saleId.rawValue))
                    ids.formUnion(tokens.intersection([report.externalPurchaseId.rawValue]))
                }
            case .app: ids.formUnion(open.map(\.subject).map(name))
            case .token, .notification: Issue.record("\(item)")
            }
        }
        return ids
    }

    private static func name(_ subject: DeadlineSubject) -> String {
        switch subject.row {
        case .token(let token): token.externalPurchaseId.rawValue
        case .sale(let sale): sale.lineItemId.rawValue
        }
    }

    private static func compare(_ merchant: Merchant, _ expected: Set<String>) async throws {
        let due = try await merchant.dueEntries()
        #expect(Set(due.filter(\.subject.needsReview).map { name($0.subject) }) == expected)
        #expect(try await reviewed(merchant) == expected)
        let survey = try await merchant.system.deadlines(limit: 500)
        #expect(survey.counts.held == expected.count)
        let series = try ReportingMetricsTests.series(try await merchant.system.metrics())
        let counted = series.filter { $0.key.hasPrefix("external_purchase_due{") && $0.key.contains(#"held="true""#) }
        #expect(Int(counted.values.reduce(0, +)) == expected.count)
        let sales = try await merchant.system.lists.sales(LedgerPage(limit: 500))
        let standings = try await merchant.system.lists.standings(of: sales)
        let listed = zip(sales, standings).filter { $1.needsReview }.map(\.0.sale.saleId.rawValue)
        #expect(Set(listed) == expected.filter { !$0.hasPrefix("4d3f") })
    }

    @Test("On one ledger with every kind of row")
    func everyKind() async throws {
        let merchant = try await Self.merchant()
        try await Self.fill(merchant)
        let token = { (digit: Character) in Merchant.token(digit).externalPurchaseId.rawValue }
        let expected: Set<String> = [
            "old-without-token", "whole", "unknown-token", "bad", "without-tax", "refund-of-closed", token("b"),
            token("9"),
        ]
        try await Self.compare(merchant, expected)
        let due = Set(try await merchant.dueEntries().map { Self.name($0.subject) })
        // What is closed is due nowhere; what waits or goes by itself is.
        #expect(due.isDisjoint(with: ["closed", "reported", token("e")]))
        #expect(due.isSuperset(of: ["refund-of-bad", "without-token", "on-its-way", token("c")]))
        let open = try await merchant.system.lists.review(LedgerPage(limit: 500)).map(\.sequence)
        #expect(open.count == 7)
        // A restart counts the same.
        let restarted = Merchant(store: merchant.store, apple: merchant.apple, clock: merchant.clock)
        restarted.apple.fail(.answer(.serverError(status: 503)), .answer(.serverError(status: 503)))
        await restarted.system.sender.runUntilIdle()
        #expect(try await restarted.system.lists.review(LedgerPage(limit: 500)).map(\.sequence) == open)
    }

    @Test("While Apple refuses the key, everything of the app needs a person, and one item says so (SA-73)")
    func refusedKey() async throws {
        let merchant = try await Self.merchant()
        try await merchant.take(Merchant.token("a"))
        try await merchant.take(Merchant.token("b"))
        merchant.apple.fail(.answer(.unauthorized), .answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        await merchant.system.sender.runUntilIdle()
        let tokens = "ab".map { Merchant.token($0).externalPurchaseId.rawValue }
        try await Self.compare(merchant, Set(["s"] + tokens))
        #expect(try await merchant.system.lists.review(LedgerPage()).count == 1)
    }

    @Test(
        "A token that only visits named is answered in time, is never late, and Apple's code 3 closes it (TK-74, RR-67)"
    )
    func unconfirmedVisit() async throws {
        let merchant = try await Self.merchant()
        let made = Merchant.noon - .days(9)
        let (genuine, forged, delivered) = (
            Merchant.token("a", made: made), Merchant.token("b", made: made), Merchant.token("c", made: made)
        )
        for token in [genuine, forged, delivered] {
            _ = try await merchant.system.tokens.receive(TokenArrival(text: token.encoded(), source: .website))
        }
        try await merchant.take(delivered)
        // Apple's side is away until all three are late.
        merchant.apple.know(genuine)
        merchant.apple.fail(.answer(.serverError(status: 503)))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 30 * 86_400)
        let now = merchant.clock.now
        let states = try await merchant.dueEntries().map { $0.state(DeadlineClassifier(at: now, warnDays: [5, 2, 1])) }
        #expect(Set(states) == [.unconfirmed, .overdue])
        let counts = try await merchant.system.deadlines(limit: 9).counts
        #expect((counts.unconfirmed, counts.overdue, counts.held) == (2, 1, 0))
        let receiver = ScriptedReceiver()
        let watch = merchant.system.alertMonitor(
            AlertSettings(includesScheduled: true),
            routes: [AlertRoute(.webhook, receiver)]
        )
        try await watch.scan()
        _ = await watch.deliverWaiting()
        #expect(try receiver.steps() == ["overdue"])

        await merchant.system.sender.runUntilIdle()
        let tokens = try await merchant.system.lists.tokens(LedgerPage()).map(\.state)
        #expect(tokens == [.confirmed, .unknownToApple, .confirmed])
        let answer = try #require(try await merchant.reports().first { $0.state == .withdrawn })
        #expect(answer.externalPurchaseId == forged.externalPurchaseId)
        #expect(answer.errors.map(\.error.errorCode.rawValue) == [3])
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        #expect(try await merchant.dueEntries().isEmpty)
        try await watch.scan()
        _ = await watch.deliverWaiting()
        #expect(try receiver.steps() == ["overdue"])

        // A sale that names it waits for a person (TK-74).
        let sale = try await merchant.sell(Merchant.purchase("s", on: forged))
        #expect(sale.sale.attribution.flags.contains(.tokenUnknownToApple))
        #expect(try await merchant.system.lists.review(LedgerPage()).count == 1)
    }

    @Test("A held sale is a review item at once, told by default, and closed by itself when it is complete (RR-47)")
    func atOnce() async throws {
        let merchant = try await Self.merchant()
        try await merchant.take(Merchant.token("a"))
        try await merchant.sell(Self.withoutTax("s"))
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        #expect(item.kind == .saleHeld)
        #expect(item.subject == .sale("s"))
        #expect(item.detail.hasPrefix("held for no-tax:"), "\(item.detail)")
        for (settings, told) in [
            (AlertSettings(includesReview: false), []), (AlertSettings(), ["opened"]),
        ] as [(AlertSettings, [String])] {
            let receiver = ScriptedReceiver()
            let watch = merchant.system.alertMonitor(settings, routes: [AlertRoute(.webhook, receiver)])
            try await watch.scan()
            _ = await watch.deliverWaiting()
            #expect(try receiver.steps() == told)
        }
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.sales(LedgerPage()).map(\.standing) == [.reported])
    }

    @Test(
        "A sale without a token is a review item after review.tokenWait, and no longer once its token arrives (RR-66)"
    )
    func tokenWait() async throws {
        let merchant = try await Self.merchant()
        let sale = Merchant.purchase("s", on: Merchant.token("a"))
        try await merchant.sell(sale)
        let next = await merchant.system.sender.runUntilIdle()
        #expect(next == Merchant.noon + .days(1))
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        merchant.clock.advance(seconds: 86_400)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.subject) == [.sale("s")])
        try await merchant.take(Merchant.token("a"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        #expect(try await merchant.system.lists.sales(LedgerPage()).map(\.standing) == [.reported])
    }

    @Test("Closed by a person, a held sale is due nowhere until something else comes to hold it or frees it")
    func closed() async throws {
        let merchant = try await Self.merchant()
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        merchant.clock.advance(seconds: 90_000)
        await merchant.system.sender.runUntilIdle()
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        let retry = ReviewDecision(.retry, by: "kim", note: "")
        await #expect(throws: RequestError.self) { try await merchant.system.review.decide(retry, on: item.sequence) }
        let resolve = ReviewDecision(.resolve, by: "kim", note: "not through the app")
        _ = try await merchant.system.review.decide(resolve, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.dueEntries().isEmpty)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        try await merchant.take(Merchant.token("a"))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.system.lists.sales(LedgerPage()).map(\.standing) == [.reported])
    }
}
