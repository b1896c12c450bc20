import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import HTTPSupport
@testable import ReportingServer

@Suite("The dashboard behind TLS, and its first user")
struct DashboardTransportTests {
    /// Runs a test over a connection from 127.0.0.1.
    private static func run(
        trusting proxies: Set<String> = [],
        isSecure: Bool = false,
        access: DashboardAccess? = .kim(),
        _ test: @escaping @Sendable (any TestClientProtocol, AccessFixture) async throws -> Void
    ) async throws {
        let fixture = try AccessFixture()
        let server = ReportingServer(
            system: fixture.system,
            links: [:],
            trustedProxies: try TrustedProxies(proxies),
            isSecure: isSecure,
            dashboard: access
        )
        let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0))
        try await Application(router: server.router(), configuration: address).test(.live) {
            try await test($0, fixture)
        }
    }

    private static func forwarded(_ values: [String]) -> HTTPFields {
        var fields = HTTPFields()
        if let name = HTTPField.Name("X-Forwarded-Proto") {
            for value in values { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    /// A peer that is a trusted proxy or not, what it says, and whether the browser then counts as behind TLS.
    struct Case: Sendable, CustomTestStringConvertible {
        let isTrusted: Bool
        let values: [String]
        let isSecure: Bool
        var testDescription: String { "\(isTrusted ? "a proxy" : "anybody") says \(values)" }

        static let all = [
            Case(isTrusted: true, values: ["https"], isSecure: true),
            Case(isTrusted: true, values: ["HTTPS"], isSecure: true),
            Case(isTrusted: true, values: ["https, https"], isSecure: true),
            Case(isTrusted: true, values: [], isSecure: false),
            Case(isTrusted: true, values: ["http"], isSecure: false),
            Case(isTrusted: true, values: ["https, http"], isSecure: false),
            Case(isTrusted: true, values: ["http,https"], isSecure: false),
            Case(isTrusted: true, values: ["https", "http"], isSecure: false),
            Case(isTrusted: true, values: ["https,"], isSecure: false),
            Case(isTrusted: true, values: ["httpss"], isSecure: false),
            Case(isTrusted: false, values: ["https"], isSecure: false),
            Case(isTrusted: false, values: [], isSecure: false),
        ]
    }

    @Test("Cookies are Secure and browsers are told to keep to HTTPS if a trusted proxy says so", arguments: Case.all)
    func proxy(_ row: Case) async throws {
        // Where the peer is no proxy, another address is trusted.
        try await Self.run(trusting: [row.isTrusted ? "127.0.0.1" : "127.0.0.2"]) { client, _ in
            let browser = DashboardBrowser(client, headers: Self.forwarded(row.values))
            let answer = try await browser.signIn()
            #expect(answer.status == .seeOther)
            for cookie in answer.headers[values: .setCookie] {
                #expect(cookie.hasPrefix("__Host-external-purchase") == row.isSecure, "\(cookie)")
                #expect(cookie.contains("Secure") == row.isSecure, "\(cookie)")
                #expect(cookie.contains("HttpOnly") && cookie.contains("Path=/") && !cookie.contains("Domain"))
            }
            #expect(answer.headers[values: .setCookie].count == 2)
            for path in ["/sales", "/sign-in", "/none", "/v1/sales", "/v1/none", "/health/live", "/assets/icon.svg"] {
                let policy = try await browser.send(.get, path).headers[.strictTransportSecurity]
                #expect(policy == (row.isSecure ? "max-age=31536000" : nil), "\(path)")
            }
            #expect(try await browser.page("/sales").contains("kim"))
            let out = try await browser.submit("/sign-out", from: "/sales")
            #expect(out.status == .seeOther)
            #expect(try await browser.send(.get, "/sales").status == .seeOther)
        }
    }

    @Test("The server's own TLS counts for every request, whatever a header says")
    func direct() async throws {
        try await Self.run(isSecure: true) { client, _ in
            let browser = DashboardBrowser(client, headers: Self.forwarded(["http"]))
            let answer = try await browser.signIn()
            #expect(browser.cookies.keys.contains("__Host-external-purchase"))
            #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000")
        }
    }

    @Test("A session that began without TLS is none behind it, nor the other way round, even under the other's name")
    func otherTransport() async throws {
        try await Self.run(trusting: ["127.0.0.1"]) { client, _ in
            let (plain, secure) = (
                DashboardBrowser(client), DashboardBrowser(client, headers: Self.forwarded(["https"]))
            )
            try await plain.signIn()
            try await secure.signIn()
            (plain.cookies, secure.cookies) = (secure.cookies, plain.cookies)
            #expect(try await plain.send(.get, "/sales").status == .seeOther)
            #expect(try await secure.send(.get, "/sales").status == .seeOther)
        }
    }

    @Test(
        "Behind a proxy that changes Host, a form counts by what the browser says of its site",
        arguments: [
            ("same-origin", "https://dashboard.example.com", HTTPResponse.Status.seeOther),
            ("cross-site", "https://dashboard.example.com", .forbidden),
            ("same-site", "https://dashboard.example.com", .forbidden),
            (nil, "https://dashboard.example.com", .forbidden), (nil, "http://localhost", .seeOther),
        ] as [(String?, String, HTTPResponse.Status)]
    )
    func origin(_ site: String?, _ origin: String, _ status: HTTPResponse.Status) async throws {
        try await Self.run(trusting: ["127.0.0.1"]) { client, fixture in
            let browser = DashboardBrowser(client, headers: Self.forwarded(["https"]))
            try await browser.signIn()
            var headers: HTTPFields = [.origin: origin]
            if let site { headers[HTTPField.Name("Sec-Fetch-Site")!] = site }
            let answer = try await browser.submit("/keys", [("scope", "read")], from: "/keys", headers: headers)
            #expect(answer.status == status)
            #expect(try await fixture.system.access.apiKeys().count == (status == .seeOther ? 1 : 0))
        }
    }

    @Test("While nobody can sign in, the sign-in says how the first user is made, and nothing else")
    func firstUser() async throws {
        try await Self.run(access: nil) { client, fixture in
            let command = "external-purchase users set-password NAME"
            let browser = DashboardBrowser(client)
            try await fixture.key(.admin, name: "secret name")
            let page = try await browser.page("/sign-in")
            #expect(page.contains(command))
            #expect(!page.contains("secret name") && !page.contains("sqlite") && !page.contains("com.example"))
            let now = AccessFixture.start
            var generator = SplitMix64(seed: 1)
            let hash = try PasswordHash(of: "correct horse", logRounds: 4, using: &generator).text
            _ = try await fixture.store.write { ledger throws(LedgerError) in
                try ledger.setPassword(hash, ofUser: "kim", by: "test", at: now)
            }
            #expect(try await !browser.page("/sign-in").contains(command))
            #expect(try await browser.signIn(password: "wrong").status == .unauthorized)
            #expect(try await browser.signIn().status == .seeOther)
            _ = try await fixture.store.write { ledger throws(LedgerError) in
                try ledger.removeUser("kim", by: "test", at: now)
            }
            #expect(try await browser.page("/sign-in").contains(command))
        }
    }
}
