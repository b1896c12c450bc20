import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Synchronization
import Testing

@testable import ReportingServer

@Suite("Roles of the dashboard's users")
struct DashboardRoleTests {
    /// A page or form, and the lowest role that may use it; nil is everybody, also who is not signed in.
    private struct Row: Hashable, Sendable {
        let role: UserRole?
        let method: HTTPRequest.Method
        let path: String

        /// The path with values in place of its parameters, which no record has.
        var example: String {
            path.replacing("{month}", with: "2026-11").replacing("{sequence}", with: "999")
                .replacing(#/\{\w+\}/#, with: "none")
        }

        func matches(_ other: Substring) -> Bool {
            let (own, other) = (path.split(separator: "/"), other.split(separator: "/"))
            return own.count == other.count && zip(own, other).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }

    /// Written by hand; a new page has no place here before somebody decides whose it is.
    private static let table: [Row] = """
        everybody GET /assets/dashboard.css
        everybody GET /assets/dashboard.js
        everybody GET /assets/icon.svg
        everybody GET /sign-in
        everybody GET /sign-in/link
        everybody GET /sign-in/provider
        everybody GET /sign-in/provider/callback
        everybody POST /sign-in
        everybody POST /sign-in/link
        everybody POST /sign-out
        viewer GET /
        viewer GET /due
        viewer GET /review
        viewer GET /review/{sequence}
        viewer GET /tokens
        viewer GET /tokens/{externalPurchaseId}
        viewer GET /sales
        viewer GET /sales/{saleId}
        viewer GET /reports
        viewer GET /reports/{requestIdentifier}
        viewer GET /reports/{requestIdentifier}/sent
        viewer GET /reports/{requestIdentifier}/received
        viewer GET /notifications
        viewer GET /notifications/{uuid}
        viewer GET /events
        viewer GET /events/{eventId}
        viewer GET /corrections
        viewer GET /corrections/{correctionId}
        viewer GET /exports
        viewer GET /exports/{month}
        viewer GET /invoices
        viewer GET /deliveries
        viewer GET /deliveries/{id}
        viewer GET /audit
        viewer GET /audit/{sequence}
        viewer GET /search
        viewer GET /runbooks
        viewer GET /runbooks/{name}
        finance GET /exports/{month}/csv
        finance GET /exports/{month}/json
        finance POST /exports/{month}/submitted
        finance POST /exports/{month}/withdrawn
        finance POST /invoices
        finance POST /review
        finance POST /review/{sequence}
        finance POST /corrections
        operator POST /corrections/{correctionId}
        operator POST /sales/{saleId}/void
        operator POST /events/{eventId}/apply
        operator POST /events/{eventId}/dismiss
        operator POST /deliveries/{id}/redeliver
        admin GET /keys
        admin POST /keys
        admin GET /keys/{keyId}
        admin GET /keys/{keyId}/revoke
        admin POST /keys/{keyId}/revoke
        admin GET /settings
        """
        .split(separator: "\n").map { line in
            let parts = line.split(separator: " ").map(String.init)
            return Row(role: UserRole(rawValue: parts[0]), method: parts[1] == "GET" ? .get : .post, path: parts[2])
        }

    private static let roles: [UserRole] = [.viewer, .finance, .operator, .admin]

    /// Users whose names are their roles, with one password.
    private static let people = DashboardAccess(
        isSignInNeeded: { true },
        user: { name, password in password == "correct horse" ? user(name) : nil },
        present: { user($0) }
    )

    private static func user(_ name: String) -> DashboardAccess.User? {
        UserRole(rawValue: name).map { DashboardAccess.User(name: name, credential: "c", role: $0) }
    }

    private static func refusal(_ role: UserRole) -> String {
        let able = roles.filter { $0 >= role }.map(\.rawValue)
        return "needs the role \(able.joined(separator: " or ")); yours is"
    }

    private static func run(
        _ system: ReportingSystem,
        _ access: DashboardAccess? = people,
        _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let server = ReportingServer(system: system, links: [:], dashboard: access)
        try await Application(router: server.router()).test(.router) { try await test($0) }
    }

    @Test("The table has every path that is not of the interface, once")
    func complete() throws {
        let router = ReportingServer(system: try AccessFixture().system, links: [:]).router()
        let interface = Set(Endpoint.interface.map { "\($0.method.rawValue) \($0.path)" })
        let routes = Set(router.routes.map { "\($0.method.rawValue) \($0.path.description)" })
            .filter { !$0.hasPrefix("HEAD ") && !interface.contains($0) }
        #expect(routes.sorted() == Self.table.map { "\($0.method.rawValue) \($0.path)" }.sorted())
    }

    @Test("Each page and form is answered for the roles of the table, and 403 for others with the roles that may")
    func everyPath() async throws {
        try await Self.run(try AccessFixture().system) { client in
            for role in Self.roles {
                let browser = DashboardBrowser(client)
                try await browser.signIn(role.rawValue)
                for row in Self.table {
                    guard let needed = row.role else { continue }
                    let answers =
                        row.method == .get
                        ? [try await browser.send(.get, row.example), try await browser.send(.head, row.example)]
                        : [try await browser.submit(row.example, from: "/")]
                    let name = "\(role): \(row.method) \(row.path)"
                    for answer in answers { #expect((answer.status == .forbidden) == (role < needed), "\(name)") }
                    let text = String(buffer: answers[0].body)
                    #expect(text.contains(Self.refusal(needed)) == (role < needed), "\(name)")
                    #expect(answers[0].status != .internalServerError && answers[0].status != .seeOther, "\(name)")
                }
            }
        }
    }

    @Test("Who is not signed in is led to the sign-in by every page of the table, and a forged form changes nothing")
    func strangersAndForgeries() async throws {
        try await Self.run(try AccessFixture().system) { client in
            let browser = DashboardBrowser(client)
            try await browser.signIn("admin")
            for row in Self.table where row.role != nil {
                let stranger = try await client.execute(uri: row.example, method: row.method)
                #expect(stranger.status == .seeOther, "\(row)")
                #expect(stranger.headers[.location]?.hasPrefix("/sign-in") == true, "\(row)")
                guard row.method == .post else { continue }
                let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
                for token in ["", "0123"] {
                    let forged = try await DashboardPageTests.submit(
                        client,
                        row.example,
                        [("csrf", token)],
                        headers: [.cookie: cookies]
                    )
                    #expect([.forbidden, .notFound].contains(forged.status), "\(row): \(forged.status)")
                }
            }
        }
    }

    // MARK: What pages show

    /// The pages and forms that a user reaches by links, each as its path in the table.
    private static func reached(_ browser: DashboardBrowser) async throws -> (pages: Set<String>, forms: Set<String>) {
        var (pages, forms): (Set<String>, Set<String>) = ([], [])
        var (seen, open): (Set<String>, [String]) = (["/"], ["/"])
        while let path = open.popLast(), seen.count < 600 {
            let answer = try await browser.send(.get, path)
            let place = path.prefix { $0 != "?" && $0 != "#" }
            let row = try #require(table.first { $0.method == .get && $0.matches(place) }, "\(path)")
            // A search that has one result leads to its page.
            #expect([.ok, .notFound, .seeOther].contains(answer.status), "\(path): \(answer.status)")
            if let place = answer.headers[.location], seen.insert(place).inserted { open.append(place) }
            pages.insert(row.path)
            guard answer.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
            let html = String(buffer: answer.body)
            for form in DashboardForm.all(in: html) {
                let action = try #require(table.first { $0.method == .post && $0.matches(form.action[...]) })
                forms.insert(action.path)
            }
            for link in html.matches(of: #/<a[^>]*href="(\/[^"#]*)/#) {
                let path = String(link.1).replacing("&amp;", with: "&")
                // One runbook is like another.
                if path.hasPrefix("/runbooks/"), pages.contains("/runbooks/{name}") { continue }
                if seen.insert(path).inserted { open.append(path) }
            }
        }
        return (pages, forms)
    }

    @Test("Pages have the links and forms that the user may use, and no other")
    func links() async throws {
        try await EmulatedMerchant.run { sides in
            try await sides.sell("reported", checkout: try await sides.receiveToken())
            await sides.runUntilIdle()
            let held = """
                {"saleId":"held","bundleId":"\(EmulatedMerchant.bundleId)","type":"purchase",
                "occurredAt":"2026-11-20T11:59:00Z","checkoutId":"\(try await sides.receiveToken())",
                "productId":"gems.100","quantity":1,
                "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21"}}
                """
            #expect(try await sides.post("/v1/sales", held).status == .created)
            await sides.runUntilIdle()
            let plan = try await sides.post(
                "/v1/corrections",
                """
                {"bundleId":"\(EmulatedMerchant.bundleId)","saleId":"reported","action":"retract","reason":"x",
                "requestedBy":"kim"}
                """
            )
            #expect(plan.status == .ok, "\(plan.json)")
            try await Self.run(sides.merchant) { client in
                var reached: [UserRole: (pages: Set<String>, forms: Set<String>)] = [:]
                for role in Self.roles {
                    let browser = DashboardBrowser(client)
                    try await browser.signIn(role.rawValue)
                    reached[role] = try await Self.reached(browser)
                }
                let all = try #require(reached[.admin])
                #expect(
                    all.forms.isSuperset(of: [
                        "/review", "/review/{sequence}", "/sales/{saleId}/void", "/corrections",
                        "/corrections/{correctionId}", "/invoices", "/keys",
                    ]),
                    "\(all.forms.sorted())"
                )
                #expect(
                    all.pages.isSuperset(of: ["/keys", "/settings", "/exports/{month}"]),
                    "\(all.pages.sorted())"
                )
                for role in Self.roles {
                    func may(_ method: HTTPRequest.Method, _ path: String) -> Bool {
                        Self.table.contains { row in
                            row.method == method && row.path == path && (row.role.map { $0 <= role } ?? true)
                        }
                    }
                    #expect(reached[role]?.pages == all.pages.filter { may(.get, $0) }, "\(role)")
                    #expect(reached[role]?.forms == all.forms.filter { may(.post, $0) }, "\(role)")
                }
            }
        }
    }

