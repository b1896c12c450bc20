import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("What waits for a person is said in words, and decided at once")
struct DashboardReviewTests {
    // MARK: Words

    /// What people who do not know the interface cannot read: paths, commands, rules, errors, names with hyphens or
    /// capitals inside, and code.
    private static func jargon(in text: String) -> [String] {
        let patterns: [Regex<Substring>] = [
            #/\b[A-Z]{2}-\d+\b/#, #/\bE\d+\b/#, #/`[^`]*`/#, #/\s\/[a-z][a-z0-9\/-]+/#, #/\bGET\b|\bPOST\b|\bPUT\b/#,
            #/--[a-z]+/#, #/\b[a-z]+[A-Z]\w*\b/#, #/\bserve\b|\bledger\b|\bcurl\b|\bYAML\b|\bJSON\b/#,
        ]
        let names = HoldCause.allCases.map(\.rawValue).filter { $0.contains("-") }
        return patterns.flatMap { pattern in text.matches(of: pattern).map { String($0.output) } }
            + names.filter { text.contains($0) }
    }

    /// The kinds that the sources declare, wherever they do.
    private static func declaredKinds() throws -> Set<String> {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Merchant")
        var kinds: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for declaration in text.components(separatedBy: "\n}\n")
            where declaration.contains("struct ReviewKind") || declaration.contains("extension ReviewKind") {
                kinds.formUnion(declaration.matches(of: #/Self\(rawValue: "([a-z-]+)"\)/#).map { String($0.1) })
            }
        }
        return kinds
    }

    @Test("Every kind of review item that the sources declare has words and a runbook")
    func kinds() throws {
        let declared = try Self.declaredKinds()
        #expect(declared.count >= 8)
        #expect(Set(ReviewKind.known.map(\.rawValue)) == declared)
        #expect(Set(ReviewWords.all.keys.map(\.rawValue)) == declared)
        for (kind, words) in ReviewWords.all {
            for text in [words.title, words.problem, words.wayOut] + words.labels.values {
                #expect(Self.jargon(in: text) == [], "\(kind.rawValue): \(text)")
            }
            #expect(words.problem.hasSuffix(".") && words.wayOut.hasSuffix("."), "\(kind.rawValue)")
            #expect(RunbookPages.names.contains(words.runbook), "\(kind.rawValue)")
            let others = ReviewWords.all.filter { $0.key != kind }.map(\.value.wayOut)
            #expect(!others.contains(words.wayOut), "\(kind.rawValue) has the way out of another kind")
        }
    }

    @Test("Every cause of a hold has words of its own")
    func causes() {
        var seen: Set<String> = []
        for cause in HoldCause.allCases {
            let words = cause.words
            for text in [words.label, words.problem, words.wayOut] {
                #expect(Self.jargon(in: text) == [], "\(cause): \(text)")
                #expect(!text.isEmpty)
            }
            #expect(seen.insert(words.label).inserted && seen.insert(words.problem).inserted, "\(cause)")
        }
        for flag in SaleFlag.known {
            #expect(!flag.label.contains("-") && Self.jargon(in: flag.label) == [], "\(flag.rawValue)")
            #expect(HoldCause(rawValue: flag.rawValue) != nil || SaleFlag.labels[flag] != nil, "\(flag.rawValue)")
        }
    }

    // MARK: Pages

    /// A ledger with a held sale of every cause but those that another record holds, each with its item.
    private static func seed(_ fixture: borrowing ServerFixture, _ count: Int = 1) async throws {
        for number in 1...count {
            let body = """
                {"saleId":"s-\(number)","bundleId":"\(ServerFixture.bundleId)","type":"purchase",
                "occurredAt":"2026-11-20T11:59:00Z","customerId":"anna","productId":"gems.500","quantity":1,
                "amount":{"currency":"EUR","inclusive":"19.99","taxRate":"21"}}
                """
            let json = try JSONReader().read(Array(body.utf8))
            _ = try await fixture.merchant.sales.receive(
                SaleCommand(body: json, apps: fixture.merchant.apps, caller: .anybody)
            )
        }
    }

    /// What a page says, without its menu, its fields and the record for whoever runs the server.
    private static func words(of html: String) -> String {
        guard let main = html.firstMatch(of: #/<main[^§]*<\/main>/#).map({ String($0.output) }) else { return html }
        return main.replacing(#/<details class="payload"[^§]*?<\/details>/#, with: "")
            .replacing(#/<(bdi|p class="ident")[^>]*>[^<]*(com\.example\.shop|s-\d)[^<]*/#, with: "")
            .replacing(#/<[^>]*>/#, with: " ")
    }

    @Test("An item names product, amount and customer, says the way out in words, and leads to its runbook")
    func item() async throws {
        let fixture = try ServerFixture()
        try await Self.seed(fixture)
        try await fixture.application.test(.router) { client in
            for path in ["/review", "/review/1", "/"] {
                let html = String(buffer: try await client.execute(uri: path, method: .get).body)
                for text in [
                    "Sale held: Purchase of gems.500, 19.99 EUR, 20 Nov 2026", "anna",
                    "The country whose tax the sale carries is not known.",
                    "Ask the shop to send the sale again with its tax country.", "/runbooks/sale-held",
                ] { #expect(html.contains(text), "\(path): \(text)") }
                #expect(!html.contains("no-tax-country") || path == "/review/1", "\(path)")
                if path.hasPrefix("/review") { #expect(Self.jargon(in: Self.words(of: html)) == [], "\(path)") }
            }
            let runbook = try await client.execute(uri: "/runbooks/sale-held", method: .get)
            #expect(runbook.status == .ok)
            #expect(String(buffer: runbook.body).contains("A sale cannot go into a report and needs a person"))
        }
    }

    @Test("The page of an item of every kind is free of the interface's words", arguments: ReviewKind.known)
    func everyKind(_ kind: ReviewKind) async throws {
        let fixture = try ServerFixture()
        try await Self.seed(fixture)
        let subject: ReviewSubject =
            [.saleHeld, .saleChanged, .subscriptionFigures].contains(kind) ? .sale("s-1") : .app
        try await fixture.store.write { ledger throws(LedgerError) in
            for item in try ledger.openReviewItems(LedgerPage()) {
                try ledger.resolve(
                    item.sequence,
                    ReviewResolution(resolvedAt: item.openedAt, by: "test", note: "settled")
                )
            }
            _ = try ledger.open(
                ReviewItem(
                    bundleId: ServerFixture.bundleId,
                    kind: kind,
                    subject: subject,
                    detail: "held for no-tax: GET /v1/sales, RR-66, `ledger plan`",
                    openedAt: Timestamp(milliseconds: 1_795_176_000_000)
                )
            )
        }
        try await fixture.application.test(.router) { client in
            let words = ReviewWords.of(kind)
            for path in ["/review", "/review/2", "/"] {
                let html = String(buffer: try await client.execute(uri: path, method: .get).body)
                #expect(html.contains(words.title), "\(path)")
                if path != "/" { #expect(Self.jargon(in: Self.words(of: html)) == [], "\(path)") }
                let link = try #require(html.firstMatch(of: #/href="(\/runbooks\/[a-z-]+)"/#), "\(path)")
                #expect(link.1 == "/runbooks/\(words.runbook)")
                #expect(try await client.execute(uri: String(link.1), method: .get).status == .ok)
            }
        }
    }

    // MARK: Runbooks

    @Test("Every runbook is a page without marks, and its links lead to pages")
    func runbooks() async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            #expect(RunbookFiles.all.count >= 18)
            let index = String(buffer: try await client.execute(uri: "/runbooks", method: .get).body)
            for (name, source) in RunbookFiles.all where name != "README" {
                #expect(index.contains("/runbooks/\(name)\""), "\(name)")
                let answer = try await client.execute(uri: "/runbooks/\(name)", method: .get)
                let html = String(buffer: answer.body)
                #expect(answer.status == .ok, "\(name)")
                DashboardPageTests.check(html.replacingOccurrences(of: "{{", with: ""), answer.headers, name)
                let main = html.firstMatch(of: #/<main[^§]*<\/main>/#).map { String($0.output) } ?? ""
                let prose = main.replacing(#/<pre[^§]*?<\/pre>/#, with: "")
                    .replacing(#/<code>[^<]*<\/code>/#, with: "").replacing(#/<[^>]*>/#, with: " ")
                for mark in ["**", "](", "```", "| "] { #expect(!prose.contains(mark), "\(name): \(mark)") }
                // Every line of a command is there as it was, and every item of its steps.
                #expect(main.matches(of: #/<pre/#).count == source.matches(of: #/```/#).count / 2, "\(name)")
                #expect(main.matches(of: #/<li>/#).count == source.matches(of: #/(?m)^\d\. /#).count, "\(name)")
                let rows = source.split(separator: "\n").count { $0.hasPrefix("|") && !$0.hasPrefix("|---") }
                #expect(main.matches(of: #/<tr role="row">/#).count == rows, "\(name)")
                for link in main.matches(of: #/href="(\/[^"]*)"/#) where !link.1.hasPrefix("/assets") {
                    #expect(try await client.execute(uri: String(link.1), method: .get).status == .ok, "\(link.1)")
                }
            }
            for path in ["/runbooks/README", "/runbooks/none", "/runbooks/..%2Fserve"] {
                #expect(try await client.execute(uri: path, method: .get).status == .notFound, "\(path)")
            }
        }
    }

    // MARK: Several at once

    private static let decision = [("by", "kim"), ("action", "resolve"), ("note", "sold by mistake")]

    @Test("Several items are decided at once: each result is shown, and a refused one changes nothing of the others")
    func several() async throws {
        let fixture = try ServerFixture()
        try await Self.seed(fixture, 4)
        try await fixture.application.test(.router) { client in
            let page = String(buffer: try await client.execute(uri: "/review", method: .get).body)
            let form = try #require(DashboardForm.all(in: page).first)
            #expect(form.boxes == ["item.4", "item.3", "item.2", "item.1"])
            let csrf = ("csrf", DashboardPageTests.csrf(in: page))
            // One of them was closed meanwhile, and one never existed.
            let other = try await DashboardPageTests.submit(
                client,
                "/review/2",
                [csrf, ("by", "lee"), ("action", "resolve"), ("note", "mine")]
            )
            #expect(other.status == .seeOther)
            let ticked = ["item.1", "item.2", "item.3", "item.99"].map { ($0, "on") }
            let answer = try await DashboardPageTests.submit(client, "/review", [csrf] + Self.decision + ticked)
            let html = String(buffer: answer.body)
            #expect(answer.status == .ok)
            for text in ["2 items decided, 2 not", "closed already", "By lee", "not possible", "no review item 99"] {
                #expect(html.contains(text), "\(text): \(html)")
            }
            #expect(html.matches(of: #/Purchase of gems\.500, 19\.99 EUR/#).count >= 3)
            let open = try await client.execute(uri: "/v1/review", method: .get).json["review"] as? [[String: Any]]
            #expect(open?.compactMap { $0["sequence"] as? Int } == [4])
            let closed =
                try await client.execute(uri: "/v1/review?state=resolved", method: .get)
                .json["review"] as? [[String: Any]]
            #expect(closed?.filter { $0["resolvedBy"] as? String == "kim" }.count == 2)
            #expect(closed?.allSatisfy { ($0["note"] as? String)?.hasPrefix("resolve: ") == true } == true)
            // Again: none is decided, and nothing changes.
            let again = try await DashboardPageTests.submit(client, "/review", [csrf] + Self.decision + ticked)
            #expect(again.status == .conflict)
        }
    }

    @Test("Items whose sale a person can release have a group of their own, so that each button fits all of it")
    func groups() async throws {
        let fixture = try ServerFixture()
        try await Self.seed(fixture, 3)
        try await fixture.store.write { ledger throws(LedgerError) in
            guard var sale = try ledger.sale("s-2", of: ServerFixture.bundleId) else { return }
            sale.attribution.holdCauses = [.tokenUnknownToApple]
            try ledger.update(sale.attribution, of: "s-2", app: ServerFixture.bundleId)
        }
        try await fixture.application.test(.router) { client in
            let page = String(buffer: try await client.execute(uri: "/review", method: .get).body)
            let forms = DashboardForm.all(in: page)
            #expect(forms.map(\.boxes) == [["item.3", "item.1"], ["item.2"]])
            #expect(forms.map { $0.buttons.map(\.value) } == [["resolve"], ["retry", "resolve"]])
        }
    }

    @Test("A decision about several needs a reason, ticked items, the page's token and, with users, a sign-in")
    func refused() async throws {
        let fixture = try ServerFixture()
        try await Self.seed(fixture, 2)
        let rows: [(fields: [(String, String)], HTTPFields, HTTPResponse.Status)] = [
            (Self.decision, [:], .unprocessableContent),
            ([("by", "kim"), ("action", "resolve"), ("item.1", "on")], [:], .unprocessableContent),
            ([("by", "kim"), ("action", "again"), ("note", "n"), ("item.1", "on")], [:], .unprocessableContent),
            (Self.decision + [("item.1", "on")], [.origin: "http://evil.example"], .forbidden),
            (Self.decision + [("item.1", "on"), ("item.1", "on")], [:], .badRequest),
            (Self.decision + (1...51).map { ("item.\($0)", "on") }, [:], .unprocessableContent),
        ]
        try await fixture.application.test(.router) { client in
            let page = String(buffer: try await client.execute(uri: "/review", method: .get).body)
            let csrf = ("csrf", DashboardPageTests.csrf(in: page))
            for (fields, headers, status) in rows {
                let answer = try await DashboardPageTests.submit(client, "/review", [csrf] + fields, headers: headers)
                #expect(answer.status == status, "\(fields)")
            }
            let forged = try await DashboardPageTests.submit(
                client,
                "/review",
                [("csrf", "0")] + Self.decision + [("item.1", "on")]
            )
            #expect(forged.status == .forbidden)
            let open = try await client.execute(uri: "/v1/review", method: .get).json["review"] as? [[String: Any]]
            #expect(open?.count == 2)
        }
        let server = ReportingServer(system: fixture.merchant, links: [:], dashboard: .kim())
        try await Application(router: server.router()).test(.router) { client in
            let stranger = try await DashboardPageTests.submit(
                client,
                "/review",
                Self.decision + [("item.1", "on")]
            )
            #expect(stranger.status == .seeOther)
            #expect(stranger.headers[.location]?.hasPrefix("/sign-in") == true)
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let fields = [("action", "resolve"), ("note", "n"), ("by", "somebody else"), ("item.1", "on")]
            let answer = try await browser.submit("/review", fields, from: "/review")
            #expect(answer.status == .ok)
            let item = try await fixture.merchant.lists.reviewItem(1)
            #expect(item?.resolution?.by == "kim")
        }
    }
}
