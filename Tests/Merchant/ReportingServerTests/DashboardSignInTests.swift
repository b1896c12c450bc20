import ExternalPurchaseCore
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import NIOCore
import Reporting
import Synchronization
import Testing

@testable import ReportingServer

@Suite("Signing in to the dashboard")
struct DashboardSignInTests {
    /// One user, whose password and existence a test changes.
    private final class People: Sendable {
        let password = Mutex<String?>("correct horse")
        let now = Mutex(Timestamp(milliseconds: 1_795_176_000_000))
        let checks = Mutex(0)
        /// What a check of a password waits for, and how it fails.
        let gate = Mutex<(@Sendable () async throws -> Void)?>(nil)

        var access: DashboardAccess {
            var access = DashboardAccess(
                isSignInNeeded: { true },
                user: { name, password in
                    self.checks.withLock { $0 += 1 }
                    try await self.gate.withLock { $0 }?()
                    guard name == "kim", password == self.password.withLock({ $0 }) else { return nil }
                    return DashboardAccess.User(name: name, credential: password, role: .admin)
                },
                present: { name in
                    guard name == "kim", let password = self.password.withLock({ $0 }) else { return nil }
                    return DashboardAccess.User(name: name, credential: password, role: .admin)
                }
            )
            access.now = { self.now.withLock { $0 } }
            return access
        }

        func advance(by duration: Duration) { now.withLock { $0 = $0 + duration } }
    }

    private static func run(
        isSecure: Bool = false,
        _ test: @escaping @Sendable (any TestClientProtocol, People) async throws -> Void
    ) async throws {
        let fixture = try ServerFixture()
        let people = People()
        let server = ReportingServer(
            system: fixture.merchant,
            links: [:],
            isSecure: isSecure,
            dashboard: people.access
        )
        try await Application(responder: DescribedResponder(server.router())).test(.router) {
            try await test($0, people)
        }
    }

    /// The cookies of a response by name, with their attributes.
    private static func cookies(_ response: TestResponse) -> [String: String] {
        Dictionary(
            response.headers[values: .setCookie].map { text in
                (String(text.prefix { $0 != "=" }), text)
            },
            uniquingKeysWith: { $1 }
        )
    }

    private static func value(_ cookie: String?) -> String {
        String((cookie ?? "").drop { $0 != "=" }.dropFirst().prefix { $0 != ";" })
    }

    private static func signIn(
        _ client: any TestClientProtocol,
        name: String = "kim",
        password: String = "correct horse",
        next: String? = nil,
        prefix: String = "external-purchase"
    ) async throws -> TestResponse {
        let query = next.map { "?next=\(PagePath.escaped($0))" } ?? ""
        let page = try await client.execute(uri: "/sign-in\(query)", method: .get)
        #expect(page.status == .ok)
        let html = String(buffer: page.body)
        let form = value(cookies(page)["\(prefix)-form"])
        let target = html.firstMatch(of: #/name="next" value="([^"]*)"/#).map { String($0.1) } ?? ""
        return try await DashboardPageTests.submit(
            client,
            "/sign-in",
            [
                ("csrf", DashboardPageTests.csrf(in: html)),
                ("next", target.replacingOccurrences(of: "&amp;", with: "&")), ("name", name), ("password", password),
            ],
            headers: [.cookie: "\(prefix)-form=\(form)"]
        )
    }

    private static func session(_ response: TestResponse) -> HTTPFields {
        [.cookie: "external-purchase=\(value(cookies(response)["external-purchase"]))"]
    }

    @Test("An error page shows the menu and the name to a signed-in person, and nothing of the ledger to others")
    func errorPages() async throws {
        try await Self.run { client, _ in
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            var foreign = form
            foreign[.origin] = "https://evil.example"
            let cases: [(path: String, headers: HTTPFields, body: String, status: Int)] = [
                ("/sign-in", foreign, "name=x", 403), ("/sign-in/link", foreign, "token=x", 403),
                ("/sign-out", foreign, "", 403), ("/keys", foreign, "name=x", 403), ("/sign-in", form, "name=%ff", 400),
                ("/sign-in/link", form, "token=%ff", 400),
            ]
            for (path, headers, body, status) in cases {
                let answer = try await client.execute(
                    uri: path,
                    method: .post,
                    headers: headers,
                    body: ByteBuffer(string: body)
                )
                let html = String(buffer: answer.body)
                #expect(answer.status.code == status, "\(path) \(body): \(html)")
                #expect(!html.contains("No sign-in needed") && !html.contains("<nav"), "\(path): \(html)")
                #expect(html.contains("Status \(status)") && !html.contains("<title>Sign in"), "\(path): \(html)")
            }
            let signedIn = try await Self.signIn(client)
            let missing = try await client.execute(
                uri: "/sales/none",
                method: .get,
                headers: Self.session(signedIn)
            )
            let html = String(buffer: missing.body)
            #expect(missing.status == .notFound)
            #expect(html.contains("Signed in as </span><bdi>kim") && html.contains("<nav"), "\(html)")
            #expect(!html.contains("No sign-in needed"), "\(html)")
        }
        // Where no sign-in is needed, the page says so.
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let missing = try await client.execute(uri: "/sales/none", method: .get)
            #expect(missing.status == .notFound && String(buffer: missing.body).contains("No sign-in needed"))
        }
    }

