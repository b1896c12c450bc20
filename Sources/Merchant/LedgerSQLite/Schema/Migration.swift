import Ledger

/// One step of the schema: SQL that never changes after its release.
struct Migration: Hashable, Sendable {
    let id: String
    let sql: String

    /// All migrations in the order in which they are applied.
    ///
    /// The first release starts the history. Until then the ledger changes in ``SchemaPart``; afterwards each change is
    /// a migration of its own here, and ``ledger`` stays as it was released.
    static let all: [Migration] = [.ledger, .roles, .lists, .webhooks, .userApps, .requests, .alertChannels, .pages]

    /// What each user may do.
    static let roles = Migration(id: "0002-roles", sql: SchemaPart.roles)

    /// What the pages of lists are found by.
    static let lists = Migration(id: "0003-lists", sql: SchemaPart.lists)

    /// What is sent to webhooks.
    static let webhooks = Migration(id: "0004-webhooks", sql: SchemaPart.webhooks)

    /// The only apps that a user sees.
    static let userApps = Migration(id: "0005-user-apps", sql: SchemaPart.userApps)

    /// What finds the entries of a sale in the audit log.
    static let requests = Migration(id: "0006-requests", sql: SchemaPart.requests)

    /// The way of each alert message.
    static let alertChannels = Migration(id: "0007-alert-channels", sql: SchemaPart.alertChannels)

    /// What finds sales by their type, and the entries of an app in the audit log.
    static let pages = Migration(
        id: "0008-pages",
        sql: """
            \(SchemaPart.types)
            \(definition(of: SchemaPart.typeOfNewestVersion))
            CREATE INDEX sales_of_type ON sales (bundle_id, coalesce(retyped, content ->> '$.type'));
            CREATE INDEX audit_of_app ON audit_log (
                coalesce(content ->> '$.bundleId', content ->> '$.token.bundleId', content ->> '$.sale.bundleId')
            );
            CREATE INDEX audit_of_kind_in_app ON audit_log (
                coalesce(content ->> '$.bundleId', content ->> '$.token.bundleId', content ->> '$.sale.bundleId'), kind
            );
            CREATE INDEX payment_events_of_type_in_app ON payment_events (bundle_id, type);
            CREATE INDEX notifications_of_kind_in_app ON notifications (bundle_id, type);
            """
    )

    /// The ledger.
    static let ledger = Migration(
        id: "0001-ledger",
        sql: """
            \(SchemaPart.all.map(\.tables).joined(separator: "\n\n"))

            CREATE UNIQUE INDEX quarantined_tokens_once ON quarantined_tokens (text, reason);

            \(SchemaPart.all.flatMap(\.triggers).map(definition).joined(separator: "\n"))
            """
    )

    /// Returns the definition of a trigger.
    static func definition(of trigger: SchemaTrigger) -> String {
        let event =
            switch trigger.event {
            case .insertion: "INSERT"
            case .deletion: "DELETE"
            case .update(of: ""): "UPDATE"
            case .update(of: let columns): "UPDATE OF \(columns)"
            }
        let condition = trigger.condition.map { "WHEN \($0)\n" } ?? ""
        let (time, body) =
            switch trigger.action {
            case .refuse(let message):
                ("BEFORE", "SELECT RAISE(ABORT, '\(message.replacing("'", with: "''"))');")
            case .run(let statements): ("AFTER", statements)
            }
        return """
            CREATE TRIGGER \(trigger.name) \(time) \(event) ON \(trigger.table)
            \(condition)BEGIN
            \(body)
            END;
            """
    }
}
