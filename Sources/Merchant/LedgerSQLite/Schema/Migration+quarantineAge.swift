extension Migration {
    /// Allows the deletion of old quarantined texts.
    static let quarantineAge = Migration(
        id: "0011-quarantine-age",
        sql: """
            -- Only the oldest, one after another: whoever deletes must know the newest that goes.
            CREATE TABLE quarantine_expiry (
                singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
                through INTEGER NOT NULL
            ) STRICT;
            INSERT INTO quarantine_expiry (singleton, through) VALUES (1, 0);
            CREATE TRIGGER quarantine_expiry_is_never_deleted BEFORE DELETE ON quarantine_expiry
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from quarantine_expiry'); END;
            DROP TRIGGER tokens_set_aside_are_deleted_by_a_purge_only;
            CREATE TRIGGER tokens_set_aside_are_deleted_by_age_or_a_purge_only BEFORE DELETE ON tokens_set_aside
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
                AND old.sequence > (SELECT through FROM quarantine_expiry)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from tokens_set_aside'); END;
            """
    )
}