    @Test("Every page leads to the sign-in, which leads back; the assets and the sign-in are open")
    func redirect() async throws {
        try await Self.run { client, _ in
            for path in [
                "/", "/due", "/review", "/tokens", "/tokens/x", "/sales", "/sales/x", "/reports", "/reports/x/sent",
                "/notifications", "/events", "/events/x", "/corrections", "/exports", "/exports/2026-11/csv",
                "/invoices", "/audit", "/keys", "/keys/x", "/keys/x/revoke", "/settings",
                "/search?q=x",
            ] {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.status == .seeOther, "\(path)")
                let expected = path == "/" ? "/sign-in" : "/sign-in?next=\(PagePath.escaped(path))"
                #expect(answer.headers[.location] == expected, "\(path)")
            }
            for path in [
                "/sales/x/void", "/review/1", "/corrections", "/corrections/x", "/invoices",
                "/exports/2026-11/submitted", "/events/x/apply", "/keys", "/keys/x/revoke",
            ] {
                let answer = try await DashboardPageTests.submit(client, path, [("csrf", "x")])
                #expect(answer.status == .seeOther && answer.headers[.location] == "/sign-in", "\(path)")
            }
            for path in ["/assets/dashboard.css", "/assets/dashboard.js", "/assets/icon.svg", "/sign-in"] {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.status == .ok, "\(path)")
                #expect(answer.headers[.contentSecurityPolicy] != nil, "\(path)")
            }
        }
    }

    @Test("A right password opens a session with a new id; the page names the user; signing out ends it")
    func session() async throws {
        try await Self.run { client, _ in
            let answer = try await Self.signIn(client, next: "/sales?state=held&flag=no-tax")
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/sales?state=held&flag=no-tax")
            let headers = Self.session(answer)
            let page = try await client.execute(uri: "/sales", method: .get, headers: headers)
            let html = String(buffer: page.body)
            #expect(page.status == .ok && html.contains("kim") && html.contains("Sign out"))
            DashboardPageTests.check(html, page.headers, "/sales")
            let second = Self.session(try await Self.signIn(client))
            #expect(second != headers)
            let forged = try await DashboardPageTests.submit(client, "/sign-out", [("csrf", "x")], headers: headers)
            #expect(forged.status == .forbidden)
            let token = [("csrf", DashboardPageTests.csrf(in: html))]
            // The token of one session is no token of another.
            let other = try await DashboardPageTests.submit(client, "/sign-out", token, headers: second)
            #expect(other.status == .forbidden)
            let out = try await DashboardPageTests.submit(client, "/sign-out", token, headers: headers)
            #expect(out.headers[.location] == "/sign-in")
            #expect(Self.cookies(out)["external-purchase"]?.contains("Max-Age=0") == true)
            #expect(try await client.execute(uri: "/sales", method: .get, headers: headers).status == .seeOther)
            #expect(try await client.execute(uri: "/sales", method: .get, headers: second).status == .ok)
        }
    }

    @Test("Cookies are HttpOnly and SameSite, and behind TLS Secure and bound to the host")
    func cookies() async throws {
        try await Self.run { client, _ in
            let cookie = Self.cookies(try await Self.signIn(client))["external-purchase"] ?? ""
            for part in ["HttpOnly", "SameSite=Lax", "Path=/"] { #expect(cookie.contains(part), "\(cookie)") }
            #expect(!cookie.contains("Secure"))
            // 32 random bytes in hexadecimal.
            #expect(Self.value(cookie).utf8.count == 64)
        }
        try await Self.run(isSecure: true) { client, _ in
            let answer = try await Self.signIn(client, prefix: "__Host-external-purchase")
            let cookie = Self.cookies(answer)["__Host-external-purchase"] ?? ""
            for part in ["HttpOnly", "SameSite=Lax", "Path=/", "Secure"] { #expect(cookie.contains(part), "\(cookie)") }
            #expect(!cookie.contains("Domain"))
        }
    }

    @Test("A session ends after its idle time, at its end, with another password and with the user")
    func expiry() async throws {
        try await Self.run { client, people in
            func status(_ headers: HTTPFields) async throws -> HTTPResponse.Status {
                try await client.execute(uri: "/due", method: .get, headers: headers).status
            }
            var headers = Self.session(try await Self.signIn(client))
            people.advance(by: .hours(7))
            #expect(try await status(headers) == .ok)
            people.advance(by: .hours(7))
            #expect(try await status(headers) == .ok)
            people.advance(by: .hours(9))
            #expect(try await status(headers) == .seeOther)
            headers = Self.session(try await Self.signIn(client))
            for _ in 1...4 {
                people.advance(by: .hours(6))
                #expect(try await status(headers) == .ok)
            }
            people.advance(by: .hours(1))
            #expect(try await status(headers) == .seeOther)
            headers = Self.session(try await Self.signIn(client))
            people.password.withLock { $0 = "battery staple" }
            #expect(try await status(headers) == .seeOther)
            headers = Self.session(try await Self.signIn(client, password: "battery staple"))
            #expect(try await status(headers) == .ok)
            people.password.withLock { $0 = nil }
            #expect(try await status(headers) == .seeOther)
        }
    }

    @Test("Five failures lock the name at the address for 15 minutes, and the right password too")
    func lockOut() async throws {
        try await Self.run { client, people in
            for _ in 1...5 {
                let answer = try await Self.signIn(client, password: "wrong")
                #expect(answer.status == .unauthorized)
                #expect(String(buffer: answer.body).contains("Name or password is wrong."))
            }
            let checks = people.checks.withLock { $0 }
            let locked = try await Self.signIn(client)
            #expect(locked.status == .tooManyRequests)
            #expect(Int(locked.headers[.retryAfter] ?? "") ?? 0 > 800)
            #expect(people.checks.withLock { $0 } == checks, "a locked attempt checks no password")
            #expect(try await Self.signIn(client, name: "lee").status == .unauthorized)
            people.advance(by: .minutes(14))
            #expect(try await Self.signIn(client).status == .tooManyRequests)
            people.advance(by: .minutes(2))
            #expect(try await Self.signIn(client).status == .seeOther)
        }
    }

    @Test("An unknown name and a wrong password get the same answer")
    func sameAnswer() async throws {
        try await Self.run { client, _ in
            let pages = [
                String(buffer: try await Self.signIn(client, name: "kim", password: "wrong").body),
                String(buffer: try await Self.signIn(client, name: "lee", password: "wrong").body),
            ].map { html in
                html.replacing(#/name="csrf" value="[^"]*"/#, with: "").replacing(#/value="(kim|lee)"/#, with: "")
            }
            #expect(pages[0] == pages[1])
        }
    }

    @Test("Parallel attempts are no way around the lock")
    func parallel() async throws {
        try await Self.run { client, people in
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 1...12 {
                    group.addTask { try await Self.signIn(client, password: "wrong \(number)").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(people.checks.withLock { $0 } <= 5)
            #expect(statuses.count { $0 == .tooManyRequests || $0 == .serviceUnavailable } >= 7)
        }
    }

    @Test("An attempt that the server is too busy for is no failed one: the right password then signs in")
    func busy() async throws {
        try await Self.run { client, people in
            let (opened, open) = AsyncStream<Void>.makeStream()
            let waiting = Flag()
            people.gate.withLock { gate in
                gate = { if !waiting.isSet { for await _ in opened {} } }
            }
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 1...2 {
                    group.addTask { try await Self.signIn(client, name: "n\(number)", password: "x").status }
                }
                while people.checks.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
                // More than lock a name, and more than lock an address.
                for _ in 1...25 {
                    let answer = try await Self.signIn(client)
                    #expect(answer.status == .serviceUnavailable)
                    #expect(answer.headers[.retryAfter] == "2")
                }
                #expect(people.checks.withLock { $0 } == 2)
                waiting.set()
                open.finish()
                for try await status in group { #expect(status == .unauthorized) }
            }
            #expect(try await Self.signIn(client).status == .seeOther)
        }
    }

    @Test(
        "An address, or a /64 network, has a share of the checks at once: others are still checked",
        arguments: [
            (["198.51.100.8", "198.51.100.8"], "198.51.100.9"),
            (["::ffff:198.51.100.8", "198.51.100.8"], "203.0.113.7"),
            (["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"], "2001:db8:0:2::1"), (["unknown", "unknown"], "198.51.100.8"),
        ]
    )
    func shareOfAddress(_ addresses: [String], _ other: String) {
        let checks = PasswordChecks()
        for address in addresses { #expect(checks.begin(from: address)) }
        for address in addresses { #expect(!checks.begin(from: address)) }
        #expect(checks.begin(from: other) && checks.begin(from: other))
        for address in addresses { checks.end(from: address) }
        #expect(checks.begin(from: addresses[0]))
    }

    @Test("Checks that ended leave no count behind, and four are the most of all addresses")
    func countedChecks() {
        let checks = PasswordChecks()
        for _ in 1...3 {
            #expect(checks.begin(from: "198.51.100.1") && checks.begin(from: "198.51.100.1"))
            #expect(!checks.begin(from: "198.51.100.1"))
            #expect(checks.begin(from: "198.51.100.2") && checks.begin(from: "198.51.100.3"))
            #expect(!checks.begin(from: "198.51.100.4"))
            for last in ["1", "1", "2", "3"] { checks.end(from: "198.51.100.\(last)") }
        }
    }

    @Test("An attempt whose password the ledger could not check is no failed one")
    func notChecked() async throws {
        try await Self.run { client, people throws in
            people.gate.withLock { $0 = { throw LedgerError.busy } }
            for _ in 1...25 { #expect(try await Self.signIn(client).status.code >= 500) }
            people.gate.withLock { $0 = nil }
            #expect(try await Self.signIn(client).status == .seeOther)
        }
    }

    @Test("A form serves one attempt, whoever sends it, for an hour")
    func oneAttempt() async throws {
        try await Self.run { client, people in
            func form() async throws -> (fields: [(String, String)], headers: HTTPFields) {
                let page = try await client.execute(uri: "/sign-in", method: .get)
                let cookie = Self.value(Self.cookies(page)["external-purchase-form"])
                let token = DashboardPageTests.csrf(in: String(buffer: page.body))
                return ([("csrf", token)], [.cookie: "external-purchase-form=\(cookie)"])
            }
            func attempt(
                _ form: (fields: [(String, String)], headers: HTTPFields),
                _ password: String
            ) async throws -> HTTPResponse.Status {
                let fields = form.fields + [("name", "kim"), ("password", password)]
                return try await DashboardPageTests.submit(client, "/sign-in", fields, headers: form.headers).status
            }
            let first = try await form()
            #expect(try await attempt(first, "wrong") == .unauthorized)
            for _ in 1...30 { #expect(try await attempt(first, "correct horse") == .forbidden) }
            #expect(people.checks.withLock { $0 } == 1, "a used form checks no password")
            let (second, third) = (try await form(), try await form())
            people.advance(by: .minutes(59))
            #expect(try await attempt(second, "correct horse") == .seeOther)
            people.advance(by: .minutes(2))
            #expect(try await attempt(third, "correct horse") == .forbidden)
            // The token of one form is no token of another, and nobody makes forms that live longer.
            var mixed = try await form()
            mixed.fields = try await form().fields
            #expect(try await attempt(mixed, "correct horse") == .forbidden)
            var longer = try await form()
            longer.headers[.cookie] = longer.headers[.cookie]?.replacing("-form=1", with: "-form=9")
            #expect(try await attempt(longer, "correct horse") == .forbidden)
        }
    }

    @Test("Used forms need limited memory")
    func formMemory() {
        let forms = SignInForms(secret: [UInt8](repeating: 7, count: 32))
        let now = Timestamp(milliseconds: 1_795_176_000_000)
        for number in 0..<(SignInForms.limit + 100) {
            let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
            let form = forms.form(bytes, at: now)
            #expect(forms.use(cookie: form.cookie, token: form.token, at: now))
            if number % 1_000 == 0 { #expect(!forms.use(cookie: form.cookie, token: form.token, at: now)) }
        }
        #expect(forms.count <= SignInForms.limit)
    }

    @Test("The counts of failures need limited memory, and locks outlast single failures")
    func memory() {
        let limiter = SignInLimiter(limit: 100)
        let now = Timestamp(milliseconds: 0)
        for _ in 1...5 { #expect(limiter.attempt("kim", from: "10.0.0.1", at: now) == nil) }
        for number in 0..<1_000 {
            _ = limiter.attempt("n\(number)", from: "10.1.\(number / 250).\(number % 250)", at: now)
        }
        #expect(limiter.count <= 100)
        #expect(limiter.attempt("kim", from: "10.0.0.1", at: now) != nil)
    }

    @Test("A lock that a clock 400 days ahead has set ends with the repair of the clock; one of now stays")
    func clockAhead() {
        let limiter = SignInLimiter()
        let now = Timestamp(milliseconds: 1_795_176_000_000)
        for _ in 1...6 { _ = limiter.attempt("kim", from: "10.0.0.1", at: now + .days(400)) }
        #expect(limiter.attempt("kim", from: "10.0.0.1", at: now + .days(400)) != nil)
        for _ in 1...5 { #expect(limiter.attempt("kim", from: "10.0.0.1", at: now) == nil) }
        #expect(limiter.attempt("kim", from: "10.0.0.1", at: now) != nil)
    }

    @Test("The store of sessions needs limited memory, and nobody who signs in often signs others out")
    func sessionMemory() {
        let store = SessionStore()
        var number: Int64 = 0
        func start(_ name: String, _ subject: String = "c", by way: DashboardSession.Way = .password) -> String {
            number += 1
            let user = DashboardAccess.User(name: name, credential: subject, role: .viewer)
            store.start("\(number)", of: user, by: way, csrf: "x", at: Timestamp(milliseconds: number))
            return "\(number)"
        }
        func isThere(_ id: String) -> Bool { store.session(id, at: Timestamp(milliseconds: number)) != nil }
        let root = start("root")
        // The names of a user of the provider change, the subject does not.
        let own = (0...SessionStore.limit).map { start("kim \($0) (oidc 1)", "1", by: .provider) }
        #expect(store.count == SessionStore.share + 1)
        #expect(own.suffix(SessionStore.share).allSatisfy { isThere($0) })
        #expect(!isThere(own[0]) && isThere(root))
        // Many users fill the store; those who have the most make room.
        for user in 0..<(SessionStore.limit - 10) { _ = start("user \(user)") }
        #expect(store.count == SessionStore.limit)
        #expect(isThere(root))
        #expect(own.count { isThere($0) } < SessionStore.share)
        for user in 0..<SessionStore.limit { _ = start("other \(user)") }
        #expect(store.count == SessionStore.limit)
    }

    @Test("A form of the sign-in needs the cookie that its page set")
    func formCookie() async throws {
        try await Self.run { client, people in
            let html = String(buffer: try await client.execute(uri: "/sign-in", method: .get).body)
            let fields = [("csrf", DashboardPageTests.csrf(in: html)), ("name", "kim"), ("password", "correct horse")]
            for headers in [HTTPFields(), [.cookie: "external-purchase-form=00"]] {
                let answer = try await DashboardPageTests.submit(client, "/sign-in", fields, headers: headers)
                #expect(answer.status == .forbidden)
            }
            #expect(people.checks.withLock { $0 } == 0)
        }
    }

    @Test(
        "The way back after the sign-in is a path of this server",
        arguments: [
            ("/sales?state=held", "/sales?state=held"), ("/tokens/a%2Fb", "/tokens/a%2Fb"), ("", "/"),
            ("https://evil.example/", "/"), ("//evil.example", "/"), ("/\\evil.example", "/"),
            ("/\t/evil.example", "/"),
            ("\\/evil.example", "/"), ("javascript:alert(1)", "/"), ("/a\r\nSet-Cookie: x=1", "/"), ("sales", "/"),
            ("/sign-out", "/"), ("/sign-in?next=/", "/"), (" /sales", "/"), ("/é", "/"),
        ]
    )
    func way(_ text: String, _ expected: String) async throws {
        #expect(SignInRoutes.localPath(text) == expected)
        try await Self.run { client, _ in
            let answer = try await Self.signIn(client, next: text)
            #expect(answer.headers[.location] == expected)
        }
    }

    @Test("Changes carry the name of the signed-in user, whatever the form says")
    func author() async throws {
        try await Self.run { client, _ in
            let sale = """
                {"saleId":"s","bundleId":"\(ServerFixture.bundleId)","type":"purchase","occurredAt":"2026-11-20T12:00:00Z",
                "productId":"gems.100","quantity":1,
                "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
                """
            let stored = try await client.execute(
                uri: "/v1/sales",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: sale)
            )
            #expect(stored.status == .created)
            let headers = Self.session(try await Self.signIn(client))
            let page = try await client.execute(uri: "/sales/s", method: .get, headers: headers)
            let html = String(buffer: page.body)
            #expect(!html.contains("Your name"))
            let fields = [("csrf", DashboardPageTests.csrf(in: html)), ("reason", "r"), ("by", "somebody else")]
            let answer = try await DashboardPageTests.submit(client, "/sales/s/void", fields, headers: headers)
            #expect(answer.status == .seeOther)
            let after = try await client.execute(uri: "/v1/sales/s", method: .get).json
            #expect((after["versions"] as? [[String: Any]])?.last?["by"] as? String == "kim")
        }
    }

    @Test("From the first user of the ledger on, pages need the sign-in; a removed user's session ends")
    func ledger() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "dashboard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let fixture = try ServerFixture(store: store)
        let now = Timestamp(Date())
        var generator = SplitMix64(seed: 1)
        let hash = try PasswordHash(of: "correct horse", logRounds: 4, using: &generator).text
        try await fixture.application.test(.router) { client in
            #expect(try await client.execute(uri: "/due", method: .get).status == .ok)
            _ = try await store.write { ledger throws(LedgerError) in
                try ledger.setPassword(hash, ofUser: "kim", by: "test", at: now)
            }
            #expect(try await client.execute(uri: "/due", method: .get).status == .seeOther)
            #expect(try await Self.signIn(client, password: "wrong").status == .unauthorized)
            #expect(try await Self.signIn(client, name: "nobody").status == .unauthorized)
            let headers = Self.session(try await Self.signIn(client))
            let page = try await client.execute(uri: "/keys", method: .get, headers: headers)
            #expect(page.status == .ok && String(buffer: page.body).contains("may sign in"))
            #expect(!String(buffer: page.body).contains("scrypt"))
            _ = try await store.write { ledger throws(LedgerError) in
                try ledger.removeUser("kim", by: "test", at: now)
            }
            #expect(try await client.execute(uri: "/keys", method: .get, headers: headers).status == .seeOther)
            #expect(try await Self.signIn(client).status == .unauthorized)
        }
    }

    @Test("A form is read as a browser sends it, and malformed ones are refused")
    func forms() {
        func fields(_ text: String) -> [String: String]? {
            guard let fields = try? FormBody.fields(Array(text.utf8)) else { return nil }
            return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        }
        #expect(fields("a=1&b=x+y%20z&c=%26%3D&d") == ["a": "1", "b": "x y z", "c": "&=", "d": ""])
        #expect(fields("note=one%0D%0Atwo%0Athree") == ["note": "one\ntwo\nthree"])
        #expect(fields("a=%e2%82%ac=") == ["a": "€="])
        for text in ["a=%", "a=%4", "a=%zz", "a=%ff", "%c3=1"] { #expect(fields(text) == nil, "\(text)") }
    }

    @Test(
        "Names of fields are bounded, and texts stream-safe, before anything compares them",
        arguments: ["%CC%81", "\u{301}"]
    )
    func hostileForms(mark: String) {
        func fault(_ text: String) -> FormFault? {
            do throws(FormFault) {
                _ = try FormBody.fields(Array(text.utf8))
                return nil
            } catch {
                return error
            }
        }
        func run(_ count: Int) -> String { "a" + String(repeating: mark, count: count) }
        #expect(fault(run(30) + "=1&b=" + run(30)) == nil)
        #expect(fault("b=" + run(31)) == .combining && fault("b=" + run(100_000)) == .combining)
        // 31 of them have 63 bytes.
        #expect(fault(run(31) + "=1") == .combining && fault(run(32) + "=1") == .name && fault(run(100_000)) == .name)
        #expect(fault(String(repeating: "n", count: 64)) == nil && fault(String(repeating: "n", count: 65)) == .name)
    }
}