    // MARK: Review items

    /// The kinds of items about sales and payments; all others are an operator's.
    private static let ofFinance = [
        "sale-held", "subscription-figures", "payment-event", "payment-waiting", "payments-unreferenced",
        "sale-changed",
    ]

    @Test(
        "Finance decides about items on sales and payments alone, an operator about every kind",
        arguments: ReviewKind.known
    )
    func review(_ kind: ReviewKind) async throws {
        let isFinance = Self.ofFinance.contains(kind.rawValue)
        let fixture = try AccessFixture()
        try await fixture.store.write { ledger throws(LedgerError) in
            for subject in [ReviewSubject.app, .token("SANDBOX_none"), .sale("none")] {
                _ = try ledger.open(
                    ReviewItem(
                        bundleId: AccessFixture.shop,
                        kind: kind,
                        subject: subject,
                        detail: "a test",
                        openedAt: AccessFixture.start
                    )
                )
            }
        }
        try await Self.run(fixture.system) { client in
            func decide(_ role: UserRole, _ path: String, _ boxes: [String] = []) async throws -> HTTPResponse.Status {
                let browser = DashboardBrowser(client)
                try await browser.signIn(role.rawValue)
                let page = try await browser.page("/review/1")
                let isOffered = !DashboardForm.all(in: page).isEmpty
                #expect(isOffered == (role >= .operator || role == .finance && isFinance), "\(role)")
                let fields = [("action", "resolve"), ("note", "settled")] + boxes.map { ($0, "on") }
                return try await browser.submit(path, fields, from: "/").status
            }
            func open() async throws -> [Int64] {
                try await fixture.system.lists.review(LedgerPage()).map(\.sequence)
            }
            let answer1 = try await decide(.viewer, "/review/1")
            #expect(answer1 == .forbidden)
            let answer2 = try await decide(.viewer, "/review", ["item.1"])
            #expect(answer2 == .forbidden)
            let answer3 = try await decide(.finance, "/review", ["item.3"])
            #expect(answer3 == (isFinance ? .ok : .forbidden))
            let answer4 = try await decide(.finance, "/review/2")
            #expect(answer4 == (isFinance ? .seeOther : .forbidden))
            let answer5 = try await open()
            #expect(answer5 == (isFinance ? [1] : [1, 2, 3]))
            let answer6 = try await decide(.operator, "/review/1")
            #expect(answer6 == .seeOther)
            let answer7 = try await open()
            #expect(answer7 == (isFinance ? [] : [2, 3]))
        }
    }

