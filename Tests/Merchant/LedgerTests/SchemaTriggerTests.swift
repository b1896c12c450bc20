import GRDB
import LedgerTesting
import Testing

@testable import Ledger
@testable import LedgerSQLite

extension SchemaTrigger {
    static let all = SchemaPart.all.flatMap(\.triggers) + [SchemaPart.typeOfNewestVersion]

    /// Statements that the trigger must refuse on any row: an update of each of its columns, or a deletion.
    ///
    /// Empty for a trigger whose condition depends on the row, and for one that runs statements.
    var refusedStatements: [String] {
        guard case .refuse = action else { return [] }
        switch event {
        case .update(of: let columns) where condition == nil:
            let names = columns.isEmpty ? Self.someColumn[table] ?? "sequence" : columns
            return names.split(separator: ", ").map { "UPDATE \(table) SET \($0) = \($0)" }
        case .deletion: return ["DELETE FROM \(table)"]
        default: return []
        }
    }

    /// A column of each table without row numbers whose rows never change.
    private static let someColumn = ["alerts": "event_id", "correction_reports": "position"]

    var message: String? {
        guard case .refuse(let message) = action else { return nil }
        return message
    }
}

@Suite("The triggers of a ledger are those of its schema, and refuse what they name")
struct SchemaTriggerTests {
    /// Tables in which ``FullLedger`` leaves no row.
    static let empty: Set<String> = ["purges", "deadline_rules", "payment_objects"]

    @Test("A file has every trigger of the list and no other one, on its table")
    func names() throws {
        let database = try DatabaseQueue()
        let found = try database.write { database in
            try migrate(database)
            return try Row.fetchAll(database, sql: "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'")
                .map { "\($0["name"] as String) on \($0["tbl_name"] as String)" }
        }
        #expect(found.sorted() == SchemaTrigger.all.map { "\($0.name) on \($0.table)" }.sorted())
        #expect(Set(SchemaTrigger.all.map(\.name)).count == SchemaTrigger.all.count)
    }

    @Test("Each statement that a trigger names is refused on a full ledger, with a message of that table")
    func effect() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile(), dependencies: FullLedger.dependencies)
        try await FullLedger.fill(store)
        var refused = 0
        for trigger in SchemaTrigger.all {
            let messages = Set(SchemaTrigger.all.filter { $0.table == trigger.table }.compactMap(\.message))
            for statement in trigger.refusedStatements {
                // A trigger of rows says nothing of an empty table.
                let count = "SELECT count(*) FROM \(trigger.table)"
                let rows = try await store.pool.read { try Int.fetchOne($0, sql: count) }
                #expect((rows == 0) == Self.empty.contains(trigger.table), "\(trigger.table)")
                guard rows != 0 else { continue }
                do {
                    try await store.pool.write { try $0.execute(sql: statement) }
                    Issue.record("\(statement) is not refused")
                } catch let error as DatabaseError {
                    #expect(error.message.map(messages.contains) == true, "\(statement): \(error)")
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }

    @Test("The kinds of a purge, which the audit log keeps, are the same texts whatever the tables are called (OB-91)")
    func kinds() {
        let kinds = PurgeQuery.removals.map { PurgeQuery.kind(of: $0.table) }
        #expect(
            kinds.sorted() == [
                "accepted_items", "attention_items", "checkout_claims", "checkouts", "correction_reports",
                "corrections",
                "customers", "link_taps", "manual_exports", "notifications", "notifications_set_aside",
                "payment_event_objects", "payment_events", "payment_objects", "reports", "sale_changes",
                "sale_versions", "sales", "sent_items", "token_sightings", "tokens", "tokens_set_aside",
                "webhook_attempts", "webhook_deliveries",
            ]
        )
    }
}
