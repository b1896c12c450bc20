import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// The page `GET /keys`: API keys and users, which the command line creates.
struct KeysPage {
    let dashboard: Dashboard

    func add(to group: RouterGroup<ServerContext>) {
        group.get("keys", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let system = dashboard.system
        let now = dashboard.access.now()
        let (stored, people) = (try await system.access.apiKeys(), try await system.access.users())
        let keys = TableView(
            caption: "API keys",
            columns: [
                Column("Key", .id), Column("Name"), Column("Scope"), Column("App"), Column("Created"), Column("Ends"),
                Column("State"),
            ],
            rows: stored.reversed().map { key in
                [
                    .text(key.keyId.rawValue), .text(key.name), .text(key.scope.rawValue),
                    .text(key.bundleId?.rawValue ?? "all"), .time(key.createdAt, sub: "by \(key.createdBy)"),
                    key.expiresAt.map { .time($0) } ?? .text("never"), Self.state(of: key, at: now),
                ]
            },
            empty: "There is no API key. The command keys create makes one."
        )
        let users = TableView(
            caption: "Users",
            columns: [Column("Name"), Column("Changed"), Column("State")],
            rows: people.map { user in
                [
                    .text(user.name), .time(user.updatedAt),
                    user.isRemoved ? .chip("removed") : .chip("may sign in", .good),
                ]
            },
            empty: "There is no user. The command users set-password makes one."
        )
        let html = ListView(
            title: "Keys and users",
            lead: "Who may use the interface and who may sign in. The command line creates and revokes them: "
                + "keys create, keys revoke, users set-password, users remove.",
            content: CardView.html("API keys", keys.html, isTitled: true)
                + CardView.html("Users", users.html, isTitled: true)
        ).html
        return await dashboard.page("Keys and users", at: .keys, html, request, context)
    }

    private static func state(of key: StoredAPIKey, at now: Timestamp) -> Cell {
        switch key.state(at: now) {
        case .valid: .chip("valid", .good)
        case .expired: .chip("expired")
        case .revoked: .chip("revoked", sub: key.revocation.map { "by \($0.by)" })
        }
    }
}