    // MARK: Changes

    @Test("A role counts from the next request on, also within a session, and a removed user's session ends")
    func changes() async throws {
        let fixture = try AccessFixture()
        var generator = SplitMix64(seed: 1)
        let hash = try PasswordHash(of: "correct horse", logRounds: 4, using: &generator).text
        let set = { @Sendable (role: UserRole?) async throws -> Void in
            try await fixture.store.write { ledger throws(LedgerError) in
                if let role {
                    _ = try ledger.setRole(role, ofUser: "lee", by: "kim")
                } else {
                    _ = try ledger.removeUser("lee", by: "kim", at: AccessFixture.start)
                }
            }
        }
        try await fixture.store.write { ledger throws(LedgerError) in
            for name in ["kim", "lee"] {
                _ = try ledger.setPassword(hash, ofUser: name, by: "root", at: AccessFixture.start)
            }
        }
        try await Self.run(fixture.system, nil) { client in
            let browser = DashboardBrowser(client)
            try await browser.signIn("lee")
            #expect(try await browser.page("/").contains("<bdi>lee</bdi>, viewer"))
            #expect(try await browser.send(.get, "/keys").status == .forbidden)
            try await set(.admin)
            #expect(try await browser.page("/keys").contains("Create the key"))
            try await set(.operator)
            let refused = try await browser.submit("/keys", [("scope", "read")], from: "/")
            #expect(refused.status == .forbidden)
            #expect(try await fixture.system.access.apiKeys().isEmpty)
            try await set(nil)
            #expect(try await browser.send(.get, "/").status == .seeOther)
        }
    }

