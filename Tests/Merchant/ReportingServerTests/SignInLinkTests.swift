import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Synchronization
import Testing

@testable import ReportingServer

@Suite("Signing in by a link")
struct SignInLinkTests {
    /// What a test changes.
    private final class Clock: Sendable {
        let now = Mutex(Timestamp(milliseconds: 1_795_176_000_000))
        let isRemoved = Mutex(false)

        func advance(by duration: Duration) { now.withLock { $0 = $0 + duration } }
    }

    private static let user = DashboardAccess.User(name: "kim", credential: "link", role: .admin)

    private static func run(
        _ test: @escaping @Sendable (any TestClientProtocol, DashboardAccess, Clock) async throws -> Void
    ) async throws {
        let clock = Clock()
        var access = DashboardAccess(
            isSignInNeeded: { true },
            user: { _, _ in nil },
            present: { name in
                name == user.name && !clock.isRemoved.withLock { $0 } ? user : nil
            }
        )
        access.now = { clock.now.withLock { $0 } }
        let fixture = try ServerFixture()
        let server = ReportingServer(system: fixture.merchant, links: [:], dashboard: access)
        try await Application(router: server.router()).test(.router) { [access] in try await test($0, access, clock) }
    }

    private static func cookie(_ name: String, of response: TestResponse) -> String? {
        let cookies = response.headers[values: .setCookie].filter { $0.hasPrefix("\(name)=") }
        return cookies.last.map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }.flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// Opens a link and presses the button of its page.
    private static func follow(
        _ link: String,
        _ client: any TestClientProtocol,
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        let page = try await client.execute(uri: link, method: .get)
        #expect(page.status == .ok)
        var headers = headers
        headers[.cookie] = "external-purchase-form=\(cookie("external-purchase-form", of: page) ?? "")"
        return try await DashboardPageTests.submit(
            client,
            "/sign-in/link",
            fields(of: link, String(buffer: page.body)),
            headers: headers
        )
    }

    private static func fields(of link: String, _ html: String) -> [(String, String)] {
        [("csrf", DashboardPageTests.csrf(in: html)), ("token", String(link.split(separator: "=").last ?? ""))]
    }

    private static func isRefused(_ response: TestResponse) -> Bool {
        response.status == .forbidden && cookie("external-purchase", of: response) == nil
            && String(buffer: response.body).contains("This link does not sign in")
    }

    @Test("A form of a link serves one attempt: it follows no second link")
    func oneForm() async throws {
        try await Self.run { client, access, _ in
            let (first, second) = (access.signInLink(for: Self.user), access.signInLink(for: Self.user))
            let page = try await client.execute(uri: first, method: .get)
            let cookie = Self.cookie("external-purchase-form", of: page) ?? ""
            for (link, status) in [(first, HTTPResponse.Status.seeOther), (second, .forbidden)] {
                let answer = try await DashboardPageTests.submit(
                    client,
                    "/sign-in/link",
                    Self.fields(of: link, String(buffer: page.body)),
                    headers: [.cookie: "external-purchase-form=\(cookie)"]
                )
                #expect(answer.status == status)
            }
            // The second link is unused.
            #expect(try await Self.follow(second, client).status == .seeOther)
        }
    }

    @Test("The page of a link uses nothing up, however often it is fetched; its button signs in, once")
    func once() async throws {
        try await Self.run { client, access, _ in
            let link = access.signInLink(for: Self.user)
            let referrerPolicy = try #require(HTTPField.Name("Referrer-Policy"))
            // 32 random bytes.
            #expect(link.wholeMatch(of: /\/sign-in\/link\?token=[A-Za-z0-9_-]{43}/) != nil, "\(link)")
            #expect(link != access.signInLink(for: Self.user))
            for method in [HTTPRequest.Method.get, .head, .get] {
                let page = try await client.execute(uri: link, method: method)
                #expect(page.status == .ok)
                #expect(Self.cookie("external-purchase", of: page) == nil)
                #expect(page.headers[referrerPolicy] == "no-referrer")
                if method == .head { continue }
                let html = String(buffer: page.body)
                DashboardPageTests.check(html, page.headers, link)
                #expect(html.contains("<bdi>kim</bdi>"))
            }
            let answer = try await Self.follow(link, client)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/")
            let session = try #require(Self.cookie("external-purchase", of: answer))
            let home = try await client.execute(
                uri: "/",
                method: .get,
                headers: [.cookie: "external-purchase=\(session)"]
            )
            #expect(home.status == .ok && String(buffer: home.body).contains("kim"))
            let page = try await client.execute(uri: link, method: .get)
            #expect(Self.isRefused(page))
            #expect(page.headers[referrerPolicy] == "no-referrer")
        }
    }

