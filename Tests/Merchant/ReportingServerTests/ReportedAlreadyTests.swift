import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import ReportingServer

/// Apple refuses what it has (E1, E30, E8) after the restore of an older ledger, and the shop changes it (RR-85).
@Suite("Of what Apple says that it has, nothing changes in the ledger alone")
struct ReportedAlreadyTests {
    private typealias Books = RestoredLedgerTests.Books

    private static let s = Books.purchase("s2")
    private static let r = Books.back("r2", "3.00", of: "s2")
    private static let total = Books.back("t2", "4.00", of: "s2").replacing(#""inclusive""#, with: #""refundedTotal""#)
        .replacing(#""amount":{"refundedTotal":"4.00"}"#, with: #""refundedTotal":"4.00""#)
    private static let chargeback = Books.back("b2", "9.99", of: "s2").replacing(
        #""type":"refund""#,
        with: #""type":"chargeback""#
    )
    private static let reversal = """
        {"saleId":"v2","bundleId":"com.example.shop","type":"chargebackReversal","occurredAt":"2026-11-20T11:59:40Z",
        "reversalOf":"b2"}
        """
    private static let renewal = Books.charge.replacing(#""saleId":"c1""#, with: #""saleId":"c2""#)
        .replacing(#""occurredAt":"2026-11-20T11:59:00Z""#, with: #""occurredAt":"2026-11-20T11:59:20Z""#)
        .replacing(
            #""period":{"start":"2026-11-20T11:59:00Z","end":"2026-12-20T11:59:00Z"}"#,
            with: #""period":{"start":"2026-12-20T11:59:00Z","end":"2027-01-20T11:59:00Z"}"#
        )

    /// Lets Apple have some sales, restores a copy from before them, and sends sales once more.
    private static func restore(
        known: [String] = [],
        lost: [String],
        together: Bool = false,
        _ test: @escaping @Sendable (EmulatedMerchant) async throws -> Void
    ) async throws {
        try await EmulatedMerchant.run { sides in
            let text = try await RestoredLedgerTests.mint(sides)
            try await RestoredLedgerTests.token(text, to: sides)
            for body in known { try await RestoredLedgerTests.send([body], to: sides) }
            let copy = try sides.copyLedger()
            for bodies in together ? [lost] : lost.map({ [$0] }) {
                try await RestoredLedgerTests.send(bodies, to: sides)
            }
            #expect(try await sides.states().allSatisfy { $0 == "accepted" })
            try await sides.restored(from: copy) { restored in try await test(restored) }
        }
    }

    /// The live line items at Apple with their milli-units.
    private static func live(_ sides: EmulatedMerchant) async throws -> [String: Int64] {
        var newest: [String: JSONObject] = [:]
        for body in try await sides.acceptedPuts() {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let item = item.objectValue, let id = item["lineItemId"]?.stringValue else { continue }
                newest[id] = item
            }
        }
        return newest.filter { $0.value["erroneouslySubmitted"]?.boolValue != true }
            .compactMapValues { $0["amountTaxInclusive"]?.int64Value }
    }

    private static func rows(_ sides: EmulatedMerchant) async throws -> [[String: Any]] {
        try await sides.list("/v1/sales?limit=100", "sales")
    }

    /// The ids of the line items that the ledger holds for accepted and live.
    ///
    /// A chargeback stays reported when its reversal is; together they are nothing.
    private static func reported(_ sides: EmulatedMerchant) async throws -> Set<String> {
        let rows = try await rows(sides).filter { $0["standing"] as? String == "reported" }
        let reversed = rows.compactMap { ($0["sale"] as? [String: Any])?["reversalOf"] as? String }
        let reversals = rows.filter { ($0["sale"] as? [String: Any])?["reversalOf"] != nil }
        let ids = { (rows: [[String: Any]]) in
            Set(rows.flatMap { $0["lineItems"] as? [String] ?? [$0["lineItemId"] as? String ?? ""] })
        }
        return ids(rows).subtracting(ids(reversals)).subtracting(reversed)
    }

    /// Takes everything that Apple says that it has as accepted, until nothing is left to decide.
    private static func acceptAll(_ sides: EmulatedMerchant) async throws {
        for _ in 0..<12 {
            guard let item = try await sides.list("/v1/review", "review").first else { return }
            try await RestoredLedgerTests.decide("accepted", item, at: sides)
        }
        let left = try await sides.list("/v1/review", "review")
        #expect(left.isEmpty, "\(left)")
    }

    /// Both sides have the same books, and nothing waits.
    private static func expectEqual(
        _ right: [String: Int64],
        _ sides: EmulatedMerchant,
        _ place: SourceLocation = #_sourceLocation
    ) async throws {
        await sides.runUntilIdle()
        let (live, reported) = (try await live(sides), try await reported(sides))
        #expect(live == right, sourceLocation: place)
        #expect(reported == Set(right.keys), sourceLocation: place)
        let waiting = try await rows(sides).filter { ["held", "planned"].contains($0["standing"] as? String ?? "") }
        #expect(waiting.isEmpty, "\(waiting)", sourceLocation: place)
        let items = try await sides.list("/v1/review", "review")
        #expect(items.isEmpty, "\(items)", sourceLocation: place)
    }

    // MARK: Changes

    /// A sale that Apple has or may have, and a change of it.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let lost: [String]
        /// What is sent again before the change, in rounds of sending.
        let again: [[String]]
        let path: String
        let body: String
        /// Apple's books after the change was made as a correction.
        let right: [String: Int64]
        /// Whether it changes nothing that is reported.
        var isLinkOnly = false

        var testDescription: String { name }
    }

    private static func void(_ id: String) -> (path: String, body: String) {
        ("/v1/sales/\(id)/void", #"{"by":"kim","reason":"never paid"}"#)
    }

    private static let changes: [Change] = {
        func make(
            _ name: String,
            _ lost: [String],
            again: [[String]]? = nil,
            _ change: (path: String, body: String),
            _ right: [String: Int64],
            isLinkOnly: Bool = false
        ) -> Change {
            Change(
                name: name,
                lost: lost,
                again: again ?? [lost],
                path: change.path,
                body: change.body,
                right: right,
                isLinkOnly: isLinkOnly
            )
        }
        let amends = #""amends":true,"by":"kim","reason":"the till was wrong","saleId""#
        let cheaper = s.replacing(#""saleId""#, with: amends).replacing(#""9.99""#, with: #""8.99""#)
        let map = Books.order.replacing(#""saleId""#, with: amends).replacing(#""4.99""#, with: #""3.99""#)
        let completed = s.replacing(#""saleId""#, with: #""customerId":"c-1","saleId""#)
        let days = renewal.replacing(#""saleId""#, with: amends).replacing(#""9.99""#, with: #""8.99""#)
        return [
            make("void of a purchase", [s], void("s2"), [:]),
            make("void of a purchase with its refund", [s, r], void("s2"), [:]),
            make("void of a refund in the same report", [s, r], void("r2"), ["s2": 9_990]),
            make("void of a refund that waits behind", [s, r], again: [[s], [r]], void("r2"), ["s2": 9_990]),
            make("void of a total that waits behind", [s, total], again: [[s], [total]], void("t2"), ["s2": 9_990]),
            make("void of a chargeback", [s, chargeback], void("b2"), ["s2": 9_990]),
            make(
                "void of a chargeback that waits",
                [s, chargeback],
                again: [[s], [chargeback]],
                void("b2"),
                ["s2": 9_990]
            ),
            make("void of an order", [Books.order], void("o"), [:]),
            make("void of a start", [Books.charge], void("c1"), [:]),
            make("void of a renewal", [Books.charge, renewal], void("c2"), ["c1": 9_990]),
            make(
                "void of a renewal that waits",
                [Books.charge, renewal],
                again: [[Books.charge], [renewal]],
                void("c2"),
                ["c1": 9_990]
            ),
            make("amended purchase", [s], ("/v1/sales", cheaper), ["s2": 8_990]),
            make("amended purchase with its refund", [s, r], ("/v1/sales", cheaper), ["s2": 8_990, "r2": 3_000]),
            make("amended order", [Books.order], ("/v1/sales", map), ["o/1": 5_000, "o/2": 3_990]),
            make("amended renewal", [Books.charge, renewal], ("/v1/sales", days), ["c1": 9_990, "c2": 8_990]),
            make("completed purchase", [s], ("/v1/sales", completed), ["s2": 9_990], isLinkOnly: true),
        ]
    }()

    enum Before: String, CaseIterable, Sendable {
        case nothing, resolve, retry
    }

    @Test(
        "RR-85: a change is refused until `accepted`, and a correction or made after it",
        arguments: changes,
        Before.allCases
    )
    func changed(_ change: Change, after before: Before) async throws {
        try await Self.restore(lost: change.lost) { sides in
            for round in change.again { try await RestoredLedgerTests.send(round, to: sides) }
            if before != .nothing {
                for item in try await RestoredLedgerTests.open(sides, "report-refused") {
                    try await RestoredLedgerTests.decide(before.rawValue, item, at: sides)
                }
            }
            let (apple, ledger) = (try await Self.live(sides), try await Self.rows(sides))
            let refused = try await sides.post(change.path, change.body)
            #expect(refused.status == .conflict, "\(refused.json)")
            #expect("\(refused.json)".contains("accepted"), "\(refused.json)")
            await sides.runUntilIdle()
            // Nothing changed but that the item of a closed sale is open again.
            #expect(try await Self.live(sides) == apple)
            let versions = { (rows: [[String: Any]]) in rows.map { "\($0["saleId"] ?? "") \($0["standing"] ?? "")" } }
            #expect(versions(try await Self.rows(sides)) == versions(ledger))
            let open = try await RestoredLedgerTests.open(sides, "report-refused")
            #expect(open.contains { "\(refused.json)".contains("item \($0["sequence"] ?? "")") }, "\(open)")
            try await Self.acceptAll(sides)
            await sides.runUntilIdle()
            if change.isLinkOnly {
                let answer = try await sides.post(change.path, change.body)
                #expect(answer.status == .ok, "\(answer.json)")
            } else {
                try await Self.correct((change.path, change.body), sides)
            }
            try await Self.expectEqual(change.right, sides)
        }
    }

    @Test(
        "RR-85: a report that Apple has is named for the part of it that no decision has brought yet",
        arguments: [[s, r], [Books.order, Books.back("r2", "3.00", of: "o")]]
    )
    func namedInPart(_ lost: [String]) async throws {
        try await Self.restore(lost: lost, together: true) { sides in
            let right = try await Self.live(sides)
            let puts = try await sides.acceptedPuts()
            let named = try puts.compactMap { body in
                let report = try JSONReader().read(body).objectValue
                return report?["lineItems"] == nil ? nil : report?["requestIdentifier"]?.stringValue
            }
            let id = try #require(named.last)
            for (number, body) in lost.enumerated() {
                try await RestoredLedgerTests.send([body], to: sides)
                let item = try await RestoredLedgerTests.open(sides, "report-refused").first
                let more = number == 0 ? "" : #","requestIdentifier":"\#(id)""#
                try await RestoredLedgerTests.decide("accepted", item, at: sides, more: more)
            }
            try await Self.expectEqual(right, sides)
        }
    }

    // MARK: Chargebacks and reversals

    struct Dispute: Sendable, CustomTestStringConvertible {
        let known: [String]
        let lost: [String]
        let again: [[String]]

        var testDescription: String { "\(known.count) known, \(lost.count) lost, in \(again.map(\.count))" }
    }

    private static let disputes: [Dispute] = {
        var all: [Dispute] = []
        for known in [[], [s]] {
            for lost in [[s], [s, chargeback], [s, chargeback, reversal]] {
                let since = Array(lost.dropFirst(known.count))
                let again = Array([s, chargeback, reversal].dropFirst(known.count))
                // All at once, each by itself, and the reversal only after the decision.
                for rounds in [[again], again.map { [$0] }, [Array(again.dropLast())]] {
                    all.append(Dispute(known: known, lost: since, again: rounds))
                }
            }
        }
        return all
    }()

    @Test("RR-85: a chargeback and its reversal that are sent again: Apple is asked for both", arguments: disputes)
    func disputed(_ dispute: Dispute) async throws {
        // With a purchase that the ledger knows, and both at once, nothing tells that Apple has the chargeback.
        if !dispute.known.isEmpty, dispute.again.count == 1, dispute.again[0].count == 2, !dispute.lost.isEmpty {
            return
        }
        try await Self.restore(known: dispute.known, lost: dispute.lost) { sides in
            for round in dispute.again { try await RestoredLedgerTests.send(round, to: sides) }
            let apple = try await Self.live(sides)
            let ledger = try await Self.reported(sides)
            let isEqual = apple == ["s2": 9_990] && ledger == ["s2"]
            let open = try await sides.list("/v1/review", "review")
            #expect(isEqual || !open.isEmpty || dispute.again.joined().count < 3)
            try await Self.acceptAll(sides)
            if !dispute.again.joined().contains(Self.reversal) {
                try await RestoredLedgerTests.send([Self.reversal], to: sides)
                try await Self.acceptAll(sides)
            }
            try await Self.expectEqual(["s2": 9_990], sides)
        }
    }

    // MARK: Several refunds

    @Test(
        "RR-85: a later refund waits for one that Apple has, whose net is its own",
        arguments: [true, false],
        ["accepted", "resolve"]
    )
    func refunds(together: Bool, _ decision: String) async throws {
        try await Self.restore(known: [Self.s], lost: [Self.r]) { sides in
            let later = Books.back("r3", "2.00", of: "s2")
            let rounds = together ? [[Self.r, later]] : [[Self.r], [later]]
            for round in rounds { try await RestoredLedgerTests.send(round, to: sides) }
            let puts = try await sides.puts()
            let refused = try await RestoredLedgerTests.open(sides, "report-refused")
            #expect(refused.count == 1 && !puts.contains { $0.contains("r3") && !$0.contains("r2") }, "\(puts)")
            // No correction of the purchase goes past it either.
            let void = try await sides.post("/v1/sales/s2/void", #"{"by":"kim","reason":"x"}"#)
            #expect(void.status == .conflict && "\(void.json)".contains("accepted"), "\(void.json)")
            try await RestoredLedgerTests.decide(decision, refused.first, at: sides)
            if decision == "accepted" {
                let taken = try await sides.list("/v1/reports?limit=100", "reports").filter {
                    "\($0["conclusion"] ?? $0["answer"] ?? "")".contains("says that Apple has")
                }
                // 9.99 EUR at 21 % without tax, less 3.00 EUR; not less the 2.00 EUR of the other refund.
                #expect(taken.count == 1 && "\(taken)".contains("5777"), "\(taken)")
            }
            try await Self.acceptAll(sides)
            try await Self.expectEqual(["s2": 9_990, "r2": 3_000, "r3": 2_000], sides)
            #expect(try await sides.acceptedPuts().last?.contains(#""netAmountTaxExclusive":4124"#) == true)
        }
    }

    @Test("RR-85: while Apple says that it has line items of a token, its sales are not changed (E8)")
    func token() async throws {
        try await EmulatedMerchant.run { sides in
            let text = try await RestoredLedgerTests.mint(sides)
            let copy = try sides.copyLedger()
            try await RestoredLedgerTests.token(text, to: sides)
            try await RestoredLedgerTests.send([Self.s], to: sides)
            try await sides.restored(from: copy) { sides in
                try await RestoredLedgerTests.token(text, to: sides)
                sides.advance(by: .hours(9 * 24 + 1))
                _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":781200}"#)
                await sides.runUntilIdle()
                try await RestoredLedgerTests.send([Self.s], to: sides)
                let void = Self.void("s2")
                let refused = try await sides.post(void.path, void.body)
                #expect(refused.status == .conflict && "\(refused.json)".contains("accepted"), "\(refused.json)")
                try await Self.acceptAll(sides)
                try await Self.expectEqual(["s2": 9_990], sides)
            }
        }
    }

    @Test("RR-85: a sale is not voided before it is sent on a token of which Apple has line items (E8, decided)")
    func unsentOnDecidedToken() async throws {
        try await EmulatedMerchant.run { sides in
            let text = try await RestoredLedgerTests.mint(sides)
            let copy = try sides.copyLedger()
            try await RestoredLedgerTests.token(text, to: sides)
            for body in [Self.s, Books.order] { try await RestoredLedgerTests.send([body], to: sides) }
            try await sides.restored(from: copy) { sides in
                try await RestoredLedgerTests.token(text, to: sides)
                sides.advance(by: .hours(9 * 24 + 1))
                _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":781200}"#)
                await sides.runUntilIdle()
                try await Self.acceptAll(sides)
                // Neither a sale that is planned nor an order: nothing of them was sent yet.
                for (body, id) in [(Self.s, "s2"), (Books.order, "o")] {
                    #expect(try await sides.post("/v1/sales", body).status == .created)
                    let void = Self.void(id)
                    let refused = try await sides.post(void.path, void.body)
                    #expect(refused.status == .conflict, "\(refused.json)")
                    #expect("\(refused.json)".contains("is sent first"), "\(refused.json)")
                }
                await sides.runUntilIdle()
                try await Self.acceptAll(sides)
                for id in ["s2", "o"] { try await Self.correct(Self.void(id), sides) }
                try await Self.expectEqual([:], sides)
                // One that cannot be sent as it is may be voided, and a person is told.
                let untaxed = Self.s.replacing(#""s2""#, with: #""s3""#).replacing(#""taxRate":"21","#, with: "")
                #expect(try await sides.post("/v1/sales", untaxed).status == .created)
                let void = Self.void("s3")
                let done = try await sides.post(void.path, void.body)
                #expect(done.status == .ok, "\(done.json)")
                let items = try await RestoredLedgerTests.open(sides, "sale-changed")
                #expect(items.map { $0["id"] as? String } == ["s3"], "\(items)")
            }
        }
    }

    /// Makes a change of an accepted sale as a correction.
    private static func correct(_ change: (path: String, body: String), _ sides: EmulatedMerchant) async throws {
        let answer = try await sides.post(change.path, change.body)
        #expect(answer.status == .conflict, "\(answer.json)")
        let plans = answer.json["corrections"] as? [[String: Any]] ?? [answer.json]
        for id in plans.compactMap({ $0["correctionId"] as? String }) {
            let body = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
            let confirmed = try await sides.post("/v1/corrections", body)
            #expect(confirmed.status == .created, "\(confirmed.json)")
            await sides.runUntilIdle()
        }
    }

    // MARK: Changes that wait

    @Test(
        "RR-85: a change that waits goes on waiting when Apple says that it has the sale",
        arguments: ["void", "amend"],
        ["accepted", "resolve", "retry"]
    )
    func waits(_ kind: String, _ decision: String) async throws {
        try await Self.restore(lost: [Self.s]) { sides in
            let amends = #""amends":true,"by":"kim","reason":"the till was wrong","saleId""#
            let cheaper = Self.s.replacing(#""saleId""#, with: amends).replacing(#""9.99""#, with: #""8.99""#)
            let change = kind == "void" ? Self.void("s2") : (path: "/v1/sales", body: cheaper)
            try await sides.fault("PUT", #"{"delayMs":5000}"#)
            #expect(try await sides.post("/v1/sales", Self.s).status == .created)
            async let sending = sides.runUntilIdle()
            while try await sides.states().last != "sending" { try await Task.sleep(for: .milliseconds(20)) }
            let asked = try await sides.post(change.path, change.body)
            #expect(asked.status == .accepted, "\(asked.json)")
            _ = await sending
            await sides.runUntilIdle()
            #expect(try await Self.rows(sides).first?["standing"] as? String == "held")
            #expect(try await RestoredLedgerTests.open(sides, "sale-changed").isEmpty)
            let item = try await RestoredLedgerTests.open(sides, "report-refused").first
            try await RestoredLedgerTests.decide(decision, item, at: sides)
            #expect(try await Self.live(sides) == ["s2": 9_990])
            if decision == "retry" {
                // Apple says so once more, and the change waits still.
                #expect(try await RestoredLedgerTests.open(sides, "sale-changed").isEmpty)
                let again = try await RestoredLedgerTests.open(sides, "report-refused").first
                try await RestoredLedgerTests.decide("accepted", again, at: sides)
            }
            // Accepted, the change is a correction to confirm; closed, a person is told that it was not made.
            let told = try await RestoredLedgerTests.open(sides, "sale-changed")
            #expect(told.map { $0["id"] as? String } == ["s2"], "\(told)")
            if decision == "resolve" {
                try await RestoredLedgerTests.decide("resolve", told.first, at: sides)
                let refused = try await sides.post(change.path, change.body)
                #expect(refused.status == .conflict && "\(refused.json)".contains("accepted"), "\(refused.json)")
                try await Self.acceptAll(sides)
            }
            try await Self.correct(change, sides)
            try await Self.expectEqual(kind == "void" ? [:] : ["s2": 8_990], sides)
        }
    }
}
