import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import ReportingServer

@Suite("Users who are limited to apps")
struct DashboardAppLimitTests {
    private static let apps: [String: BundleId] = [
        "own": AccessFixture.shop, "foreign": AccessFixture.other,
    ]

    /// Runs a test with records of every kind that both apps have, and lee of the own app, in a role.
    private static func run(
        _ role: UserRole,
        apps limit: Set<BundleId> = [AccessFixture.shop],
        _ test:
            @escaping @Sendable (DashboardBrowser, any TestClientProtocol, AccessFixture) async throws ->
            Void
    ) async throws {
        let fixture = try AccessFixture()
        let people = DashboardAccess(
            isSignInNeeded: { true },
            user: { name, _ in DashboardAccess.User(name: name, credential: "c", role: role, apps: limit)
            },
            present: { DashboardAccess.User(name: $0, credential: "c", role: role, apps: limit) }
        )
        let server = ReportingServer(system: fixture.system, links: [:], dashboard: people)
        try await Application(router: server.router()).test(.router) { client in
            for (name, app) in apps {
                // A page with a host name of this machine needs no key.
                let token = AccessFixture.token("\(name)-token", of: app)
                let stored = try await client.send(.post, "/v1/tokens", body: ["token": token])
                #expect(stored.status.code / 100 == 2, "\(stored.json)")
                let sale = try await client.send(
                    .post,
                    "/v1/sales",
                    body: AccessFixture.sale("\(name)-sale", of: app)
                )
                #expect(sale.status == .created, "\(sale.json)")
            }
            try await fixture.store.write { ledger throws(LedgerError) in
                for (name, app) in apps.sorted(by: { $0.key < $1.key }) {
                    _ = try ledger.open(
                        ReviewItem(
                            bundleId: app,
                            kind: .saleHeld,
                            subject: .sale(SaleId("\(name)-sale")),
                            detail: "\(name)-detail",
                            openedAt: AccessFixture.start
                        )
                    )
                    let delivery = WebhookDelivery(
                        webhook: "\(name)-erp",
                        eventId: "\(name)-event",
                        type: "sale.held",
                        subject: .init(bundleId: app, kind: "sale", id: "\(name)-sale"),
                        body: Array(#"{"bundleId":"\#(app)"}"#.utf8),
                        madeAt: AccessFixture.start
                    )
                    try ledger.insert([delivery], upTo: name, of: "\(name)-erp")
                }
            }
            let browser = DashboardBrowser(client)
            try await browser.signIn("lee")
            try await test(browser, client, fixture)
        }
    }

    /// The open review items of an app, of which the test has opened one.
    private static func items(of app: BundleId, in fixture: AccessFixture) async throws -> [Int64] {
        try await fixture.system.lists.review(matching: ListFilter([.bundleId: app.rawValue]), LedgerPage(limit: 50))
            .map(\.sequence)
    }

    /// The pages that links lead to from the overview, each with its text.
    private static func reached(_ browser: DashboardBrowser) async throws -> [String: String] {
        var (pages, seen, open): ([String: String], Set<String>, [String]) = ([:], ["/"], ["/"])
        while let path = open.popLast(), seen.count < 400 {
            let answer = try await browser.send(.get, path)
            #expect([.ok, .notFound, .seeOther].contains(answer.status), "\(path): \(answer.status)")
            if let place = answer.headers[.location], seen.insert(place).inserted { open.append(place) }
            let text = String(buffer: answer.body)
            pages[path] = text
            guard answer.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
            for link in text.matches(of: #/<a[^>]*href="(\/[^"#]*)/#) {
                let path = String(link.1).replacing("&amp;", with: "&")
                if !path.hasPrefix("/runbooks/"), seen.insert(path).inserted { open.append(path) }
            }
        }
        return pages
    }

    /// Whether a text names a record of the other app.
    private static func isForeign(_ text: String) -> Bool {
        text.contains("foreign-") || text.contains("com.example.other")
    }

    @Test(
        "No page that links lead to names a record of another app",
        arguments: [UserRole.viewer, .finance, .operator]
    )
    func pages(_ role: UserRole) async throws {
        try await Self.run(role) { browser, _, fixture in
            let pages = try await Self.reached(browser)
            for path in ["/sales", "/tokens", "/review", "/due", "/audit", "/exports", "/invoices"] {
                #expect(pages[path] != nil, "\(path)")
            }
            #expect(pages["/sales"]?.contains("own-sale") == true)
            #expect(pages["/tokens"]?.contains("own-token") == true)
            #expect(pages["/audit"]?.contains("/audit/") == true)
            for (path, text) in pages {
                #expect(!Self.isForeign(text), "\(path)")
                #expect(!Self.isForeign(path), "\(path)")
            }
            // The badge of the menu and the tiles count the own item alone.
            let own = try await Self.items(of: AccessFixture.shop, in: fixture).count
            #expect(pages["/"]?.contains("<span class=\"badge\">\(own)<") == true)
        }
    }

    @Test("Of the deliveries, those of the own app are listed, shown and sent again")
    func deliveries() async throws {
        try await Self.run(.operator) { browser, _, fixture in
            let list = String(buffer: try await browser.send(.get, "/deliveries").body)
            #expect(list.contains("own-sale") && list.contains("own-erp") && !Self.isForeign(list))
            let webhook = EventWebhook(name: "own-erp", types: Set(ChangeType.allCases), apps: nil) { _, _ in
                DeliveryAnswer(status: 200, error: nil)
            }
            _ = fixture.system.webhookSender([webhook])
            let all = try await fixture.system.deliveries.list(LedgerPage(limit: 9))
            #expect(all.count == 2)
            let own = try #require(all.first { $0.delivery.eventId == "own-event" }).delivery.sequence
            for listed in all {
                let isOwn = listed.delivery.eventId == "own-event"
                let path = "/deliveries/\(listed.delivery.sequence)"
                #expect(try await browser.send(.get, path).status == (isOwn ? .ok : .notFound))
                let again = try await browser.submit(path + "/redeliver", from: "/deliveries/\(own)")
                #expect(again.status == (isOwn ? .seeOther : .notFound))
            }
        }
    }

    @Test("The same pages of somebody with both apps name both")
    func both() async throws {
        try await Self.run(.operator, apps: [AccessFixture.shop, AccessFixture.other]) {
            browser,
            _,
            _ in
            for (path, names) in [
                ("/sales", ["own-sale", "foreign-sale"]), ("/tokens", ["own-token", "foreign-token"]),
                ("/due", ["own-token", "foreign-token"]),
            ] {
                let text = String(buffer: try await browser.send(.get, path).body)
                for name in names { #expect(text.contains(name), "\(path): \(name)") }
            }
            let chosen = String(
                buffer: try await browser.send(.get, "/sales?bundleId=com.example.other").body
            )
            #expect(chosen.contains("foreign-sale") && !chosen.contains("own-sale"))
        }
    }

    @Test("A record of another app is answered like one that does not exist, under every address")
    func addresses() async throws {
        try await Self.run(.operator) { browser, _, fixture in
            let entries = try await fixture.system.lists.audit(LedgerPage(limit: 100))
            let foreign = entries.filter { Self.isForeign($0.content) }
            let others = try await Self.items(of: AccessFixture.other, in: fixture)
            #expect(!foreign.isEmpty && !others.isEmpty)
            let paths =
                foreign.map { "/audit/\($0.sequence)" } + others.map { "/review/\($0)" } + [
                    "/sales/foreign-sale", "/sales/foreign-sale?bundleId=com.example.other",
                    "/tokens/SANDBOX_foreign-token",
                    "/tokens/SANDBOX_foreign-token?bundleId=com.example.other",
                    "/sales?bundleId=com.example.other", "/tokens?bundleId=com.example.other",
                    "/due?bundleId=com.example.other", "/audit?bundleId=com.example.other",
                    "/review?bundleId=com.example.other", "/corrections?bundleId=com.example.other",
                    "/events?bundleId=com.example.other", "/notifications?bundleId=com.example.other",
                    "/exports?bundleId=com.example.other", "/exports/2026-11?bundleId=com.example.other",
                    "/exports/2026-11/csv?bundleId=com.example.other",
                    "/exports/2026-11/json?bundleId=com.example.other",
                    "/invoices?bundleId=com.example.other",
                    "/reports/none?bundleId=com.example.other",
                ]
            for path in paths {
                let answer = try await browser.send(.get, path)
                #expect(
                    [.notFound, .unprocessableContent].contains(answer.status),
                    "\(path): \(answer.status)"
                )
                let text = String(buffer: answer.body)
                // The id is that of the address; nothing else of the record is on the page.
                #expect(!text.contains("gems.100") && !text.contains("foreign-detail"), "\(path)")
            }
            for query in ["foreign-sale", "SANDBOX_foreign-token"] {
                let answer = try await browser.send(.get, "/search?q=\(query)")
                #expect(answer.status == .ok || answer.status == .notFound, "\(query)")
                #expect(!String(buffer: answer.body).contains(#"href="/sales/"#))
                #expect(!String(buffer: answer.body).contains(#"href="/tokens/"#))
            }
        }
    }

    @Test("Forms change nothing of another app")
    func forms() async throws {
        try await Self.run(.operator) { browser, _, fixture in
            let before = try await fixture.system.lists.audit(LedgerPage(limit: 100)).count
            let other = ("bundleId", "com.example.other")
            let item = try #require(try await Self.items(of: AccessFixture.other, in: fixture).first)
            let own = try #require(try await Self.items(of: AccessFixture.shop, in: fixture).first)
            for (path, fields) in [
                ("/review/\(item)", [("action", "resolve"), ("note", "x")]),
                ("/review", [("action", "resolve"), ("note", "x"), ("item.\(item)", "on")]),
                ("/sales/foreign-sale/void", [other, ("reason", "x")]),
                ("/sales/foreign-sale/void", [("reason", "x")]),
                (
                    "/corrections",
                    [other, ("saleId", "foreign-sale"), ("action", "retract"), ("reason", "x")]
                ),
                ("/exports/2026-11/submitted", [other, ("programme", "eea-link"), ("on", "2026-11-20")]),
                ("/exports/2026-11/withdrawn", [other, ("exportId", "x"), ("reason", "x")]),
                (
                    "/invoices", [other, ("invoiceId", "1"), ("programme", "eea-link"), ("month", "2026-10")]
                ),
                ("/corrections/none", [other]),
            ] {
                let answer = try await browser.submit(path, fields, from: "/")
                #expect(
                    [.notFound, .unprocessableContent, .conflict].contains(answer.status),
                    "\(path): \(answer.status)"
                )
            }
            #expect(try await fixture.system.lists.audit(LedgerPage(limit: 100)).count == before)
            // The own item can be decided.
            #expect(
                try await browser.submit("/review/\(own)", [("action", "resolve"), ("note", "x")], from: "/")
                    .status
                    == .seeOther
            )
        }
    }

    @Test("Somebody without any app of this server sees nothing")
    func nothing() async throws {
        try await Self.run(.viewer, apps: ["com.example.gone"]) { browser, _, _ in
            for path in ["/", "/sales", "/tokens", "/due", "/review", "/audit", "/exports"] {
                let answer = try await browser.send(.get, path)
                #expect(answer.status == .ok, "\(path)")
                let text = String(buffer: answer.body)
                #expect(!text.contains("own-sale") && !text.contains("own-token") && !Self.isForeign(text), "\(path)")
            }
        }
    }
}
