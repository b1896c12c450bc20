/// A trigger of the ledger, in a form from which each engine's definition is made.
package struct SchemaTrigger: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        case insertion
        /// The update of a row; of any of these columns if there are some, separated by commas.
        case update(of: String = "")
        case deletion
    }

    package enum Action: Hashable, Sendable {
        /// Before the event: refuses it with a message.
        case refuse(String)
        /// After the event: runs statements, each of which ends with a semicolon.
        case run(String)
    }

    package let name: String
    package let table: String
    package let event: Event
    /// The condition on the rows `old` and `new`, in SQLite's dialect; nil applies to every row.
    package let condition: String?
    package let action: Action

    /// Refuses an event on a table.
    static func refuse(
        _ event: Event,
        on table: String,
        when condition: String? = nil,
        _ name: String,
        _ message: String
    ) -> SchemaTrigger {
        SchemaTrigger(
            name: "\(table)_\(name)",
            table: table,
            event: event,
            condition: condition,
            action: .refuse(message)
        )
    }

    /// Refuses every update of a table.
    static func neverChange(_ table: String, _ message: String) -> SchemaTrigger {
        refuse(.update(), on: table, "never_change", message)
    }

    /// Refuses every deletion from a table.
    static func neverDelete(_ table: String) -> SchemaTrigger {
        refuse(.deletion, on: table, "are_never_deleted", "nothing is deleted from \(table)")
    }

    /// Refuses deletions from a table unless a purge is open, which begins and ends in the deleting transaction
    /// (OB-91).
    ///
    /// - Parameter exception: the rows that this does not apply to.
    static func deleteInPurge(_ table: String, unless exception: String? = nil) -> SchemaTrigger {
        let isClosed = "NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)"
        return refuse(
            .deletion,
            on: table,
            when: exception.map { "\(isClosed) AND NOT (\($0))" } ?? isClosed,
            "are_deleted_by_a_purge",
            "nothing is deleted from \(table)"
        )
    }

    /// Refuses to move a row to another app; a cascade from the customer sets the app too, to what it was.
    static func keepApp(_ table: String) -> SchemaTrigger {
        refuse(
            .update(of: "bundle_id"),
            on: table,
            when: "new.bundle_id <> old.bundle_id",
            "stay_with_their_app",
            "nothing moves to another app"
        )
    }

    /// Runs statements after an event on a table.
    static func run(
        after event: Event,
        on table: String,
        when condition: String? = nil,
        _ name: String,
        _ statements: String
    ) -> SchemaTrigger {
        SchemaTrigger(name: name, table: table, event: event, condition: condition, action: .run(statements))
    }
}
