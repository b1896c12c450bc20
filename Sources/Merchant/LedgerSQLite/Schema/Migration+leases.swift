extension Migration {
    /// Adds the leases of servers that share a ledger, and the requests of reports that a restart must not lose.
    static let leases = Migration(
        id: "0017-leases",
        sql: """
            CREATE TABLE leases (
                name TEXT PRIMARY KEY NOT NULL CHECK (name <> ''),
                holder TEXT CHECK (holder <> ''),
                epoch INTEGER NOT NULL CHECK (epoch >= 0),
                expires_at INTEGER NOT NULL,
                detail TEXT CHECK (detail IS NULL OR json_valid(detail))
            ) STRICT;
            CREATE TRIGGER leases_epochs_rise BEFORE UPDATE ON leases
            WHEN new.name <> old.name OR new.epoch < old.epoch
                OR (new.holder IS NOT NULL AND new.holder IS NOT old.holder AND new.epoch = old.epoch)
            BEGIN SELECT RAISE(ABORT, 'the epoch of a lease rises with each change of holder'); END;

            CREATE TABLE report_requests (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                external_purchase_id TEXT NOT NULL,
                UNIQUE (bundle_id, environment, external_purchase_id)
            ) STRICT;
            """
    )
}
