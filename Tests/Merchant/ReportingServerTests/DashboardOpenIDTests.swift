import AppStoreServerClient
import AsyncHTTPClient
import Crypto
import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Logging
import Reporting
import Synchronization
import Testing

@testable import ReportingServer

@Suite("Users whom an OpenID Connect provider vouches for")
struct DashboardOpenIDTests {
    /// The reasons of refused sign-ins in the log.
    private final class Reasons: Sendable {
        private let reasons = Mutex<[String]>([])

        /// The reasons since the last call.
        func take() -> [String] {
            reasons.withLock { reasons in
                defer { reasons = [] }
                return reasons
            }
        }

        var logger: Logger { Logger(label: "test") { [self] _ in Handler(reasons: self) } }

        private struct Handler: LogHandler {
            let reasons: Reasons
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.info
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
            func log(event: LogEvent) {
                guard event.message.description == "a sign-in was refused" else { return }
                let reason = event.metadata?["reason"].map { "\($0)" } ?? "none"
                reasons.reasons.withLock { $0.append(reason) }
            }
        }
    }

    /// A server and its provider, which share a clock.
    private struct Sides: Sendable {
        let fixture: AccessFixture
        let provider: ProviderStandIn
        let client: any TestClientProtocol
        let reasons: Reasons

        /// Goes to the provider and back, with what a test changes on the way.
        func signIn(
            _ browser: DashboardBrowser,
            next: String = "/sales",
            _ change: (inout [(String, String)]) -> Void = { _ in }
        ) async throws -> TestResponse {
            let begun = try await browser.send(.get, "/sign-in/provider?next=\(PagePath.escaped(next))")
            #expect(begun.status == .seeOther, "\(String(buffer: begun.body))")
            let address = begun.headers[.location] ?? ""
            #expect(address.hasPrefix(provider.issuer + "/authorize?tenant=1&response_type=code&"))
            let (code, state) = try provider.signIn(address)
            var query = [("code", code), ("state", state)]
            change(&query)
            return try await browser.send(.get, PagePath.query("/sign-in/provider/callback", query))
        }
    }

    private static func run(
        isSecure: Bool = false,
        _ test: @escaping @Sendable (Sides) async throws -> Void
    ) async throws {
        let fixture = try AccessFixture()
        var generator = SplitMix64(seed: 1)
        let hash = try PasswordHash(of: "correct horse", logRounds: 4, using: &generator).text
        try await fixture.store.write { ledger throws(LedgerError) in
            _ = try ledger.setPassword(hash, ofUser: "lee", by: "root", at: AccessFixture.start)
        }
        let provider = try ProviderStandIn { [clock = fixture.clock] in Double(clock.now.milliseconds) / 1_000 }
        provider.start()
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let settings = OpenIDSettings(
            issuer: provider.issuer,
            clientId: ProviderStandIn.clientId,
            clientSecret: ProviderStandIn.clientSecret,
            roles: ["accounting": .finance, "admins": .admin, "readers": .viewer]
        )
        let server = ReportingServer(
            system: fixture.system,
            links: [:],
            isSecure: isSecure,
            clock: AccessClock(now: { [clock = fixture.clock] in clock.now }, elapsed: { .zero }),
            signIn: SignInSettings(provider: .init(settings, transport: OpenIDTransport(http: http)))
        )
        let reasons = Reasons()
        do {
            try await Application(router: server.router(), logger: reasons.logger).test(.router) { client in
                try await test(Sides(fixture: fixture, provider: provider, client: client, reasons: reasons))
            }
        } catch {
            try? await http.shutdown()
            throw error
        }
        try await http.shutdown()
    }

    // MARK: What is accepted

