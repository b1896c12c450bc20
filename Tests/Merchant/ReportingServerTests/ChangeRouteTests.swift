import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import LedgerSQLite
import NIOCore
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("The feed of changes")
struct ChangeRouteTests {
    /// A consumer's copy of the lists: the newest data of each record.
    private struct Copy {
        var records: [String: [String: [String: Any]]] = [:]
        var types: [String] = []
        var cursors: [String] = []

        mutating func take(_ change: [String: Any]) throws {
            let subject = try #require(change["subject"] as? [String: Any])
            let (kind, id) = (try #require(subject["type"] as? String), try #require(subject["id"] as? String))
            types.append(try #require(change["type"] as? String))
            cursors.append(try #require(change["cursor"] as? String))
            records[kind, default: [:]][id] = change["data"] as? [String: Any]
        }
    }

    private static let bundleId = EmulatedMerchant.bundleId

    /// The rows of a list as the feed gives them: without the caller's id of a customer, and without what time alone changes.
    private static func plain(_ rows: [[String: Any]]) -> NSArray {
        func plain(_ value: Any) -> Any {
            guard let object = value as? [String: Any] else {
                return (value as? [Any])?.map(plain) ?? value
            }
            return object.filter { !["customer", "customerId", "needsReview"].contains($0.key) }.mapValues(plain)
        }
        return rows.map(plain) as NSArray
    }

    private static func follow(_ sides: EmulatedMerchant, limit: Int, from start: String? = nil) async throws -> Copy {
        var (copy, next) = (Copy(), start)
        while true {
            let answer = try await sides.get("/v1/changes?limit=\(limit)" + (next.map { "&after=\($0)" } ?? ""))
            #expect(answer.status == .ok, "\(answer.json)")
            let changes = try #require(answer.json["changes"] as? [[String: Any]])
            #expect(changes.count <= limit)
            for change in changes { try copy.take(change) }
            let last = next
            next = try #require(answer.json["next"] as? String)
            if changes.count < limit {
                #expect(!changes.isEmpty || last == nil || next == last)
                return copy
            }
        }
    }

    private static func compare(_ copy: Copy, with sides: EmulatedMerchant) async throws {
        for (kind, id) in [("token", "externalPurchaseId"), ("sale", "saleId"), ("report", "requestIdentifier")] {
            let listed = try await sides.list("/v1/\(kind)s?limit=1000", "\(kind)s")
            let told = copy.records[kind] ?? [:]
            #expect(Set(told.keys) == Set(listed.compactMap { $0[id] as? String }))
            let rows = listed.compactMap { row in (row[id] as? String).flatMap { told[$0] } }
            #expect(plain(rows) == plain(listed), "\(kind)")
        }
    }

    private static func sale(_ id: String, checkout: String, _ more: String) -> String {
        """
        {"saleId":"\(id)","bundleId":"\(bundleId)","occurredAt":"2026-11-20T11:59:00Z","customerId":"anna@example.com",\
        "checkoutId":"\(checkout)",\(more)}
        """
    }

    private static func amount(_ inclusive: String) -> String {
        #""amount":{"currency":"EUR","inclusive":"\#(inclusive)","taxRate":"21","taxCountry":"NLD"}"#
    }

    /// A token, a purchase, an order, a refund, a sale that waits, a void, a refusal, a correction.
    private static func live(_ sides: EmulatedMerchant) async throws {
        let checkout = try await sides.receiveToken()
        let product = #""productId":"gems","quantity":1,"# + amount("9.99")
        let sales = [
            sale("buy", checkout: checkout, #""type":"purchase","# + product),
            sale("order", checkout: checkout, #""type":"purchase","lines":[{\#(product)},{\#(product)}]"#),
            sale("held", checkout: "unknown", #""type":"purchase","# + product),
        ]
        for sale in sales { #expect(try await sides.post("/v1/sales", sale).status == .created) }
        await sides.runUntilIdle()
        let refund = """
            {"saleId":"back","bundleId":"\(bundleId)","type":"refund","occurredAt":"2026-11-20T11:59:30Z",\
            "refundOf":"buy","amount":{"inclusive":"3.00"}}
            """
        #expect(try await sides.post("/v1/sales", refund).status == .created)
        try await sides.fault("PUT", #"{"status":400}"#)
        await sides.runUntilIdle()
        let voiding = #"{"reason":"typed twice","by":"kim"}"#
        #expect(try await sides.post("/v1/sales/held/void", voiding).status == .ok)
        let planned = try await sides.post(
            "/v1/corrections",
            #"{"bundleId":"\#(bundleId)","saleId":"buy","action":"restate","fields":{"inclusive":"8.99"},"#
                + #""requestedBy":"maria","reason":"wrong price"}"#
        )
        if let correction = planned.json["correctionId"] as? String {
            let confirmation = #"{"correctionId":"\#(correction)","confirm":true,"confirmedBy":"otto"}"#
            _ = try await sides.post("/v1/corrections", confirmation)
        }
        await sides.runUntilIdle()
    }

    @Test(
        "Whoever follows it from zero has the lists of tokens, sales and reports, whatever the page",
        arguments: [1, 7, 1_000]
    )
    func rebuilds(_ limit: Int) async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.live(sides)
            let copy = try await Self.follow(sides, limit: limit)
            try await Self.compare(copy, with: sides)
            let expected: Set<String> = [
                "token.stored", "sale.planned", "sale.held", "sale.reported", "sale.corrected", "report.written",
                "report.accepted",
            ]
            #expect(expected.isSubset(of: copy.types), "\(copy.types)")
            #expect(Set(copy.cursors).count == copy.cursors.count)
            // What happens later is read from there.
            let before = copy.cursors[copy.cursors.count / 2]
            let rest = try await Self.follow(sides, limit: limit, from: before)
            #expect(rest.cursors == Array(copy.cursors[(copy.cursors.count / 2 + 1)...]))
        }
    }

    @Test("With Accept: application/x-ndjson each change is a line")
    func lines() async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.live(sides)
            let answer = try await sides.client.execute(
                uri: "/v1/changes?limit=1000",
                method: .get,
                headers: [.accept: "application/x-ndjson"]
            )
            #expect(answer.headers[.contentType] == "application/x-ndjson")
            var copy = Copy()
            for line in String(buffer: answer.body).split(separator: "\n") {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                try copy.take(try #require(object as? [String: Any]))
            }
            #expect(copy.cursors == (try await Self.follow(sides, limit: 100)).cursors)
            try await Self.compare(copy, with: sides)
        }
    }

    @Test("Customers are pseudonyms, which stay when an id is erased; the erasure is a change (OB-92)")
    func customers() async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.live(sides)
            func pseudonyms() async throws -> Set<String> {
                let answer = try await sides.get("/v1/changes?limit=1000")
                #expect(!String(buffer: answer.body).contains("anna@example.com"))
                let changes = try #require(answer.json["changes"] as? [[String: Any]])
                return Set(
                    changes.compactMap {
                        (($0["data"] as? [String: Any])?["sale"] as? [String: Any])?["customer"] as? String
                    }
                )
            }
            let before = try await pseudonyms()
            #expect(before.count == 1)
            let erasure = #"{"bundleId":"\#(Self.bundleId)","customerId":"anna@example.com"}"#
            #expect(try await sides.post("/v1/erasures", erasure).status == .ok)
            #expect(try await pseudonyms() == before)
            let copy = try await Self.follow(sides, limit: 1_000)
            #expect(copy.types.last == "customer.erased")
            #expect(copy.records["customer"].map { Set($0.keys) } == before)
        }
    }

    @Test("A purge is a change, and what it removed has no data any more (OB-91)")
    func purge() async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.live(sides)
            let whole = try await Self.follow(sides, limit: 1_000)
            let cut = sides.now + .days(3_650)
            _ = try await sides.merchant.store.write { ledger throws(LedgerError) in
                try ledger.purge(try ledger.purgePlan(before: cut), by: "kim")
            }
            let copy = try await Self.follow(sides, limit: 1_000)
            #expect(copy.types.last == "ledger.purged")
            for type in ["token.stored", "sale.corrected", "report.accepted"] {
                #expect(copy.types.filter { $0 == type } == whole.types.filter { $0 == type })
            }
            #expect(whole.records["token"]?.isEmpty == false)
            try await Self.compare(copy, with: sides)
            let after = try await Self.follow(sides, limit: 1_000, from: whole.cursors.last)
            #expect(after.types == ["ledger.purged"])
        }
    }

