import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import HTTPSupport
@testable import ReportingServer

@Suite("Users whom a trusted proxy names")
struct DashboardProxyTests {
    private static let header = HTTPField.Name("X-Forwarded-User") ?? .via

    /// Runs a test over a connection from 127.0.0.1 with kim, an administrator, and lee of finance.
    private static func run(
        trusting proxy: String = "127.0.0.1",
        isPrepared: Bool = true,
        _ test: @escaping @Sendable (any TestClientProtocol, AccessFixture) async throws -> Void
    ) async throws {
        let fixture = try AccessFixture()
        if isPrepared {
            try await set("correct horse", "kim", .admin, in: fixture)
            try await set("correct horse", "lee", .finance, in: fixture)
        }
        let server = ReportingServer(
            system: fixture.system,
            links: [:],
            trustedProxies: try TrustedProxies([proxy]),
            signIn: SignInSettings(proxyHeader: header)
        )
        let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0))
        try await Application(router: server.router(), configuration: address).test(.live) {
            try await test($0, fixture)
        }
    }

    private static func set(
        _ password: String,
        _ name: String,
        _ role: UserRole,
        in fixture: AccessFixture
    ) async throws {
        var generator = SplitMix64(seed: 1)
        let hash = try PasswordHash(of: password, logRounds: 4, using: &generator).text
        try await fixture.store.write { ledger throws(LedgerError) in
            _ = try ledger.setPassword(hash, ofUser: name, role: role, by: "root", at: AccessFixture.start)
        }
    }

    private static func fields(_ names: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for name in names { fields.append(HTTPField(name: header, value: name)) }
        return fields
    }

    /// What a peer says, and what a page then is.
    struct Case: Sendable, CustomTestStringConvertible {
        var isTrusted = true
        var names: [String]
        var path = "/sales"
        let status: HTTPResponse.Status
        /// A part of the page, or of the place that it leads to.
        let expected: String
        var testDescription: String { "\(isTrusted ? "a proxy" : "anybody") names \(names) for \(path)" }

        static let unknown = "you are no user here"
        static let all = [
            Case(names: ["kim"], status: .ok, expected: "<bdi>kim</bdi>, admin"),
            Case(names: [" \t kim\t "], status: .ok, expected: "<bdi>kim</bdi>, admin"),
            Case(names: ["kim"], path: "/keys", status: .ok, expected: "Create the key"),
            Case(names: ["lee"], status: .ok, expected: "<bdi>lee</bdi>, finance"),
            Case(names: ["lee"], path: "/keys", status: .forbidden, expected: "yours is finance"),
            Case(names: ["kim"], path: "/sign-in?next=/due", status: .seeOther, expected: "/due"),
            // Nobody here, under any spelling.
            Case(names: ["max"], status: .forbidden, expected: unknown),
            Case(names: ["KIM"], status: .forbidden, expected: unknown),
            Case(names: ["\u{3000}kim"], status: .forbidden, expected: unknown),
            Case(names: ["\u{A0}kim\u{A0}"], status: .forbidden, expected: unknown),
            Case(names: ["kim\u{2028}"], status: .forbidden, expected: unknown),
            Case(names: ["\u{85}kim"], status: .forbidden, expected: unknown),
            Case(names: ["\u{200B}kim"], status: .forbidden, expected: unknown),
            Case(names: ["kim\u{301}"], status: .forbidden, expected: unknown),
            Case(names: ["kim, lee"], status: .forbidden, expected: unknown),
            Case(names: ["max"], path: "/sign-in", status: .forbidden, expected: unknown),
            // Which of them counts nobody knows.
            Case(names: ["kim", "lee"], status: .forbidden, expected: "names more than one user"),
            Case(names: ["kim", "kim"], status: .forbidden, expected: "names more than one user"),
            Case(names: ["kim", ""], status: .forbidden, expected: "names more than one user"),
            // Nobody is named.
            Case(names: [], status: .seeOther, expected: "/sign-in?next="),
            Case(names: [""], status: .seeOther, expected: "/sign-in?next="),
            // Anybody can send it.
            Case(isTrusted: false, names: ["kim"], status: .seeOther, expected: "/sign-in?next="),
            Case(isTrusted: false, names: ["max"], status: .seeOther, expected: "/sign-in?next="),
            Case(isTrusted: false, names: ["kim", "lee"], status: .seeOther, expected: "/sign-in?next="),
        ]
    }

    @Test("The header counts from a trusted proxy alone, once, and for users of the ledger", arguments: Case.all)
    func names(_ row: Case) async throws {
        try await Self.run(trusting: row.isTrusted ? "127.0.0.1" : "127.0.0.2") { client, _ in
            let answer = try await client.execute(uri: row.path, method: .get, headers: Self.fields(row.names))
            #expect(answer.status == row.status)
            let text = (answer.headers[.location] ?? "") + String(buffer: answer.body)
            #expect(text.contains(row.expected), "\(text)")
            // A refusal shows no figures of the ledger.
            if answer.status == .forbidden, row.path != "/keys" { #expect(!text.contains("Overview</a>")) }
        }
    }

    @Test("Before the first user and key, pages are closed too: the proxy says who may read them")
    func empty() async throws {
        try await Self.run(isPrepared: false) { client, _ in
            let stranger = try await client.execute(uri: "/sales", method: .get)
            #expect(stranger.status == .seeOther)
            let named = try await client.execute(uri: "/sales", method: .get, headers: Self.fields(["kim"]))
            #expect(named.status == .forbidden)
        }
    }

    @Test("Changes need the form's token, which is the user's own, and the audit log names the user")
    func changes() async throws {
        try await Self.run { client, fixture in
            let kim = DashboardBrowser(client, headers: Self.fields(["kim"]))
            let lee = DashboardBrowser(client, headers: Self.fields(["lee"]))
            let page = try await kim.page("/keys")
            let own = DashboardPageTests.csrf(in: page)
            #expect(!page.contains("Sign out"))
            for token in ["", "0123", String(own.reversed())] {
                let forged = try await DashboardPageTests.submit(
                    client,
                    "/keys",
                    [("csrf", token), ("scope", "read")],
                    headers: Self.fields(["kim"])
                )
                #expect(forged.status == .forbidden, "\(token)")
            }
            // The token of one user is none for another.
            let foreign = try await DashboardPageTests.submit(
                client,
                "/invoices",
                [("csrf", own)],
                headers: Self.fields(["lee"])
            )
            #expect(foreign.status == .forbidden)
            #expect(String(buffer: foreign.body).contains("The form was not accepted"))
            #expect(try await lee.submit("/keys", [("scope", "read")], from: "/sales").status == .forbidden)
            #expect(try await fixture.system.access.apiKeys().isEmpty)
            let done = try await kim.submit("/keys", [("scope", "read")], from: "/keys")
            #expect(done.status == .seeOther)
            let keys = try await fixture.system.access.apiKeys()
            #expect(keys.map(\.createdBy) == ["kim"])
            // The new key is shown once to its creator.
            let place = try #require(done.headers[.location])
            #expect(try await kim.page(place).contains("epk_read_"))
        }
    }

    @Test("Sign-out says where one signs out, and a removed user is refused from the next request on")
    func endings() async throws {
        try await Self.run { client, fixture in
            let lee = DashboardBrowser(client, headers: Self.fields(["lee"]))
            let kim = DashboardBrowser(client, headers: Self.fields(["kim"]))
            let out = try await kim.submit("/sign-out", from: "/keys")
            #expect(out.status == .ok)
            #expect(String(buffer: out.body).contains("you sign out there"))
            let forged = try await DashboardPageTests.submit(
                client,
                "/sign-out",
                [("csrf", "0123")],
                headers: Self.fields(["kim"])
            )
            #expect(forged.status == .forbidden)
            try await fixture.store.write { ledger throws(LedgerError) in
                _ = try ledger.removeUser("lee", by: "kim", at: AccessFixture.start)
            }
            #expect(try await lee.send(.get, "/sales").status == .forbidden)
        }
    }

    @Test("A password still signs in where the proxy names nobody; whom it names counts more than a cookie")
    func passwords() async throws {
        try await Self.run { client, _ in
            let direct = DashboardBrowser(client)
            let answer = try await direct.signIn("lee")
            #expect(answer.status == .seeOther)
            #expect(try await direct.page("/sales").contains("<bdi>lee</bdi>, finance"))
            let through = DashboardBrowser(client, headers: Self.fields(["kim"]))
            through.cookies = direct.cookies
            #expect(try await through.page("/sales").contains("<bdi>kim</bdi>, admin"))
            let unknown = DashboardBrowser(client, headers: Self.fields(["max"]))
            unknown.cookies = direct.cookies
            #expect(try await unknown.send(.get, "/sales").status == .forbidden)
        }
    }
}