    @Test("Of parallel uses, one signs in")
    func parallel() async throws {
        try await Self.run { client, access, _ in
            let link = access.signInLink(for: Self.user)
            let page = try await client.execute(uri: link, method: .get)
            let form = Self.fields(of: link, String(buffer: page.body))
            let cookie = Self.cookie("external-purchase-form", of: page) ?? ""
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 1...10 {
                    group.addTask {
                        try await DashboardPageTests.submit(
                            client,
                            "/sign-in/link",
                            form,
                            headers: [.cookie: "external-purchase-form=\(cookie)"]
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .seeOther } == 1)
            #expect(statuses.count { $0 == .forbidden } == 9)
        }
    }

    @Test("A link ends after 15 minutes, and a made-up, cut or missing token is refused")
    func refused() async throws {
        try await Self.run { client, access, clock in
            let link = access.signInLink(for: Self.user)
            for other in [
                "/sign-in/link", "/sign-in/link?token=", String(link.dropLast()), link + "A",
                "/sign-in/link?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            ] {
                #expect(Self.isRefused(try await client.execute(uri: other, method: .get)), "\(other)")
            }
            clock.advance(by: .minutes(15) - .milliseconds(1))
            let page = try await client.execute(uri: link, method: .get)
            #expect(page.status == .ok)
            clock.advance(by: .milliseconds(1))
            #expect(Self.isRefused(try await client.execute(uri: link, method: .get)))
            let late = try await DashboardPageTests.submit(
                client,
                "/sign-in/link",
                Self.fields(of: link, String(buffer: page.body)),
                headers: [
                    .cookie: "external-purchase-form=\(Self.cookie("external-purchase-form", of: page) ?? "")"
                ]
            )
            #expect(Self.isRefused(late))
        }
    }

    @Test("The link of a user who was removed does not sign in")
    func removed() async throws {
        try await Self.run { client, access, clock in
            let link = access.signInLink(for: Self.user)
            clock.isRemoved.withLock { $0 = true }
            let answer = try await Self.follow(link, client)
            #expect(Self.isRefused(answer))
        }
    }

    @Test("The form needs the cookie of its page and is refused from another site; the link stays valid")
    func forged() async throws {
        try await Self.run { client, access, _ in
            let link = access.signInLink(for: Self.user)
            let page = try await client.execute(uri: link, method: .get)
            let form = Self.fields(of: link, String(buffer: page.body))
            let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
            let cookie = "external-purchase-form=\(Self.cookie("external-purchase-form", of: page) ?? "")"
            for headers in [
                HTTPFields(), [.cookie: "external-purchase-form=00"], [.cookie: cookie, site: "cross-site"],
                [.cookie: cookie, .origin: "https://evil.example"], [.cookie: cookie, .origin: "null"],
                [.cookie: cookie, .origin: "null", site: "cross-site"],
            ] {
                let answer = try await DashboardPageTests.submit(client, "/sign-in/link", form, headers: headers)
                #expect(answer.status == .forbidden, "\(headers)")
                #expect(Self.cookie("external-purchase", of: answer) == nil, "\(headers)")
            }
            // What a browser sends from a page without referrers.
            let answer = try await Self.follow(link, client, headers: [.origin: "null", site: "same-origin"])
            #expect(answer.status == .seeOther)
        }
    }

    @Test("Without a need to sign in a link leads to the overview")
    func open() async throws {
        let server = ReportingServer(system: try ServerFixture().merchant, links: [:], dashboard: .open)
        try await Application(router: server.router()).test(.router) { client in
            let answer = try await client.execute(uri: "/sign-in/link?token=x", method: .get)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/")
        }
    }
}
