extension SchemaPart {
    /// The leases of servers that share a ledger; they say who works now, and a copy leaves them out.
    static let servers = SchemaPart(
        tables: """
            CREATE TABLE leases (
                name TEXT PRIMARY KEY NOT NULL CHECK (name <> ''),
                holder TEXT CHECK (holder <> ''),
                epoch INTEGER NOT NULL CHECK (epoch >= 0),
                expires_at INTEGER NOT NULL,
                detail TEXT CHECK (detail IS NULL OR json_valid(detail))
            ) STRICT;
            """,
        triggers: [
            .refuse(
                .update(),
                on: "leases",
                when: """
                    new.name <> old.name OR new.epoch < old.epoch
                    OR (new.holder IS NOT NULL AND new.holder IS NOT old.holder AND new.epoch = old.epoch)
                    """,
                "epochs_rise",
                "the epoch of a lease rises with each change of holder"
            )
        ]
    )
}
