extension Migration {
    /// Adds API keys, stored by digest, and users, stored with a password hash.
    static let keysAndUsers = Migration(
        id: "0015-keys-and-users",
        sql: """
            CREATE TABLE api_keys (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                key_id TEXT NOT NULL UNIQUE CHECK (key_id <> ''),
                scope TEXT NOT NULL CHECK (scope IN ('admin', 'read', 'sales', 'intake', 'publishable')),
                bundle_id TEXT CHECK (bundle_id <> ''),
                name TEXT CHECK (name <> ''),
                digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
                created_at INTEGER NOT NULL,
                created_by TEXT NOT NULL CHECK (created_by <> ''),
                expires_at INTEGER,
                revoked_at INTEGER,
                revoked_by TEXT CHECK (revoked_by <> ''),
                CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
            ) STRICT;
            CREATE TRIGGER api_keys_are_only_revoked BEFORE UPDATE ON api_keys
            WHEN old.revoked_at IS NOT NULL OR new.revoked_at IS NULL OR new.sequence <> old.sequence
                OR new.key_id <> old.key_id OR new.scope <> old.scope OR new.bundle_id IS NOT old.bundle_id
                OR new.name IS NOT old.name OR new.digest <> old.digest OR new.created_at <> old.created_at
                OR new.created_by <> old.created_by OR new.expires_at IS NOT old.expires_at
            BEGIN SELECT RAISE(ABORT, 'a key does not change, and is revoked once'); END;
            CREATE TRIGGER api_keys_are_never_deleted BEFORE DELETE ON api_keys
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from api_keys'); END;

            -- The password of a removed user is gone; the name stays.
            CREATE TABLE users (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL UNIQUE CHECK (name <> ''),
                password_hash TEXT CHECK (password_hash <> ''),
                updated_at INTEGER NOT NULL
            ) STRICT;
            CREATE TRIGGER users_keep_their_name BEFORE UPDATE ON users
            WHEN new.sequence <> old.sequence OR new.name <> old.name
            BEGIN SELECT RAISE(ABORT, 'a user keeps the name'); END;
            CREATE TRIGGER users_are_never_deleted BEFORE DELETE ON users
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from users'); END;
            """
    )
}
