import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import ReportingServer

@Suite("API keys in the dashboard")
struct DashboardKeyTests {
    private static func run(
        _ access: DashboardAccess? = .kim(),
        _ test: @escaping @Sendable (any TestClientProtocol, AccessFixture) async throws -> Void
    ) async throws {
        let fixture = try AccessFixture()
        let server = ReportingServer(system: fixture.system, links: [:], dashboard: access)
        try await Application(router: server.router()).test(.router) { try await test($0, fixture) }
    }

    private static func id(in answer: TestResponse) throws -> String {
        let location = try #require(answer.headers[.location], "\(String(buffer: answer.body))")
        return try #require(location.firstMatch(of: #/^\/keys\/(key_[0-9a-f]{16})\?/#).map { String($0.1) })
    }

    private static func text(in html: String) -> String? {
        html.firstMatch(of: #/epk_[a-z]+_[0-9a-f]{64}/#).map { String($0.0) }
    }

    @Test("A new key is shown once, to its creator, works, and stands in the audit log under the user's name")
    func creation() async throws {
        try await Self.run { client, fixture in
            let (browser, other) = (DashboardBrowser(client), DashboardBrowser(client))
            try await browser.signIn()
            try await other.signIn()
            let fields = [
                ("scope", "sales"), ("app", AccessFixture.shop.rawValue), ("name", " till <1> "),
                ("expires", "2999-01-01"), ("by", "somebody else"),
            ]
            let created = try await browser.submit("/keys", fields, from: "/keys")
            #expect(created.status == .seeOther)
            #expect(Self.text(in: String(buffer: created.body)) == nil)
            let id = try Self.id(in: created)
            let path = "/keys/\(id)"
            // Neither HEAD nor another session takes it.
            #expect(try await browser.send(.head, path).status == .ok)
            #expect(Self.text(in: try await other.page(path)) == nil)
            let page = try await browser.page(path)
            let key = try #require(Self.text(in: page))
            #expect(key.hasPrefix("epk_sales_") && page.contains("data-copy=\"\(key)\""))
            #expect(page.contains("till &lt;1&gt;") && page.contains("1 Jan 2999"))
            for path in [path, "/keys", "/audit"] {
                #expect(Self.text(in: try await browser.page(path)) == nil, "\(path)")
            }

            let row = try #require(try await fixture.system.access.apiKeys().first)
            #expect(row.keyId.rawValue == id && row.scope == .sales && row.bundleId == AccessFixture.shop)
            #expect(row.name == "till <1>" && row.createdBy == "kim")
            #expect(row.expiresAt == Timestamp(rfc3339: "2999-01-01T00:00:00Z"))
            let audit = try await fixture.system.lists.audit(LedgerPage())
            let entry = try #require(audit.last)
            #expect(entry.kind == "key-created" && entry.content.contains(#""by":"kim""#), "\(entry.content)")

            #expect(try await browser.page("/audit?kind=key-created").contains("<bdi>Key created</bdi>"))
            for kind in ["key-revoked", "user-password-set", "user-removed"] {
                #expect(try await !browser.page("/audit?kind=\(kind)").contains("<bdi>Key created</bdi>"), "\(kind)")
            }

            #expect(try await client.send(.post, "/v1/sales", body: AccessFixture.sale("s")).status == .unauthorized)
            let stored = try await client.send(.post, "/v1/sales", key: key, body: AccessFixture.sale("s"))
            #expect(stored.status == .created)
            #expect(try await client.send(.get, "/v1/sales", key: key).status == .forbidden)
        }
    }

    @Test(
        "A wrong field is named and creates no key",
        arguments: [
            ("scope", "root", "/scope"), ("scope", "", "/scope"), ("app", "com.example.unknown", "/app"),
            ("name", String(repeating: "x", count: 101), "/name"), ("name", "a\u{202E}b", "/name"),
            ("name", "a\nb", "/name"), ("name", "Server", "/name"), ("name", "key_1", "/name"),
            ("expires", "2020-01-01", "/expires"), ("expires", "soon", "/expires"),
            ("expires", "2999-02-30", "/expires"),
        ]
    )
    func wrongFields(_ name: String, _ value: String, _ path: String) async throws {
        try await Self.run { client, fixture in
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let fields = [("scope", "read"), ("app", ""), ("name", ""), ("expires", "")].filter { $0.0 != name }
            let answer = try await browser.submit("/keys", fields + [(name, value)], from: "/keys")
            #expect(answer.status == .unprocessableContent)
            #expect(String(buffer: answer.body).contains("\(path): "))
            #expect(try await fixture.system.access.apiKeys().isEmpty)
        }
    }

    @Test("A form with a field twice is refused, and names it")
    func repeatedField() async throws {
        try await Self.run { client, fixture in
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let answer = try await browser.submit("/keys", [("scope", "read"), ("scope", "admin")], from: "/keys")
            #expect(answer.status == .badRequest)
            #expect(String(buffer: answer.body).contains("the form has the field &quot;scope&quot; more than once"))
            #expect(try await fixture.system.access.apiKeys().isEmpty)
        }
    }

    @Test("A key does not get the name of a user")
    func nameOfUser() async throws {
        try await Self.run { client, fixture in
            let now = fixture.clock.now
            _ = try await fixture.store.write { ledger throws(LedgerError) in
                try ledger.setPassword("a hash", ofUser: "maria", by: "root", at: now)
            }
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let answer = try await browser.submit("/keys", [("scope", "read"), ("name", "Maria")], from: "/keys")
            #expect(answer.status == .unprocessableContent)
            #expect(String(buffer: answer.body).contains("/name: &quot;maria&quot; is a user"))
            #expect(try await fixture.system.access.apiKeys().isEmpty)
        }
    }

    @Test("A key is revoked after a confirmation, once and for good")
    func revocation() async throws {
        try await Self.run { client, fixture in
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let first = try Self.id(in: try await browser.submit("/keys", [("scope", "read")], from: "/keys"))
            let key = try #require(Self.text(in: try await browser.page("/keys/\(first)")))
            let (path, page) = ("/keys/\(first)/revoke", "/keys/\(first)")
            #expect(try await browser.page(page).contains("href=\"\(path)\""))
            #expect(try await browser.page(path).contains("It is the last valid key"))
            _ = try await browser.submit("/keys", [("scope", "admin")], from: "/keys")
            #expect(try await !browser.page(path).contains("It is the last valid key"))
            // Neither the confirmation nor a forged form revokes it.
            let forged = try await DashboardPageTests.submit(
                client,
                path,
                [("csrf", "x")],
                headers: [.cookie: browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
            )
            #expect(forged.status == .forbidden)
            #expect(try await client.send(.get, "/v1/sales", key: key).status == .ok)

            let revoked = try await browser.submit(path, from: path)
            #expect(revoked.headers[.location] == "\(page)?done=revoked")
            let after = try await browser.page("\(page)?done=revoked")
            #expect(after.contains("by kim") && after.contains("refuses it within 2 seconds"))
            #expect(!after.contains("Revoke the key"))
            let rows = try await fixture.system.access.apiKeys()
            let revocation = try #require(rows.first?.revocation)
            #expect(revocation.by == "kim" && rows.count == 2 && rows.last?.revocation == nil)
            // A second form, from a page that was open before, changes nothing.
            #expect(try await browser.submit(path, from: "/keys").status == .seeOther)
            #expect(try await fixture.system.access.apiKeys() == rows)
            #expect(try await browser.send(.get, path).headers[.location] == page)
            for unknown in ["/keys/key_0", "/keys/key_0/revoke", "/keys/%2e%2e%2f"] {
                #expect(try await browser.send(.get, unknown).status == .notFound)
            }
            #expect(try await browser.submit("/keys/key_0/revoke", from: "/keys").status == .notFound)
        }
    }

    @Test("While the pages need no sign-in, they create and revoke no keys, and say what to do")
    func open() async throws {
        try await Self.run(.open) { client, fixture in
            let browser = DashboardBrowser(client)
            let page = try await browser.page("/keys")
            #expect(page.contains("users set-password NAME") && !page.contains("Create the key"))
            // The token of forms is on pages that have forms.
            let answer = try await browser.submit("/keys", [("scope", "admin"), ("by", "kim")], from: "/invoices")
            #expect(answer.status == .forbidden)
            #expect(String(buffer: answer.body).contains("signed-in person"))
            #expect(try await fixture.system.access.apiKeys().isEmpty)
        }
    }

    @Test(
        "A name with markup is text on every page",
        arguments: ["\"><script>alert(1)</script>", "{{csrf}}", "'\"\u{301} x"]
    )
    func hostileName(_ name: String) async throws {
        try await Self.run { client, fixture in
            let id = APIKeyId("key_<b>\"'")
            try await fixture.key(.read, id: id, name: name)
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            for path in ["/keys", PagePath.of("keys", id.rawValue), PagePath.of("keys", id.rawValue) + "/revoke"] {
                let answer = try await browser.send(.get, path)
                let html = String(buffer: answer.body).replacing("{{csrf}}", with: "")
                #expect(answer.status == .ok, "\(path)")
                DashboardPageTests.check(html, answer.headers, path)
                #expect(!html.contains("<script>alert") && !html.contains("key_<b>"), "\(path)")
            }
        }
    }

    @Test("A key's text is forgotten after five minutes, and at most 100 are in memory")
    func memory() throws {
        let texts = NewKeyTexts()
        var generator = SplitMix64(seed: 1)
        let store = SessionStore()
        let start = Timestamp(milliseconds: 0)
        store.start("a", of: .init(name: "kim", credential: "c", role: .admin), by: .password, csrf: "x", at: start)
        let session = try #require(store.session("a", at: start))
        let command = try KeyCommand(scope: .read, app: nil, name: nil, expires: nil, now: start)
        let keys = (0...NewKeyTexts.limit).map { _ in command.newKey(by: "kim", at: start, using: &generator) }
        for key in keys { texts.put(key, for: session, at: start) }
        #expect(texts.take(keys[0].row.keyId, for: session, at: start) == nil)
        #expect(texts.take(keys[1].row.keyId, for: session, at: start) == keys[1].key.text)
        #expect(texts.take(keys[1].row.keyId, for: session, at: start) == nil)
        #expect(texts.take(keys[2].row.keyId, for: session, at: start + .minutes(6)) == nil)
    }
}