    @Test(
        "With corrections.fourEyes, who asked for a correction does not confirm it, by page and by path",
        arguments: [true, false]
    )
    func fourEyes(_ isOn: Bool) async throws {
        var settings = ReportingSettings()
        settings.needsFourEyes = isOn
        try await EmulatedMerchant.run(settings: settings) { sides in
            try await sides.sell("s", checkout: try await sides.receiveToken())
            await sides.runUntilIdle()
            func plan(by name: String) async throws -> String {
                let answer = try await sides.post(
                    "/v1/corrections",
                    """
                    {"bundleId":"\(EmulatedMerchant.bundleId)","saleId":"s","action":"retract","reason":"x",
                    "requestedBy":"\(name)"}
                    """
                )
                return try #require(answer.json["correctionId"] as? String, "\(answer.json)")
            }
            let id = try await plan(by: "operator")
            let own = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"Operator"}"#
            if isOn {
                let refused = try await sides.post("/v1/corrections", own)
                #expect(refused.status == .conflict)
                #expect(
                    (refused.json["detail"] as? String)?.contains("corrections.fourEyes") == true,
                    "\(refused.json)"
                )
            }
            try await Self.run(sides.merchant) { client in
                let (asker, other) = (DashboardBrowser(client), DashboardBrowser(client))
                try await asker.signIn("operator")
                try await other.signIn("admin")
                let page = try await asker.page("/corrections/\(id)")
                #expect(page.contains("by operator"))
                #expect(page.contains("Confirm and send") == !isOn)
                #expect(page.contains("another person confirms it") == isOn)
                if isOn {
                    let refused = try await asker.submit("/corrections/\(id)", from: "/")
                    #expect(refused.status == .conflict)
                    #expect(String(buffer: refused.body).contains("asked for this correction"))
                    #expect(try await other.page("/corrections/\(id)").contains("Confirm and send"))
                }
                let done = try await (isOn ? other : asker).submit("/corrections/\(id)", from: "/")
                #expect(done.headers[.location]?.hasSuffix("done=confirmed") == true, "\(done.status)")
            }
        }
    }
}
