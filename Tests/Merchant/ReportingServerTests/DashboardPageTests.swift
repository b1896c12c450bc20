import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("The dashboard shows what the ledger holds")
struct DashboardPageTests {
    /// A token with an accepted sale and one that is held.
    private static func seeded(_ test: @escaping @Sendable (EmulatedMerchant, String) async throws -> Void) async throws
    {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("order-1", checkout: checkout)
            await sides.runUntilIdle()
            let held = """
                {"saleId":"order-2","bundleId":"\(EmulatedMerchant.bundleId)","type":"purchase",
                "occurredAt":"2026-11-20T11:59:00Z","checkoutId":"\(checkout)","productId":"gems.500","quantity":1,
                "amount":{"currency":"EUR","inclusive":"19.99","taxRate":"21"}}
                """
            #expect(try await sides.post("/v1/sales", held).status == .created)
            await sides.runUntilIdle()
            let token = try #require(
                try await sides.list("/v1/tokens", "tokens").first?["externalPurchaseId"] as? String
            )
            try await test(sides, token)
        }
    }

    @Test("Every page answers with the facts of the ledger and loads nothing inline")
    func pages() async throws {
        try await Self.seeded { sides, token in
            let report = try await sides.list("/v1/reports", "reports")[0]
            let id = try #require(report["requestIdentifier"] as? String)
            let pages: [(String, [String])] = [
                ("/", ["Overview", "Running", "Not reported yet", "Sale held", "tax country missing"]),
                ("/due", ["order-2", "needs review"]), ("/review", ["Sale held", "Way out"]),
                ("/review/1", ["Close the item", "Purchase of gems.500, 19.99 EUR, 20 Nov 2026"]),
                ("/tokens", [token, "confirmed"]),
                (
                    "/tokens/\(token)",
                    [
                        "Apple created the token", "Token stored", "Purchase stored", "order-1", "Report written",
                        "JSON sent", "sent to Apple", "Apple accepted the report", "JSON received", "First reported",
                    ]
                ), ("/sales", ["order-1", "order-2", "reported", "held", "9.99 EUR"]),
                ("/sales/order-1", ["reported", "amountTaxExclusive", "Show the difference", id]),
                ("/sales/order-2", ["held", "Void the sale", "RR-47"]), ("/reports", [id, "accepted"]),
                ("/reports/\(id)", ["JSON sent", "JSON received", "&quot;order-1&quot;", token]),
                ("/notifications", ["No notification matches"]), ("/corrections", ["Nothing was corrected yet"]),
                ("/exports", ["2026-11", "Submitted by hand"]), ("/exports/2026-11", ["Month"]),
                ("/invoices?month=2026-11", ["Invoices", "Enter a line"]), ("/audit", ["Sale stored", "order-2"]),
                ("/audit/1", ["Hash"]), ("/settings", [EmulatedMerchant.bundleId, "send.delay"]),
                ("/keys", ["There is no API key", "There is no user"]),
                ("/events", ["No payment provider is configured"]),
                ("/search?q=nothing", ["No record has exactly this id"]),
            ]
            for (path, facts) in pages {
                let answer = try await sides.get(path)
                let html = String(buffer: answer.body)
                #expect(answer.status == .ok, "\(path): \(html.prefix(3_000))")
                for fact in facts { #expect(html.contains(fact), "\(path) lacks \(fact)") }
                Self.check(html, answer.headers, path)
                let head = try await sides.client.execute(uri: path, method: .head)
                #expect(head.status == .ok && head.body.readableBytes == 0, "\(path)")
            }
        }
    }

    /// What every page keeps to: only this server's files, no handler, no style in an attribute.
    static func check(_ html: String, _ headers: HTTPFields, _ path: String) {
        let policy = headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"), "\(path)")
        #expect(headers[.cacheControl] == "no-store", "\(path)")
        #expect(headers[.xContentTypeOptions] == "nosniff", "\(path)")
        #expect(html.firstMatch(of: #/<script(?! src="\/assets\/)/#) == nil, "\(path)")
        #expect(html.firstMatch(of: #/<style|\sstyle="|\son[a-z]+="|javascript:/#) == nil, "\(path)")
        #expect(!html.contains("{{") && html.hasPrefix("<!DOCTYPE html>"), "\(path)")
    }

    @Test("The bytes sent and received are offered as they are")
    func exactBytes() async throws {
        try await Self.seeded { sides, _ in
            let id = try #require(try await sides.list("/v1/reports", "reports")[0]["requestIdentifier"] as? String)
            let sent = try await sides.get("/reports/\(id)/sent")
            let accepted = try await sides.acceptedPuts()
            #expect(accepted.first == String(buffer: sent.body))
            #expect(sent.headers[.contentDisposition]?.hasPrefix("attachment;") == true)
            #expect(sent.headers[.contentType] == "application/octet-stream")
            #expect(try await sides.get("/reports/\(id)/received").status == .ok)
        }
    }

    @Test("The search leads to a record by any of its ids")
    func search() async throws {
        try await Self.seeded { sides, token in
            let id = try #require(try await sides.list("/v1/reports", "reports")[0]["requestIdentifier"] as? String)
            for (query, path) in [("order-1", "/sales/order-1"), (token, "/tokens/\(token)"), (id, "/reports/\(id)")] {
                // A form writes a space as a plus sign.
                for space in ["%20", "+"] {
                    let answer = try await sides.get("/search?q=\(space)\(query)\(space)")
                    #expect(answer.status == .seeOther)
                    #expect(answer.headers[.location] == path)
                }
            }
            #expect(try await sides.get("/search?q=%ff").status == .badRequest)
            #expect(try await sides.get("/sales?productId=+gems.100+").status == .ok)
        }
    }

    @Test(
        "Lists start with the newest row and go on to older ones without a gap",
        arguments: ["", "&standing=planned"]
    )
    func newestFirst(_ filter: String) async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            for number in 1...120 { try await sides.sell("order-\(number)", checkout: checkout) }
            var path = "/sales?x=1\(filter)"
            var found: [String] = []
            for _ in 1...3 {
                let html = String(buffer: try await sides.get(path).body)
                found += html.matches(of: #/href="\/sales\/(order-\d+)"/#).map { String($0.1) }
                let next = html.firstMatch(of: #/href="(\/sales\?[^"]*after=\d+)"/#)
                path = next.map { String($0.1).replacingOccurrences(of: "&amp;", with: "&") } ?? ""
            }
            #expect(found == (1...120).reversed().map { "order-\($0)" })
        }
    }

    @Test("A wrong filter, an unknown record and a wrong path are pages that say what is wrong")
    func problems() async throws {
        try await EmulatedMerchant.run { sides in
            for (path, status, text) in [
                ("/sales?state=lost", HTTPResponse.Status.unprocessableContent, "is none of"),
                ("/sales/none", .notFound, "there is no sale"), ("/tokens/none", .notFound, "there is no token"),
                ("/reports/none", .notFound, "requestIdentifier"), ("/review/9", .notFound, "no review item"),
                ("/audit/99999", .notFound, "no audit entry"), ("/sales/%ff", .notFound, "no escape of UTF-8"),
            ] {
                let answer = try await sides.get(path)
                let html = String(buffer: answer.body)
                #expect(answer.status == status, "\(path)")
                #expect(html.contains(text), "\(path)")
                Self.check(html, answer.headers, path)
            }
        }
    }

    // MARK: Ids from outside

    private static let hostile = [
        "\"><script>alert(1)</script>", "'\"\u{301} onmouseover=alert(1) x=\u{301}\"", "<img src=x onerror=alert(1)>",
        "{{csrf}}{{{content}}}", "../../sign-out", "a/b?c#d&e;f", String(repeating: "x", count: 100), "عكس-\u{5D0}",
    ]

    @Test("An id with markup is text on every page that shows it", arguments: hostile)
    func hostileSale(_ id: String) async throws {
        let id = String(id.unicodeScalars.prefix(100).map(Character.init))
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let sale =
                JSONValue.object([
                    "saleId": .string(id), "bundleId": .string(ServerFixture.bundleId.rawValue),
                    "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z",
                    "customerId": .string(id), "productId": .string(id), "quantity": .integer(1),
                    "amount": [
                        "currency": "EUR", "inclusive": "9.99",
                        "taxRate": "21", "taxCountry": "NLD",
                    ],
                ])
            let stored = try await client.execute(
                uri: "/v1/sales",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(bytes: sale.encoded())
            )
            #expect(stored.status == .created, "\(String(buffer: stored.body))")
            let path = PagePath.sale(id)
            for page in ["/", "/sales", path, "/due", "/audit", "/search?q=\(PagePath.escaped(id))"] {
                let answer = try await client.execute(uri: page, method: .get)
                let html = String(buffer: answer.body)
                if answer.status == .seeOther {
                    #expect(answer.headers[.location] == path)
                    continue
                }
                #expect(answer.status == .ok, "\(page): \(html.prefix(2_000))")
                Self.check(html.replacingOccurrences(of: "{{csrf}}{{{content}}}", with: ""), answer.headers, page)
                #expect(!html.contains("<script>alert"), "\(page)")
                #expect(!html.contains("<img"), "\(page)")
                #expect(Self.attributeNames(of: html).isDisjoint(with: ["onmouseover", "onerror"]), "\(page)")
            }
        }
    }

    /// The names of all attributes, read by the rule of HTML: a quotation mark ends a value whatever follows it.
    static func attributeNames(of html: String) -> Set<String> {
        var names: Set<String> = []
        let scalars = Array(html.unicodeScalars)
        var index = 0
        while index < scalars.count {
            guard scalars[index] == "<", index + 1 < scalars.count, scalars[index + 1].properties.isAlphabetic else {
                index += 1
                continue
            }
            var quote: Unicode.Scalar?
            var name = ""
            while index < scalars.count {
                let scalar = scalars[index]
                index += 1
                if let open = quote {
                    if scalar == open { quote = nil }
                } else if scalar == "\"" || scalar == "'" {
                    quote = scalar
                } else if scalar == "=" || scalar == " " || scalar == "\n" || scalar == ">" {
                    names.insert(name)
                    name = ""
                    if scalar == ">" { break }
                } else {
                    name.unicodeScalars.append(scalar)
                }
            }
        }
        return names
    }

    @Test("The id of a token that a visit brought is text on every page, however it is spelled")
    func hostileToken() async throws {
        let id = "SANDBOX_<b>\"'&{{csrf}}/..%2F?#" + String(repeating: "y", count: 80)
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let visit = try await client.execute(
                uri: "/out/nl?externalPurchaseToken=\(ServerFixture.token(id))&bundleId=\(ServerFixture.bundleId)",
                method: .get
            )
            #expect(visit.status == .seeOther)
            for page in ["/tokens", "/due", "/audit", PagePath.of("tokens", id), "/settings", "/"] {
                let answer = try await client.execute(uri: page, method: .get)
                let html = String(buffer: answer.body)
                #expect(answer.status == .ok, "\(page): \(html.prefix(2_000))")
                #expect(!html.contains("SANDBOX_<b>"), "\(page)")
                if page.hasPrefix("/tokens") {
                    #expect(html.contains("SANDBOX_&lt;b&gt;&quot;&#39;&amp;{{csrf}}"), "\(page)")
                }
            }
        }
    }

    @Test("Control characters and direction marks are shown as escapes in tables, facts, timelines and payloads")
    func controlCharacters() {
        let text = "a\u{1B}[31m\u{202E}b\u{0}\u{85}\u{2028}c<i>"
        let escaped = #"a\u001B[31m\u202Eb\u0000\u0085\u2028c&lt;i&gt;"#
        let cell = Cell(links: [PageLink(text, "/")], chips: [Chip(text)], text: text, sub: text)
        let views = [
            TableView(caption: "t", columns: [Column("c")], rows: [[cell]], empty: "").html,
            FactsView([("f", cell)]).html,
            TimelineView(
                events: [TimelineEvent(at: Timestamp(milliseconds: 0), title: text, details: [text])],
                note: text
            ).html, PayloadView(label: "p", bytes: Array(text.utf8)).html,
        ]
        for html in views {
            #expect(html.contains(escaped), "\(html)")
            #expect(!html.unicodeScalars.contains { $0 != "\n" && $0.isSteering })
            #expect(!html.contains("<i>"))
        }
    }

    // MARK: Changes

    /// The token of the forms of a page.
    static func csrf(in html: String) -> String {
        html.firstMatch(of: #/name="csrf" value="([^"]+)"/#).map { String($0.1) } ?? ""
    }

    static func submit(
        _ client: any TestClientProtocol,
        _ path: String,
        _ fields: [(String, String)],
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let body = fields.map { "\(PagePath.escaped($0.0))=\(PagePath.escaped($0.1))" }.joined(separator: "&")
        return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    @Test("A held sale is voided, and its item closes, under the name that the form gives")
    func void() async throws {
        try await Self.seeded { sides, _ in
            let page = String(buffer: try await sides.get("/sales/order-2").body)
            let fields = [
                ("csrf", Self.csrf(in: page)), ("bundleId", EmulatedMerchant.bundleId), ("by", "Kim & Co"),
                ("reason", "entered twice"),
            ]
            let answer = try await Self.submit(sides.client, "/sales/order-2/void", fields)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/sales/order-2?done=voided")
            let sale = try await sides.get("/v1/sales/order-2").json
            #expect(sale["state"] as? String == "void")
            let versions = sale["versions"] as? [[String: Any]]
            #expect(versions?.last?["by"] as? String == "Kim & Co")
            let after = String(buffer: try await sides.get("/sales/order-2?done=voided").body)
            #expect(after.contains("The sale is void") && after.contains("entered twice"))
        }
    }

    @Test("A review item is closed with a note; without one the form is refused and nothing changes")
    func review() async throws {
        try await Self.seeded { sides, _ in
            let page = String(buffer: try await sides.get("/review/1").body)
            let base = [("csrf", Self.csrf(in: page)), ("by", "kim"), ("action", "resolve")]
            let refused = try await Self.submit(sides.client, "/review/1", base)
            #expect(refused.status == .unprocessableContent)
            #expect(String(buffer: refused.body).contains("/note"))
            #expect(try await sides.list("/v1/review", "review").count == 1)
            let closed = try await Self.submit(sides.client, "/review/1", base + [("note", "sold by mistake")])
            #expect(closed.status == .seeOther)
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            let again = try await Self.submit(sides.client, "/review/1", base + [("note", "again")])
            #expect(again.status == .conflict)
            #expect(String(buffer: again.body).contains("closed by kim"))
        }
    }

    @Test("A correction shows its difference, is confirmed once, and Apple gets the restatement")
    func correction() async throws {
        try await Self.seeded { sides, _ in
            let page = String(buffer: try await sides.get("/sales/order-1").body)
            let csrf = Self.csrf(in: page)
            let planned = try await Self.submit(
                sides.client,
                "/corrections",
                [
                    ("csrf", csrf), ("bundleId", EmulatedMerchant.bundleId), ("saleId", "order-1"),
                    ("action", "restate"),
                    ("inclusive", "8.99"), ("taxRate", "21"), ("tax", ""), ("by", "kim"), ("reason", "wrong price"),
                ]
            )
            #expect(planned.status == .seeOther, "\(String(buffer: planned.body))")
            let location = try #require(planned.headers[.location])
            let path = String(location.prefix { $0 != "?" })
            let diff = String(buffer: try await sides.get(location).body)
            // 9.99 and 8.99 without 21 per cent, in thousandths.
            for text in ["amountTaxExclusive", "8.256", "7.43", "Apple would accept it", "Confirm and send"] {
                #expect(diff.contains(text), "\(text)")
            }
            #expect(try await sides.acceptances() == ["order-1": 1])
            let fields = [("csrf", csrf), ("bundleId", EmulatedMerchant.bundleId), ("by", "lee")]
            for _ in 1...2 {
                let confirmed = try await Self.submit(sides.client, path, fields)
                #expect(confirmed.status == .seeOther, "\(String(buffer: confirmed.body))")
            }
            await sides.runUntilIdle()
            #expect(try await sides.acceptances() == ["order-1": 2])
            let after = String(buffer: try await sides.get(path).body)
            #expect(after.contains("by lee") && !after.contains("Confirm and send"))
        }
    }

    @Test("Voiding what Apple accepted leads to the correction that would retract it")
    func voidReported() async throws {
        try await Self.seeded { sides, _ in
            let csrf = Self.csrf(in: String(buffer: try await sides.get("/sales/order-1").body))
            let answer = try await Self.submit(
                sides.client,
                "/sales/order-1/void",
                [("csrf", csrf), ("by", "kim"), ("reason", "never happened")]
            )
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix("/corrections/") == true)
        }
    }

    @Test("An invoice is entered once and stands beside the estimate")
    func invoice() async throws {
        try await Self.seeded { sides, _ in
            let path = "/invoices?month=2026-11"
            let page = String(buffer: try await sides.get(path).body)
            let programme = try #require(page.firstMatch(of: #/name="programme" value="([^"]+)"/#).map { String($0.1) })
            let fields = [
                ("csrf", Self.csrf(in: page)), ("bundleId", EmulatedMerchant.bundleId), ("programme", programme),
                ("month", "2026-11"), ("invoiceId", "INV-7"), ("issuedOn", "2026-12-05"), ("currency", "EUR"),
                ("amount", "12.40"), ("surcharge", "0.12"), ("tax", "2.50"), ("total", "15.02"),
                ("dueOn", "2027-01-04"), ("purchaseOrder", "PO-7"), ("by", "kim"),
            ]
            for _ in 1...2 {
                #expect(try await Self.submit(sides.client, "/invoices", fields).status == .seeOther)
            }
            let after = String(buffer: try await sides.get(path + "&programme=\(programme)").body)
            for text in ["INV-7", "12.40", "0.12", "2.50", "15.02", "4 Jan 2027", "purchase order PO-7"] {
                #expect(after.contains(text), "\(text)")
            }
        }
    }

    @Test(
        "A form without the page's token, or from another site, is refused and changes nothing",
        arguments: [
            ("", HTTPFields()), ("0123", HTTPFields()), (nil, [.origin: "http://evil.example"]),
            (nil, [HTTPField.Name("Sec-Fetch-Site")!: "cross-site"]), (nil, [.origin: "null"]),
        ] as [(String?, HTTPFields)]
    )
    func forged(_ token: String?, _ headers: HTTPFields) async throws {
        try await Self.seeded { sides, _ in
            let csrf = Self.csrf(in: String(buffer: try await sides.get("/review/1").body))
            let fields = [("csrf", token ?? csrf), ("by", "kim"), ("action", "resolve"), ("note", "n")]
            let answer = try await Self.submit(sides.client, "/review/1", fields, headers: headers)
            #expect(answer.status == .forbidden)
            #expect(try await sides.list("/v1/review", "review").count == 1)
        }
    }

    @Test("The overview opens on the environment that has records, and an empty month names the other one")
    func environmentOfRecords() async throws {
        try await EmulatedMerchant.run(environments: [.sandbox, .production]) { sides in
            let switched = #/href="\/\?environment=(production|sandbox)"\s+aria-current="true"/#
            func current(_ path: String = "/") async throws -> String? {
                String(buffer: try await sides.get(path).body).firstMatch(of: switched).map { String($0.1) }
            }
            #expect(try await current() == "production")
            let empty = try await sides.get("/v1/exports/2026-11.json")
            #expect(empty.json["hint"] == nil)
            let checkout = try await sides.receiveToken()
            try await sides.sell("order-1", checkout: checkout)
            #expect(try await current() == "sandbox")
            #expect(try await current("/?environment=production") == "production")
            // The month of the overview leads to the environment that it shows.
            let home = try await Self.overview(sides)
            #expect(home.contains("&amp;environment=sandbox"), "\(home)")
            let page = String(buffer: try await sides.get("/exports/2026-11").body)
            #expect(
                page.contains("Nothing in production") && page.contains("sandbox has 1 sale and 1 token of this month")
            )
            #expect(page.contains("/exports/2026-11?bundleId=\(EmulatedMerchant.bundleId)&amp;environment=sandbox"))
            let hinted = try await sides.get("/v1/exports/2026-11.json")
            #expect(
                hinted.json["hint"] as? String
                    == "sandbox has 1 sale and 1 token of this month: /v1/exports/2026-11.json?environment=sandbox"
            )
            let full = try await sides.get("/v1/exports/2026-11.json?environment=sandbox")
            #expect(full.json["hint"] == nil)
            let shown = String(buffer: try await sides.get("/exports/2026-11?environment=sandbox").body)
            #expect(!shown.contains("Nothing in sandbox"))
            let minted = try await sides.emulator(
                "POST",
                "/tokens",
                #"{"bundleId":"\#(EmulatedMerchant.bundleId)","environment":"production"}"#
            )
            let token = try #require(minted.objectValue?["token"]?.stringValue)
            #expect(try await sides.post("/v1/tokens", #"{"token":"\#(token)"}"#).status == .created)
            #expect(try await current() == "production")
        }
    }

    @Test("While a report is on the way, its token is no token without a sale, and is not counted beside its sale")
    func tokenOnTheWay() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("order-1", checkout: checkout)
            let planned = String(buffer: try await sides.get("/due").body)
            #expect(planned.contains("reported with its sale") && !planned.contains("token without a sale"))
            try await sides.fault("PUT", #"{"status":503}"#, times: 9)
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["unknown"])
            let due = String(buffer: try await sides.get("/due").body)
            #expect(
                due.contains("its report is on the way to Apple") && !due.contains("token without a sale"),
                "\(due)"
            )
            // Counts are reused for five seconds, or twenty times as long as they took to compute.
            let tile = "<b>1</b> <span>Not reported yet</span> <small>and 1 token on the way to Apple</small>"
            let home = try await Self.overview(sides) { $0.contains(tile) }
            #expect(home.contains(tile), "\(home)")
            #expect(home.contains("Waiting for Apple") && home.contains("it answers with status 503"))
            _ = try await sides.receiveToken()
            #expect(String(buffer: try await sides.get("/due").body).contains("token without a sale"))
        }
    }

    @Test("A sum without any estimate is a dash, in JSON null, and a month names its days")
    func withoutEstimate() async throws {
        try await EmulatedMerchant.run(programmes: ["eu-2026-10"]) { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("order-1", checkout: checkout)
            await sides.runUntilIdle()
            let home = try await Self.overview(sides)
            #expect(home.contains("1 Nov 2026 to 30 Nov 2026") && !home.contains("fiscal month"))
            let cell = #/data-label="Commission, estimated">[^–]*<bdi>–<\/bdi>/#
            #expect(home.firstMatch(of: cell) != nil, "\(home)")
            let json = try await sides.get("/v1/exports/2026-11.json?environment=sandbox")
            #expect(String(buffer: json.body).contains(#""estimate":null"#), "\(json.json)")
        }
    }

    @Test("A month of Apple's fiscal calendar says so")
    func fiscalMonth() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("order-1", checkout: checkout)
            #expect(try await Self.overview(sides).firstMatch(of: /2026, Apple[^<]*s fiscal month/) != nil)
        }
    }

    /// The overview once its figures are computed, or the last one that was asked for.
    private static func overview(
        _ sides: EmulatedMerchant,
        until isDone: (String) -> Bool = { !$0.contains("figures are being computed") }
    ) async throws -> String {
        var home = ""
        for _ in 0..<300 {
            home = String(buffer: try await sides.get("/").body)
            if isDone(home) { break }
            try await Task.sleep(for: .seconds(1))
        }
        return home
    }
}
