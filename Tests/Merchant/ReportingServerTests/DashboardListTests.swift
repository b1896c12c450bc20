import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import ReportValidation
import Reporting
import Testing

@testable import ReportingServer

@Suite("Pages say what a record is, when, and by what a list is sorted")
struct DashboardListTests {
    // MARK: Reading pages

    /// A table of a page: the columns, the column by which it is sorted, and the cells.
    private struct Table {
        let columns: [String]
        let sorted: (column: Int, order: String)?
        let rows: [[String]]

        static func all(in html: String) -> [Table] {
            html.matches(of: #/<table role="table">[^§]*?<\/table>/#).map { match in
                let text = String(match.output)
                let heads = text.matches(of: #/<th ([^>]*)>([^<\n]*)/#)
                let sorted = heads.enumerated().compactMap { place, head in
                    head.1.firstMatch(of: #/aria-sort="(\w+)"/#).map { (place, String($0.1)) }
                }
                return Table(
                    columns: heads.map { String($0.2) },
                    sorted: sorted.count == 1 ? (sorted[0].0, sorted[0].1) : nil,
                    rows: text.components(separatedBy: "<tr role=\"row\">").dropFirst(2).map { row in
                        row.components(separatedBy: "<td ").dropFirst().map { String($0) }
                    }
                )
            }
        }

        /// What the sorted column shows: moments, or numbers.
        var keys: [String] {
            guard let sorted else { return [] }
            return rows.map { row in
                let cell = row[sorted.column]
                if let time = cell.firstMatch(of: #/<time datetime="([^"]+)"/#) { return String(time.1) }
                let number = cell.firstMatch(of: #/<bdi>(\d+)<\/bdi>/#).map { String($0.1) } ?? ""
                return String(repeating: "0", count: 12 - number.count) + number
            }
        }
    }

    /// The moments of a page with the words that stand for them.
    private static func moments(in html: String) -> [(label: String, time: Timestamp)] {
        let patterns: [Regex<(Substring, Substring)>] = [
            #/<dt>([^<]*)<\/dt><dd[^>]*>[^§]*?<\/dd>/#, #/data-label="([^"]*)">[^§]*?<\/td>/#,
            #/<li class="[^"]*">\s*<p class="when">[^§]*?<strong>([^<]*)<\/strong>/#,
        ]
        var found: [(label: String, time: Timestamp)] = []
        for pattern in patterns {
            for match in html.matches(of: pattern) {
                for time in match.0.matches(of: #/datetime="([^"]+)"/#) {
                    if let moment = Timestamp(rfc3339: String(time.1)) { found.append((String(match.1), moment)) }
                }
            }
        }
        return found
    }

    // MARK: Records

    /// Three tokens, and sales that arrive in another order than they happened; two of them are corrected.
    private static func seeded(_ test: @escaping @Sendable (EmulatedMerchant) async throws -> Void) async throws {
        try await EmulatedMerchant.run { sides in
            for (number, minute) in [(1, 50), (2, 58), (3, 40)] {
                let checkout = try await sides.receiveToken()
                try await sides.sell("order-\(number)", checkout: checkout, at: "2026-11-20T11:\(minute):00Z")
                await sides.runUntilIdle()
                sides.advance(by: .minutes(7))
            }
            for number in [2, 1] {
                let body =
                    #"{"bundleId":"\#(EmulatedMerchant.bundleId)","saleId":"order-\#(number)","action":"restate","#
                    + #""fields":{"inclusive":"8.99","taxRate":"21"},"requestedBy":"kim","reason":"x"}"#
                #expect(try await sides.post("/v1/corrections", body).status.code < 300)
                sides.advance(by: .minutes(7))
            }
            try await test(sides)
        }
    }

    @Test("A list that says what comes first is sorted by a column that it shows")
    func sorted() async throws {
        try await Self.seeded { sides in
            let token = try #require(
                try await sides.list("/v1/tokens", "tokens").first?["externalPurchaseId"] as? String
            )
            let pages = ["/sales", "/tokens", "/reports", "/corrections", "/audit", "/tokens/\(token)"]
            for path in pages {
                let html = String(buffer: try await sides.get(path).body)
                let table = try #require(Table.all(in: html).first, "\(path)")
                let order = try #require(table.sorted?.order, "\(path) does not say by what it is sorted")
                #expect(table.rows.count >= (path.hasPrefix("/tokens/") ? 1 : 2), "\(path)")
                let keys = table.keys
                #expect(keys == keys.sorted { order == "descending" ? $0 > $1 : $0 < $1 }, "\(path): \(keys)")
            }
            // By the date of the sales the list would be 2, 1, 3.
            let sales = String(buffer: try await sides.get("/sales").body)
            let ids = sales.matches(of: #/href="\/sales\/(order-\d)"/#).map { String($0.1) }
            #expect(ids == ["order-3", "order-2", "order-1"])
        }
    }

    @Test("Every page that promises an order has one sorted column", arguments: MerchantList.allCases)
    func promised(_ list: MerchantList) async throws {
        try await Self.seeded { sides in
            let html = String(buffer: try await sides.get("/\(list.rawValue)").body)
            let lead = html.firstMatch(of: #/<h1>[^<]*<\/h1>\s*<p class="soft">([^<]*)/#).map { String($0.1) } ?? ""
            guard lead.contains(" first") else { return }
            let tables = Table.all(in: html).filter { !$0.rows.isEmpty }
            // The due list is in groups, and an empty list has no table.
            if list == .due { return }
            #expect(tables.allSatisfy { $0.sorted != nil }, "\(lead)")
        }
    }

    @Test("A link to a record and the heading of its page say what it is; its id stands beside")
    func titles() async throws {
        try await Self.seeded { sides in
            let token = try #require(
                try await sides.list("/v1/tokens", "tokens").first?["externalPurchaseId"] as? String
            )
            let report = try #require(
                try await sides.list("/v1/reports", "reports").first?["requestIdentifier"] as? String
            )
            let correction = try #require(
                try await sides.list("/v1/corrections", "corrections").last?["correctionId"] as? String
            )
            let records: [(path: String, title: String, id: String)] = [
                ("/sales/order-2", "Purchase of gems.100, 9.99 EUR, 20 Nov 2026", "order-2"),
                ("/tokens/\(token)", "oken of 20 Nov 2026 12:00", token),
                ("/reports/\(report)", "Report of 20 Nov 2026 12:00", report),
                ("/corrections/\(correction)", "Restatement: Purchase of gems.100, 9.99 EUR", correction),
            ]
            for (path, title, id) in records {
                let html = String(buffer: try await sides.get(path).body)
                let heading = html.firstMatch(of: #/<h1><bdi>([^<]*)<\/bdi><\/h1>/#).map { String($0.1) } ?? ""
                #expect(heading.hasSuffix(title), "\(path): \(heading)")
                #expect(!heading.contains(id), "\(path): \(heading)")
                #expect(html.contains(#"<p class="ident"><bdi class="id">\#(id)</bdi>"#), "\(path)")
            }
            let pages =
                ["/", "/due", "/review", "/sales", "/tokens", "/reports", "/corrections", "/search?q=order-1"]
                + records.map(\.path)
            for path in pages {
                let html = String(buffer: try await sides.get(path).body)
                let kinds = ["sales", "tokens", "reports", "corrections", "notifications", "events"]
                for link in html.matches(of: #/<a\s[^>]*href="\/([a-z]+)\/([^"?]+)[^>]*>(.*?)<\/a>/#)
                where kinds.contains(String(link.1)) {
                    let text = link.3.replacing(#/<[^>]*>/#, with: "")
                    let id = String(link.2).removingPercentEncoding ?? ""
                    #expect(text != id && !text.isEmpty, "\(path) links \(text)")
                }
            }
        }
    }

    // MARK: Tense

    @Test("No word of the past stands for a moment that is still to come")
    func tense() async throws {
        var settings = ReportingSettings()
        settings.rules.clockSkew = .hours(3)
        settings.due = try DeadlineSettings(sendDelay: .days(2))
        try await EmulatedMerchant.run(settings: settings) { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("order-1", checkout: checkout)
            try await sides.sell("order-2", checkout: checkout, at: "2026-11-20T14:00:00Z")
            _ = try await sides.receiveToken()
            let tokens = try await sides.list("/v1/tokens", "tokens").compactMap { $0["externalPurchaseId"] as? String }
            var future = 0
            let pages =
                ["/", "/due", "/sales", "/tokens", "/review", "/sales/order-1", "/sales/order-2"]
                + tokens.map { "/tokens/\($0)" }
            for path in pages {
                let html = String(buffer: try await sides.get(path).body)
                for (label, time) in Self.moments(in: html) where time > sides.now {
                    future += 1
                    #expect(
                        label.firstMatch(of: #/(?i)\b(\w+ed|sent|seen|made|was|were|arrived)\b/#) == nil
                            || label.lowercased().contains("will be"),
                        "\(path): \(label) \(time)"
                    )
                }
            }
            #expect(future > 8)
            let due = String(buffer: try await sides.get("/due").body)
            #expect(due.contains("Will be sent") && !due.contains(">Sent<"))
        }
    }

    @Test("What is due and not sent yet goes out at once, and says when it was planned")
    func late() async throws {
        try await EmulatedMerchant.run { sides in
            try await sides.sell("order-1", checkout: try await sides.receiveToken())
            sides.advance(by: .days(40))
            let due = String(buffer: try await sides.get("/due").body)
            #expect(due.contains("at once") && due.contains("planned for"))
            let days = try await sides.list("/v1/due", "due").compactMap { $0["daysLeft"] as? Int }.filter { $0 < -2 }
            #expect(!days.isEmpty)
            for day in days { #expect(due.contains("\(-day) days late"), "\(day)") }
        }
    }

    // MARK: Corrections

    @Test("A correction that is closed or on its way says what became of it, not what Apple would say")
    func verdicts() async throws {
        try await Self.seeded { sides in
            let ids = try await sides.list("/v1/corrections", "corrections").compactMap {
                $0["correctionId"] as? String
            }
            let page = { (id: String) in String(buffer: try await sides.get("/corrections/\(id)").body) }
            #expect(try await page(ids[0]).contains("Apple would accept it"))
            try await sides.fault("PUT", #"{"status":503}"#, times: 1)
            let confirm = { (id: String) in #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"kim"}"# }
            #expect(try await sides.post("/v1/corrections", confirm(ids[0])).status == .created)
            await sides.runUntilIdle()
            let sent = try await page(ids[0])
            #expect(sent.contains("on the way to Apple") && !sent.contains("would accept"))
            for _ in 0..<5 {
                sides.advance(by: .minutes(10))
                await sides.runUntilIdle()
            }
            let closed = try await page(ids[0])
            #expect(closed.contains(">closed<") && closed.contains("Apple accepted it"), "\(closed)")
            #expect(!closed.contains("would accept") && !closed.contains("At Apple now"))
        }
    }

    @Test("A correction that was closed without being sent says so")
    func closedUnsent() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            for (id, from, to) in [("s", 0, 30), ("r2", 61, 91), ("r1", 30, 61)] {
                let body = LateEventTests.Arrival.charge(id, from, to).body(checkout: checkout)
                #expect(try await sides.post("/v1/sales", body).status == .created)
                await sides.runUntilIdle()
            }
            let item = try #require(try await sides.list("/v1/review", "review").first)
            let id = try #require(item["correctionId"] as? String)
            let kept = #"{"action":"resolve","by":"kim","note":"as it is"}"#
            #expect(try await sides.post("/v1/review/1", kept).status == .ok)
            let page = String(buffer: try await sides.get("/corrections/\(id)").body)
            #expect(page.contains("not sent") && page.contains("it was not sent"), "\(page)")
            #expect(!page.contains("would accept") && !page.contains("before you confirm"))
        }
    }
}