    @Test("Alerts about due dates are changes of their tokens")
    func deadlines() async throws {
        try await EmulatedMerchant.run { sides in
            _ = try await sides.receiveToken()
            let monitor = sides.merchant.alertMonitor(AlertSettings(includesScheduled: true))
            var types: [[String]] = []
            for days in [9, 2] as [Int64] {
                sides.advance(by: .days(days))
                try await monitor.scan()
                let copy = try await Self.follow(sides, limit: 1_000)
                types.append(copy.types.filter { $0.hasPrefix("deadline.") })
                #expect(copy.records["token"]?.count == 1)
            }
            #expect(types.map(\.last) == ["deadline.near", "deadline.missed"], "\(types)")
        }
    }

    @Test(
        "A cursor that the ledger does not contain is refused, so that nobody passes over what a restored copy numbers anew"
    )
    func restored() async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.live(sides)
            let copy = try sides.copyLedger()
            let known = try #require(try await Self.follow(sides, limit: 1_000).cursors.last)
            _ = try await sides.receiveToken()
            let later = try #require(try await Self.follow(sides, limit: 1_000).cursors.last)
            try await sides.restored(from: copy) { restored in
                #expect(try await restored.get("/v1/changes?after=\(known)").status == .ok)
                #expect(try await restored.get("/v1/changes?after=\(later)").status == .unprocessableContent)
                for _ in 0..<9 { _ = try await restored.receiveToken() }
                #expect(try await restored.get("/v1/changes?after=\(later)").status == .unprocessableContent)
            }
        }
    }

    @Test(
        "Other texts are no cursor",
        arguments: [
            "x", "1", "1.0", "1.0.zzzzzzzz", "01.0.00000000", "1.-1.00000000", "1.0.0000000", "-1.0.00000000",
            "1.0.00000000",
        ]
    )
    func wrongCursors(_ text: String) async throws {
        try await AccessFixture().application().test(.router) { client in
            let answer = try await client.send(.get, "/v1/changes?after=\(text)")
            #expect(answer.status == .unprocessableContent)
            let errors = answer.json["errors"] as? [[String: Any]]
            #expect(errors?.first?["path"] as? String == "?after")
        }
    }

    @Test("A key of one app sees that app's changes, and reads on behind those of others")
    func apps() async throws {
        let server = try AccessFixture()
        let keys = [
            try await server.key(.read), try await server.key(.read, app: AccessFixture.shop),
            try await server.key(.read, app: AccessFixture.other),
        ]
        let sender = try await server.key(.sales)
        try await server.application().test(.router) { client in
            for number in 1...6 {
                let app = number % 3 == 0 ? AccessFixture.other : AccessFixture.shop
                let sale = AccessFixture.sale("s\(number)", of: app)
                #expect(try await client.send(.post, "/v1/sales", key: sender, body: sale).status == .created)
            }
            var seen: [[String]] = []
            for key in keys {
                var (ids, next): ([String], String?) = ([], nil)
                while true {
                    let path = "/v1/changes?limit=1" + (next.map { "&after=\($0)" } ?? "")
                    let answer = try await client.send(.get, path, key: key).json
                    let changes = try #require(answer["changes"] as? [[String: Any]])
                    next = answer["next"] as? String
                    if changes.isEmpty { break }
                    ids += changes.compactMap { ($0["subject"] as? [String: Any])?["id"] as? String }
                }
                seen.append(ids)
            }
            #expect(Set(seen[0]).count == 6)
            #expect(Set(seen[1]) == ["s1", "s2", "s4", "s5"])
            #expect(Set(seen[2]) == ["s3", "s6"])
        }
    }
}
