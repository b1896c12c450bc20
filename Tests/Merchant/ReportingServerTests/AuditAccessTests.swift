import ExternalPurchaseCore
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import ReportingServer

@Suite("Audit entries about keys and users are the matter of an administrator")
struct AuditAccessTests {
    /// A ledger with entries of every kind of key and user between those of records.
    private static func fixture() async throws -> AccessFixture {
        let fixture = try AccessFixture()
        let (system, now) = (fixture.system, AccessFixture.start)
        for (index, app) in [AccessFixture.shop, AccessFixture.other].enumerated() {
            _ = try await system.tokens.receive(
                TokenArrival(text: AccessFixture.token("token-\(index)", of: app), source: .app)
            )
            try await fixture.key(.sales, id: APIKeyId("key_000000000000000\(index)"), app: app, name: "secret-till")
        }
        try await fixture.store.write { ledger throws(LedgerError) in
            _ = try ledger.setPassword("hash", ofUser: "secret-root", by: "root", at: now)
            _ = try ledger.setPassword(
                "hash",
                ofUser: "secret-lee",
                apps: .only([AccessFixture.shop]),
                by: "secret-root",
                at: now
            )
            _ = try ledger.setRole(.finance, ofUser: "secret-lee", by: "secret-root")
            _ = try ledger.removeUser("secret-lee", by: "secret-root", at: now)
        }
        try await fixture.revoke(APIKeyId("key_0000000000000000"))
        _ = try await system.tokens.receive(TokenArrival(text: AccessFixture.token("token-last"), source: .app))
        return fixture
    }

    private static let kinds = ["key-created", "key-revoked", "user-password-set", "user-removed", "user-role-set"]

    @Test("Of the pages", arguments: UserRole.allCases, [nil, [AccessFixture.shop]] as [Set<BundleId>?])
    func pages(_ role: UserRole, _ apps: Set<BundleId>?) async throws {
        let fixture = try await Self.fixture()
        let user = DashboardAccess.User(name: "ann", credential: "c", role: role, apps: role == .admin ? nil : apps)
        let people = DashboardAccess(isSignInNeeded: { true }, user: { _, _ in user }, present: { _ in user })
        let server = ReportingServer(system: fixture.system, links: [:], dashboard: people)
        let entries = try await fixture.system.lists.audit(LedgerPage())
        #expect(Set(entries.map(\.kind)).isSuperset(of: Self.kinds))
        try await Application(router: server.router()).test(.router) { client in
            let browser = DashboardBrowser(client)
            try await browser.signIn("ann")
            #expect(try await browser.page("/audit").contains("secret-") == (role == .admin))
            for kind in Self.kinds {
                let page = try await browser.page("/audit?kind=\(kind)")
                #expect(page.contains("href=\"/audit/") == (role == .admin), "\(kind)")
            }
            for entry in entries {
                let answer = try await browser.send(.get, "/audit/\(entry.sequence)")
                let isSeen = role == .admin || !Self.kinds.contains(entry.kind)
                if apps == nil || !isSeen { #expect(answer.status == (isSeen ? .ok : .notFound), "\(entry.kind)") }
                #expect(isSeen || !String(buffer: answer.body).contains("secret-"), "\(entry.kind)")
            }
        }
    }

    @Test("Of the interface, whose pages are full until the last one", arguments: [1, 2, 100])
    func interface(_ limit: Int) async throws {
        let fixture = try await Self.fixture()
        let kinds = try await fixture.system.lists.audit(LedgerPage()).map(\.kind)
        try await fixture.application().test(.router) { client in
            for (scope, app) in [
                (KeyScope.admin, nil), (.read, nil), (.read, AccessFixture.shop), (.admin, AccessFixture.shop),
            ] as [(KeyScope, BundleId?)] {
                let key = try await fixture.key(scope, app: app)
                // The server reads keys again when its copy is old.
                fixture.clock.advance(by: .seconds(5))
                var (found, after, count): ([String], String?, Int) = ([], nil, limit)
                while count == limit {
                    let path = "/v1/audit?limit=\(limit)" + (after.map { "&after=\($0)" } ?? "")
                    let answer = try await client.send(.get, path, key: key)
                    #expect(answer.status == .ok, "\(answer.json)")
                    let page = answer.json["audit"] as? [[String: Any]] ?? []
                    found += page.compactMap { $0["kind"] as? String }
                    count = page.count
                    after = answer.json["next"] as? String
                    if after == nil || found.count > 1_000 { break }
                }
                #expect(found.contains("token-stored"))
                #expect(Self.kinds.contains { found.contains($0) } == (scope == .admin), "\(scope): \(found)")
                if scope == .read, app == nil { #expect(found == kinds.filter { !Self.kinds.contains($0) }) }
                let asked = try await client.send(.get, "/v1/audit?kind=key-created", key: key)
                #expect((asked.json["audit"] as? [Any])?.isEmpty == (scope != .admin), "\(scope)")
            }
        }
    }
}