    /// A token that is right, though not like the usual one.
    struct Right: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout ProviderStandIn.Plan) -> Void
        var role = "finance"
        var name = "kim (oidc 248289761001)"

        init(
            _ description: String,
            role: String = "finance",
            name: String = "kim (oidc 248289761001)",
            _ change: @escaping @Sendable (inout ProviderStandIn.Plan) -> Void
        ) {
            testDescription = description
            self.change = change
            self.role = role
            self.name = name
        }

        static let start = Int(AccessFixture.start.milliseconds / 1_000)
        static let all = [
            Right("as usual") { _ in },
            Right("by RSA") {
                $0.header["alg"] = "RS256"
                $0.signer = .rsa(ProviderStandIn.rsa)
                $0.keys = ["one": $0.signer]
            },
            Right("without the key's id") { $0.header["kid"] = nil },
            Right("a clock behind") { $0.claims["exp"] = start - 59 },
            Right("a clock ahead") { $0.claims["iat"] = start + 59 },
            Right("a list of one audience") { $0.claims["aud"] = [ProviderStandIn.clientId] },
            Right("several audiences and the party") {
                $0.claims["aud"] = ["other", ProviderStandIn.clientId]
                $0.claims["azp"] = ProviderStandIn.clientId
            },
            Right("the secret in the form") {
                $0.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
            },
            Right("the highest of several roles", role: "admin") {
                $0.claims["groups"] = ["readers", "admins", "accounting"]
            },
            Right("one group as a text", role: "viewer") { $0.claims["groups"] = "readers" },
            Right("no name", name: "user (oidc 248289761001)") { $0.claims["preferred_username"] = NSNull() },
            Right("a name with a line break", name: "user (oidc 248289761001)") {
                $0.claims["preferred_username"] = "root\nadmin"
            },
            Right("an empty name beside an address", name: "kim@example.com (oidc 248289761001)") {
                $0.claims["preferred_username"] = ""
                $0.claims["email"] = "kim@example.com"
            },
            Right("a name of white space beside another one", name: "Kim (oidc 248289761001)") {
                $0.claims["preferred_username"] = " \u{3000}"
                $0.claims["email"] = "kim\n@example.com"
                $0.claims["name"] = "Kim"
            },
            Right("the name of a local user", name: "lee (oidc 248289761001)") {
                $0.claims["preferred_username"] = "lee"
            },
            Right(
                "the id of another one in the name",
                name: "kim (oidc 1) (oidc 248289761001)"
            ) { $0.claims["preferred_username"] = "kim (oidc 1)" },
        ]
    }

    @Test("A right token signs in with the role of the groups", arguments: Right.all)
    func accepted(_ row: Right) async throws {
        try await Self.run { sides in
            row.change(&sides.provider.plan)
            let browser = DashboardBrowser(sides.client)
            let answer = try await sides.signIn(browser, next: "/sales?state=held")
            #expect(answer.status == .seeOther, "\(sides.reasons.take())")
            #expect(answer.headers[.location] == "/sales?state=held")
            #expect(try await browser.page("/sales").contains("<bdi>\(row.name)</bdi>, \(row.role)"))
            #expect(sides.reasons.take().isEmpty)
        }
    }

    // MARK: Attacks

    /// A sign-in that is refused.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let status: HTTPResponse.Status
        let change: @Sendable (inout ProviderStandIn.Plan) -> Void
        let query: @Sendable (inout [(String, String)]) -> Void

        init(
            _ reason: String,
            _ description: String,
            status: HTTPResponse.Status = .forbidden,
            _ change: @escaping @Sendable (inout ProviderStandIn.Plan) -> Void = { _ in },
            query: @escaping @Sendable (inout [(String, String)]) -> Void = { _ in }
        ) {
            testDescription = "\(reason): \(description)"
            self.reason = reason
            self.status = status
            self.query = query
            self.change = change
        }

        private static let large = (status: "200 OK", body: [UInt8](repeating: 0x20, count: 300_000))
        private static let start = Right.start
        private static func raw(_ token: String) -> (status: String, body: [UInt8]) {
            ("200 OK", ProviderStandIn.json(["id_token": token]))
        }

        static let all = [
            Attack("token-issuer", "another") { $0.claims["iss"] = "https://login.example.com" },
            Attack("token-issuer", "with a slash more") { $0.claims["iss"] = "http://127.0.0.1/" },
            Attack("token-issuer", "none") { $0.claims["iss"] = NSNull() },
            Attack("token-audience", "another") { $0.claims["aud"] = "other" },
            Attack("token-audience", "others") { $0.claims["aud"] = ["other", "DASHBOARD & CO"] },
            Attack("token-audience", "none") { $0.claims["aud"] = NSNull() },
            Attack("token-authorized-party", "another") { $0.claims["azp"] = "other" },
            Attack("token-authorized-party", "none of several audiences") {
                $0.claims["aud"] = [ProviderStandIn.clientId, "other"]
            },
            Attack("token-nonce", "another") { $0.claims["nonce"] = "another" },
            Attack("token-nonce", "none") { $0.claims["nonce"] = NSNull() },
            Attack("token-algorithm", "none") {
                $0.header["alg"] = "none"
                $0.signer = .nobody
            },
            Attack("token-algorithm", "None, with a signature") { $0.header["alg"] = "None" },
            Attack("token-algorithm", "missing") { $0.header["alg"] = nil },
            Attack("token-algorithm", "HS256 with the text of the public key") {
                $0.header["alg"] = "HS256"
                $0.signer = .secret(Array(ProviderStandIn.first.publicKey.pemRepresentation.utf8))
            },
            Attack("token-algorithm", "HS256 with the bytes of the public key, which the set has") {
                let bytes = Array(ProviderStandIn.first.publicKey.x963Representation)
                $0.header["alg"] = "HS256"
                $0.signer = .secret(bytes)
                $0.keys = ["one": .secret(bytes)]
            },
            Attack("token-algorithm", "HS256 with the client's secret") {
                $0.header["alg"] = "HS256"
                $0.signer = .secret(Array(ProviderStandIn.clientSecret.utf8))
            },
            Attack("token-algorithm", "PS256") { $0.header["alg"] = "PS256" },
            Attack("token-signature", "another key's") { $0.signer = .p256(ProviderStandIn.second) },
            Attack("token-signature", "none") { $0.signer = .nobody },
            Attack("token-signature", "RSA's") { $0.signer = .rsa(ProviderStandIn.rsa) },
            Attack("token-key-unknown", "another id") { $0.header["kid"] = "two" },
            Attack("token-key-unknown", "a key of another algorithm") { $0.header["alg"] = "RS256" },
            Attack("token-key-unknown", "a set without a key") { $0.keys = [:] },
            Attack("token-key-unknown", "keys that are none") { $0.keys = ["one": .nobody] },
            Attack("token-expired", "a minute ago") { $0.claims["exp"] = start - 60 },
            Attack("token-expired", "long ago") { $0.claims["exp"] = 0 },
            Attack("token-not-yet-valid", "made in the future") { $0.claims["iat"] = start + 61 },
            Attack("token-not-yet-valid", "not before") { $0.claims["nbf"] = start + 61 },
            Attack("token-not-yet-valid", "not before what is no time") { $0.claims["nbf"] = "now" },
            Attack("token-too-old", "made eleven minutes ago") { $0.claims["iat"] = start - 660 },
            Attack("token-unreadable", "without an end") { $0.claims["exp"] = NSNull() },
            Attack("token-unreadable", "an end that is a text") { $0.claims["exp"] = "\(start + 300)" },
            Attack("token-unreadable", "what must be understood") { $0.header["crit"] = ["exp"] },
            Attack("token-unreadable", "two parts") { $0.answers["/token"] = raw("e30.e30") },
            Attack("token-unreadable", "encrypted: five parts") { $0.answers["/token"] = raw("e30.e30.e30.e30.e30") },
            Attack("token-unreadable", "a claim twice") {
                let claims = Array(#"{"iss":"a","iss":"b"}"#.utf8)
                let header = ProviderStandIn.encoded(Array(#"{"alg":"ES256"}"#.utf8))
                $0.answers["/token"] = raw("\(header).\(ProviderStandIn.encoded(claims)).AAAA")
            },
            Attack("token-unreadable", "two hundred thousand bytes") {
                $0.answers["/token"] = raw(String(repeating: "a", count: 200_000))
            },
            Attack("token-subject", "none") { $0.claims["sub"] = NSNull() },
            Attack("token-subject", "a number") { $0.claims["sub"] = 1 },
            Attack("group-missing", "no groups") { $0.claims["groups"] = NSNull() },
            Attack("group-missing", "none with a role") { $0.claims["groups"] = ["staff", "Admins", "admins "] },
            Attack("group-missing", "no texts") { $0.claims["groups"] = [["admins"], 1] as [Any] },
            Attack("token-missing", "another answer") { $0.answers["/token"] = ("200 OK", Array("{}".utf8)) },
            Attack("token-missing", "no JSON") { $0.answers["/token"] = ("200 OK", Array("<html>".utf8)) },
            Attack("code-refused", "another code", query: { $0[0].1 = "stolen" }),
            Attack("code-refused", "a redirect") { $0.answers["/token"] = ("302 Found", []) },
            Attack("code-missing", "empty", query: { $0[0].1 = "" }),
            Attack("code-missing", "twice", query: { $0.append(("code", "stolen")) }),
            Attack("provider-error", "access denied", query: { $0[0] = ("error", "access_denied") }),
            Attack("state-unknown", "another", query: { $0[1].1 = String($0[1].1.reversed()) }),
            Attack("state-unknown", "none", query: { $0.removeLast() }),
            Attack("state-unknown", "twice", query: { $0.append($0[1]) }),
            Attack("answer-issuer", "another", query: { $0.append(("iss", "https://login.example.com")) }),
            Attack("answer-issuer", "none where it must be") {
                $0.metadata["authorization_response_iss_parameter_supported"] = true
            },
            Attack("provider-unavailable", "no token", status: .serviceUnavailable) {
                $0.answers["/token"] = ("500 Internal Server Error", [])
            },
            Attack("provider-unavailable", "no keys", status: .serviceUnavailable) {
                $0.answers["/keys"] = ("503 Service Unavailable", [])
            },
            Attack("provider-metadata", "no set of keys", status: .serviceUnavailable) {
                $0.answers["/keys"] = ("200 OK", Array("[]".utf8))
            },
            Attack("provider-answer-too-large", "token", status: .serviceUnavailable) { $0.answers["/token"] = large },
            Attack("provider-answer-too-large", "keys", status: .serviceUnavailable) { $0.answers["/keys"] = large },
        ]
    }

    @Test("Each attack is refused with its own reason in the log, one page, and no session", arguments: Attack.all)
    func refused(_ row: Attack) async throws {
        try await Self.run { sides in
            row.change(&sides.provider.plan)
            let browser = DashboardBrowser(sides.client)
            let answer = try await sides.signIn(browser, row.query)
            #expect(answer.status == row.status)
            #expect(sides.reasons.take() == [row.reason])
            let page = String(buffer: answer.body)
            #expect(page.contains("To the sign-in") && page.contains("request <code>"), "\(page)")
            #expect(!page.contains("Overview") && !page.contains(row.reason))
            #expect(try await browser.send(.get, "/sales").status == .seeOther)
        }
    }

    @Test("Addresses of the provider that cannot be used are refused before the browser leaves")
    func metadata() async throws {
        let wrong: [(String, @Sendable (inout ProviderStandIn.Plan) -> Void)] = [
            ("provider-metadata", { $0.metadata["issuer"] = "https://login.example.com" }),
            ("provider-metadata", { $0.metadata["token_endpoint"] = "http://login.example.com/token" }),
            ("provider-metadata", { $0.metadata["authorization_endpoint"] = "javascript:alert(1)" }),
            ("provider-metadata", { $0.metadata["authorization_endpoint"] = "https://a.example/\r\nX: y" }),
            ("provider-metadata", { $0.metadata["jwks_uri"] = "http://127.0.0.1@login.example.com/keys" }),
            ("provider-metadata", { $0.metadata["jwks_uri"] = NSNull() }),
            ("provider-metadata", { $0.answers["/.well-known/openid-configuration"] = ("200 OK", []) }),
            ("provider-unavailable", { $0.answers["/.well-known/openid-configuration"] = ("404 Not Found", []) }),
            ("provider-unavailable", { $0.answers["/.well-known/openid-configuration"] = ("302 Found", []) }),
            (
                "provider-answer-too-large",
                {
                    $0.answers["/.well-known/openid-configuration"] = (
                        "200 OK", [UInt8](repeating: 0x20, count: 300_000)
                    )
                }
            ),
        ]
        try await Self.run { sides in
            for (reason, change) in wrong {
                sides.provider.plan = ProviderStandIn.Plan()
                change(&sides.provider.plan)
                let answer = try await DashboardBrowser(sides.client).send(.get, "/sign-in/provider")
                #expect(answer.status == .serviceUnavailable, "\(reason)")
                #expect(answer.headers[values: .setCookie].isEmpty)
                #expect(sides.reasons.take() == [reason])
            }
            // Nothing of it is kept.
            sides.provider.plan = ProviderStandIn.Plan()
            let answer1 = try await sides.signIn(DashboardBrowser(sides.client))
            #expect(answer1.status == .seeOther)
        }
    }

    // MARK: The way there and back

    @Test("An answer counts once, in the browser that began, within 15 minutes")
    func replay() async throws {
        try await Self.run { sides in
            let browser = DashboardBrowser(sides.client)
            let begun = try await browser.send(.get, "/sign-in/provider")
            let cookies = browser.cookies
            let (code, state) = try sides.provider.signIn(begun.headers[.location] ?? "")
            let back = PagePath.query("/sign-in/provider/callback", [("code", code), ("state", state)])
            // Another browser, which has no cookie, or that of its own sign-in.
            let other = DashboardBrowser(sides.client)
            #expect(try await other.send(.get, back).status == .forbidden)
            _ = try await other.send(.get, "/sign-in/provider")
            #expect(try await other.send(.get, back).status == .forbidden)
            #expect(sides.reasons.take() == ["state-unknown", "state-unknown"])
            // HEAD, which programs send in advance, uses up nothing.
            let asked = sides.provider.requests
            #expect(try await browser.send(.head, back).status == .ok)
            #expect(sides.provider.requests == asked)
            #expect(try await browser.send(.get, back).status == .seeOther)
            // The code and the state once more, even with the cookie that the browser has deleted.
            browser.cookies = cookies
            #expect(try await browser.send(.get, back).status == .forbidden)
            #expect(sides.reasons.take() == ["state-used"])
            // The way back is part of what the state covers.
            let bent = DashboardBrowser(sides.client)
            let again = try await bent.send(.get, "/sign-in/provider?next=/sales")
            let second = try sides.provider.signIn(again.headers[.location] ?? "")
            bent.cookies = bent.cookies.mapValues { value in
                value.split(separator: ".").dropLast().joined(separator: ".") + "."
                    + ProviderStandIn.encoded(Array("//evil.example".utf8))
            }
            let query = [("code", second.code), ("state", second.state)]
            let path = PagePath.query("/sign-in/provider/callback", query)
            #expect(try await bent.send(.get, path).status == .forbidden)
            #expect(sides.reasons.take() == ["state-unknown"])
            // Too late.
            let late = DashboardBrowser(sides.client)
            let third = try sides.provider.signIn(
                try await late.send(.get, "/sign-in/provider").headers[.location] ?? ""
            )
            sides.fixture.clock.advance(by: .minutes(15))
            let over = try await late.send(
                .get,
                PagePath.query("/sign-in/provider/callback", [("code", third.code), ("state", third.state)])
            )
            #expect(over.status == .forbidden)
            #expect(sides.reasons.take() == ["state-unknown"])
        }
    }

    @Test("The way back leads to a path of this server only")
    func next() async throws {
        try await Self.run { sides in
            for (next, place) in [
                ("/due", "/due"), ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\evil.example", "/"),
                ("/sign-in/provider", "/"), ("/a\r\nSet-Cookie: a=b", "/"), ("", "/"),
            ] {
                let answer = try await sides.signIn(DashboardBrowser(sides.client), next: next)
                #expect(answer.headers[.location] == place, "\(next)")
            }
        }
    }

    @Test("Cookies of the sign-in are HttpOnly and SameSite=Lax, and Secure behind TLS", arguments: [true, false])
    func cookies(_ isSecure: Bool) async throws {
        try await Self.run(isSecure: isSecure) { sides in
            let browser = DashboardBrowser(sides.client)
            let begun = try await browser.send(.get, "/sign-in/provider")
            let done = try await sides.signIn(browser)
            let cookies = begun.headers[values: .setCookie] + done.headers[values: .setCookie]
            #expect(cookies.count == 4)
            for cookie in cookies {
                #expect(cookie.contains("HttpOnly") && cookie.contains("Path=/") && !cookie.contains("Domain"))
                #expect(cookie.contains("SameSite=Lax") || cookie.contains("-form="), "\(cookie)")
                #expect(cookie.contains("Secure") == isSecure && cookie.hasPrefix("__Host-") == isSecure, "\(cookie)")
            }
            let redirect =
                URLComponents(string: begun.headers[.location] ?? "")?.queryItems?
                .first { $0.name == "redirect_uri" }?.value ?? ""
            #expect(redirect.hasPrefix(isSecure ? "https://" : "http://"))
            #expect(redirect.hasSuffix("/sign-in/provider/callback"))
        }
    }

    // MARK: Keys, sessions, and the provider that is down

    @Test("A new key of the provider is read when a token names it, at most once a minute")
    func rotation() async throws {
        try await Self.run { sides in
            func keyRequests() -> Int { sides.provider.requests.count { $0 == "/keys" } }
            let answer2 = try await sides.signIn(DashboardBrowser(sides.client))
            #expect(answer2.status == .seeOther)
            let answer3 = try await sides.signIn(DashboardBrowser(sides.client))
            #expect(answer3.status == .seeOther)
            #expect(keyRequests() == 1)
            sides.provider.plan.header["kid"] = "two"
            sides.provider.plan.signer = .p256(ProviderStandIn.second)
            sides.provider.plan.keys = ["two": .p256(ProviderStandIn.second)]
            for _ in 1...3 {
                let answer4 = try await sides.signIn(DashboardBrowser(sides.client))
                #expect(answer4.status == .forbidden)
            }
            #expect(sides.reasons.take() == Array(repeating: "token-key-unknown", count: 3))
            #expect(keyRequests() == 1)
            sides.fixture.clock.advance(by: .minutes(1))
            let answer5 = try await sides.signIn(DashboardBrowser(sides.client))
            #expect(answer5.status == .seeOther)
            #expect(keyRequests() == 2)
            // The old one is gone.
            sides.provider.plan.header["kid"] = "one"
            sides.provider.plan.signer = .p256(ProviderStandIn.first)
            let answer6 = try await sides.signIn(DashboardBrowser(sides.client))
            #expect(answer6.status == .forbidden)
            #expect(sides.reasons.take() == ["token-key-unknown"])
        }
    }

    @Test(
        "A new key without an id, or with that of the old one, is read too, at most once a minute",
        arguments: [nil, "one"]
    )
    func silentRotation(_ id: String?) async throws {
        try await Self.run { sides in
            func keyRequests() -> Int { sides.provider.requests.count { $0 == "/keys" } }
            func signsIn() async throws {
                let answer = try await sides.signIn(DashboardBrowser(sides.client))
                #expect(answer.status == .seeOther)
            }
            func isRefused(_ times: Int) async throws {
                for _ in 1...times {
                    let answer = try await sides.signIn(DashboardBrowser(sides.client))
                    #expect(answer.status == .forbidden)
                }
                #expect(sides.reasons.take() == Array(repeating: "token-signature", count: times))
            }
            sides.provider.plan.header["kid"] = id
            try await signsIn()
            sides.provider.plan.signer = .p256(ProviderStandIn.second)
            sides.provider.plan.keys = ["one": .p256(ProviderStandIn.second)]
            try await isRefused(3)
            #expect(keyRequests() == 1)
            sides.fixture.clock.advance(by: .seconds(65))
            try await signsIn()
            #expect(keyRequests() == 2)
            // The old one is gone.
            sides.provider.plan.signer = .p256(ProviderStandIn.first)
            try await isRefused(1)
            #expect(keyRequests() == 2)
        }
    }

    @Test("While the provider is down, a password signs in, and the page offers both")
    func down() async throws {
        try await Self.run { sides in
            sides.provider.plan.answers["/.well-known/openid-configuration"] = ("503 Service Unavailable", [])
            let browser = DashboardBrowser(sides.client)
            let page = try await browser.page("/sign-in?next=/due")
            #expect(page.contains(#"href="/sign-in/provider?next=%2Fdue""#), "\(page)")
            #expect(page.contains("Sign in with 127.0.0.1"))
            #expect(try await browser.send(.get, "/sign-in/provider").status == .serviceUnavailable)
            #expect(sides.reasons.take() == ["provider-unavailable"])
            #expect(try await browser.signIn("lee").status == .seeOther)
            #expect(try await browser.page("/sales").contains("<bdi>lee</bdi>, admin"))
        }
    }

    @Test("Changes have the user's name, forms their token, and the session ends by sign-out and after eight hours")
    func session() async throws {
        try await Self.run { sides in
            sides.provider.plan.claims["groups"] = ["admins"]
            let browser = DashboardBrowser(sides.client)
            let answer7 = try await sides.signIn(browser)
            #expect(answer7.status == .seeOther)
            let forged = try await DashboardPageTests.submit(
                sides.client,
                "/keys",
                [("csrf", "0123"), ("scope", "read")],
                headers: [.cookie: browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
            )
            #expect(forged.status == .forbidden)
            #expect(try await browser.submit("/keys", [("scope", "read")], from: "/keys").status == .seeOther)
            let keys = try await sides.fixture.system.access.apiKeys()
            #expect(keys.map(\.createdBy) == ["kim (oidc 248289761001)"])
            for _ in 1...8 {
                #expect(try await browser.send(.get, "/sales").status == .ok)
                sides.fixture.clock.advance(by: .minutes(59))
            }
            #expect(try await browser.send(.get, "/sales").status == .ok)
            sides.fixture.clock.advance(by: .minutes(9))
            #expect(try await browser.send(.get, "/sales").status == .seeOther)
            let answer8 = try await sides.signIn(browser)
            #expect(answer8.status == .seeOther)
            #expect(try await browser.submit("/sign-out", from: "/sales").status == .seeOther)
            #expect(try await browser.send(.get, "/sales").status == .seeOther)
        }
    }

    @Test("Nobody takes the name of a provider's user, and the subject tells who is the same person")
    func names() {
        for name in ["kim (oidc 1)", "KIM (OIDC 1)", "(oidc 1) (oidc 2)", " (oidc )"] {
            #expect(AuthorName.fault(in: name) != nil, "\(name)")
        }
        for name in ["kim (oidc)", "kim (oidc 1", "oidc 1)"] { #expect(AuthorName.fault(in: name) == nil, "\(name)") }
        let long = AuthorName.ofProvider(
            subject: String(repeating: "s", count: 255),
            called: [String(repeating: "n", count: 300)]
        )
        #expect(long.unicodeScalars.count <= AuthorName.maximumLength)
        #expect(AuthorName.ofProvider(subject: "a) (oidc b", called: ["kim"]) != "kim (oidc a) (oidc b)")
    }
}
