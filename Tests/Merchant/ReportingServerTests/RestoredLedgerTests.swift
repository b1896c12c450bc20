import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

/// An older copy of the ledger is restored, while Apple goes on from where the lost one was (SA-60, SA-73).
@Suite("After the restore of an older copy, what Apple has counts as accepted")
struct RestoredLedgerTests {
    /// The shop's books: requests in their order, and the milli-units of each line item that they make.
    struct Books {
        static let refund = back("r2", "3.00", of: "s2")
        static let order = """
            {"saleId":"o","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:59:10Z",
            "checkoutId":"k","lines":[
            {"productId":"gems","quantity":1,"amount":{"currency":"EUR","inclusive":"5.00","taxRate":"21","taxCountry":"NLD"}},
            {"productId":"map","quantity":1,"amount":{"currency":"EUR","inclusive":"4.99","taxRate":"21","taxCountry":"NLD"}}]}
            """
        static let charge = purchase("c1").replacing(
            #""type":"purchase","#,
            with:
                #""type":"subscription","subscriptionId":"sub","period":{"start":"2026-11-20T11:59:00Z","end":"2026-12-20T11:59:00Z"},"#
        )

        static func purchase(_ id: String) -> String {
            """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:59:00Z",
            "checkoutId":"k","productId":"gems.100","quantity":1,
            "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
        }

        static func back(_ id: String, _ amount: String, of buy: String) -> String {
            """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"refund","occurredAt":"2026-11-20T11:59:30Z",
            "refundOf":"\(buy)","amount":{"inclusive":"\(amount)"}}
            """
        }
    }

    /// The newest version of every line item that Apple accepted: milli-units with tax, and whether it stands.
    static func books(of sides: EmulatedMerchant) async throws -> [String: Int64] {
        var newest: [String: JSONObject] = [:]
        for body in try await sides.acceptedPuts() {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let item = item.objectValue, let id = item["lineItemId"]?.stringValue else { continue }
                newest[id] = item
            }
        }
        return newest.compactMapValues { $0["amountTaxInclusive"]?.int64Value }
    }

    static func send(_ bodies: [String], to sides: EmulatedMerchant) async throws {
        for body in bodies {
            let answer = try await sides.post("/v1/sales", body)
            #expect([201, 200].contains(answer.status.code), "\(answer.json)")
        }
        await sides.runUntilIdle()
    }

    static func token(_ text: String, to sides: EmulatedMerchant) async throws {
        let answer = try await sides.post("/v1/tokens", #"{"token":"\#(text)","checkoutId":"k"}"#)
        #expect([201, 200].contains(answer.status.code), "\(answer.json)")
    }

    static func mint(_ sides: EmulatedMerchant) async throws -> String {
        let minted = try await sides.emulator("POST", "/tokens", #"{"bundleId":"com.example.shop"}"#)
        return try #require(minted.objectValue?["token"]?.stringValue)
    }

    @Test("A token that an empty ledger gets again, without a checkout, gets the checkout that its sales name (TK-77)")
    func checkoutAgain() async throws {
        try await EmulatedMerchant.run { lost in
            let token = try await Self.mint(lost)
            let taken = try await lost.post("/v1/tokens", #"{"token":"\#(token)"}"#)
            let checkout = try #require(taken.json["checkoutId"] as? String)
            #expect(UUID(uuidString: checkout) != nil)
            let other = try await lost.receiveToken()
            #expect(other != checkout)
            try await EmulatedMerchant.run { restored in
                #expect(try await restored.post("/v1/tokens", #"{"token":"\#(token)"}"#).status == .created)
                try await restored.sell("s", checkout: checkout)
                let sale = try await restored.get("/v1/sales/s").json
                #expect(sale["standing"] as? String != "held", "\(sale)")
            }
        }
    }

    static func open(_ sides: EmulatedMerchant, _ kind: String) async throws -> [[String: Any]] {
        try await sides.list("/v1/review?kind=\(kind)", "review")
    }

    static func decide(
        _ action: String,
        _ item: [String: Any]?,
        at sides: EmulatedMerchant,
        more: String = ""
    ) async throws {
        let sequence = try #require(item?["sequence"] as? Int)
        let note = action == "resolve" ? #","note":"seen""# : ""
        let body = #"{"action":"\#(action)","by":"kim"\#(note)\#(more)}"#
        let answer = try await sides.post("/v1/review/\(sequence)", body)
        #expect(answer.status == .ok, "\(answer.json)")
        await sides.runUntilIdle()
    }

    /// Sells before a copy and after it, restores the copy and lets the shop send everything once more.
    ///
    /// - Parameter hasToken: whether the copy has the token.
    private static func restore(
        hasToken: Bool,
        _ test: @escaping @Sendable (EmulatedMerchant, [String]) async throws -> Void
    ) async throws {
        try await EmulatedMerchant.run { sides in
            let text = try await mint(sides)
            var copy = try sides.copyLedger()
            try await token(text, to: sides)
            if hasToken {
                try await send([Books.purchase("s1")], to: sides)
                copy = try sides.copyLedger()
            }
            let since = [Books.purchase("s2"), Books.refund, Books.order, Books.charge]
            for body in since { try await send([body], to: sides) }
            #expect(try await sides.states().allSatisfy { $0 == "accepted" })
            let reports = try await sides.list("/v1/reports", "reports").compactMap {
                $0["requestIdentifier"] as? String
            }
            try await sides.restored(from: copy) { restored in
                try await token(text, to: restored)
                try await send(since, to: restored)
                try await test(restored, hasToken ? Array(reports.dropFirst()) : reports)
            }
        }
    }

    /// What the shop has sold and given back in the end, in milli-units.
    private static func right(hasToken: Bool) -> [String: Int64] {
        var right: [String: Int64] = [
            "s2": 9_990, "r2": 3_000, "o/1": 5_000, "o/2": 4_990, "c1": 9_990, "r3": 2_000, "ro": 5_000, "rc": 9_990,
        ]
        if hasToken { right["s1"] = 9_990 }
        return right
    }

    private static let later = [
        Books.back("r3", "2.00", of: "s2"), Books.back("ro", "5.00", of: "o/1"), Books.back("rc", "9.99", of: "c1"),
    ]

    private static func expectBooks(_ sides: EmulatedMerchant, hasToken: Bool) async throws {
        #expect(try await books(of: sides) == right(hasToken: hasToken))
        #expect(try await sides.acceptances().values.allSatisfy { $0 == 1 })
        let sales = try await sides.list("/v1/sales?limit=100", "sales")
        let open = sales.filter {
            ["held", "planned"].contains($0["state"] as? String ?? "") && $0["standing"] as? String != "reported"
        }
        #expect(open.isEmpty, "\(open)")
        #expect(try await sides.list("/v1/review", "review").isEmpty)
        // The nets that Apple was told last are what is left of each purchase without tax.
        let puts = try await sides.acceptedPuts().joined()
        let nets = [#""netAmountTaxExclusive":4124"#, #""netAmountTaxExclusive":0"#]
        #expect(nets.allSatisfy { puts.contains($0) }, "\(puts)")
        // Neither now nor at its due date is anything more reported of the token.
        let count = try await sides.puts().count
        sides.advance(by: .days(20))
        await sides.runUntilIdle()
        #expect(try await sides.puts().count == count)
        let csv = String(buffer: try await sides.get("/v1/exports/2026-11.csv?environment=sandbox").body)
        for id in right(hasToken: hasToken).keys {
            #expect(csv.contains("\n\(id.prefix { $0 != "/" }),") || csv.contains("\(id),"), "\(csv)")
        }
        #expect(!csv.contains("review-closed") && !csv.contains("report-refused"), "\(csv)")
    }

    @Test(
        "Accepted without a request identifier: later refunds go out and Apple's side equals the shop's books",
        arguments: [true, false]
    )
    func accepted(hasToken: Bool) async throws {
        try await Self.restore(hasToken: hasToken) { sides, _ in
            let items = try await Self.open(sides, "report-refused")
            #expect(!items.isEmpty)
            #expect(items.allSatisfy { ($0["detail"] as? String)?.contains("s2") == true }, "\(items)")
            for item in items { try await Self.decide("accepted", item, at: sides) }
            try await Self.send(Self.later, to: sides)
            try await Self.expectBooks(sides, hasToken: hasToken)
            let audit = try await sides.get("/v1/audit?limit=500")
            let entries = try #require(audit.json["audit"] as? [[String: Any]], "\(audit.json)")
            let decided = entries.filter { $0["kind"] as? String == "attention-resolved" }
            #expect(decided.contains { "\($0)".contains("accepted") && "\($0)".contains("kim") }, "\(decided)")
        }
    }

    @Test("Accepted with the request identifiers that were kept: Apple's own copies are taken over")
    func copies() async throws {
        try await Self.restore(hasToken: true) { sides, reports in
            for id in reports {
                let item = try await Self.open(sides, "report-refused").first
                try await Self.decide("accepted", item, at: sides, more: #","requestIdentifier":"\#(id)""#)
            }
            #expect(try await Self.open(sides, "report-refused").isEmpty)
            try await Self.send(Self.later, to: sides)
            try await Self.expectBooks(sides, hasToken: true)
            let known = try await sides.list("/v1/reports?limit=100", "reports").compactMap {
                $0["requestIdentifier"] as? String
            }
            #expect(Set(known).isSuperset(of: reports))
        }
    }

    @Test(
        "Closed instead, a later refund is on the list of what waits, and the decision brings both right",
        arguments: ["accepted", "retry"]
    )
    func closed(_ action: String) async throws {
        try await Self.restore(hasToken: true) { sides, _ in
            for item in try await Self.open(sides, "report-refused") {
                try await Self.decide("resolve", item, at: sides)
            }
            // Also the refund that was refused with its purchase is closed: it has no item by which it would wait.
            let unreported = try await sides.list("/v1/sales?limit=100", "sales").filter {
                $0["standing"] as? String == "held"
            }
            #expect(unreported.contains { $0["saleId"] as? String == "r2" })
            #expect(unreported.allSatisfy { ($0["flags"] as? [String])?.contains("review-closed") == true })
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            try await Self.send(Self.later, to: sides)
            let sales = try await sides.list("/v1/sales?limit=100", "sales")
            let refund = try #require(sales.first { $0["saleId"] as? String == "r3" })
            #expect(Set(refund["flags"] as? [String] ?? []) == ["buy-held", "reference-closed"])
            #expect(refund["needsReview"] as? Bool == true)
            var rounds = 0
            while rounds < 12 {
                rounds += 1
                let waiting = try await Self.open(sides, "sale-held")
                let refused = try await Self.open(sides, "report-refused")
                // What the page offers first is what brings it right.
                let items = try await sides.merchant.lists.review(LedgerPage())
                let choices = try await sides.merchant.review.entries(of: items).map(\.choices.first)
                #expect(choices.allSatisfy { $0 == .accepted }, "\(choices)")
                if let item = refused.first {
                    try await Self.decide("accepted", item, at: sides)
                } else if let item = waiting.first {
                    try await Self.decide(action, item, at: sides)
                } else {
                    break
                }
            }
            try await Self.expectBooks(sides, hasToken: true)
        }
    }

    @Test(
        "A token whose sales nobody sends again draws E8 for its answer; accepted, it is answered nowhere again (RR-62)"
    )
    func tokenOnly() async throws {
        try await EmulatedMerchant.run { sides in
            let text = try await Self.mint(sides)
            let copy = try sides.copyLedger()
            try await Self.token(text, to: sides)
            try await Self.send([Books.purchase("s2")], to: sides)
            try await sides.restored(from: copy) { sides in
                try await Self.token(text, to: sides)
                sides.advance(by: .hours(9 * 24 + 1))
                _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":781200}"#)
                await sides.runUntilIdle()
                let item = try await Self.open(sides, "report-refused").first
                #expect((item?["detail"] as? String)?.contains("8 status") == true, "\(item ?? [:])")
                try await Self.decide("accepted", item, at: sides)
                #expect(try await sides.list("/v1/due", "due").isEmpty)
                // A sale that comes after all is refused once more, by its line item, and accepted likewise.
                try await Self.send([Books.purchase("s2")], to: sides)
                try await Self.decide("accepted", try await Self.open(sides, "report-refused").first, at: sides)
                try await Self.send([Books.back("r3", "2.00", of: "s2")], to: sides)
                #expect(try await Self.books(of: sides) == ["s2": 9_990, "r3": 2_000])
                #expect(try await sides.list("/v1/review", "review").isEmpty)
            }
        }
    }
}
