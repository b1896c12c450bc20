extension SchemaPart {
    /// API keys, stored by digest, and users, stored with a password hash.
    static let access = SchemaPart(
        tables: """
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

            -- The password of a removed user is gone; the name stays.
            CREATE TABLE users (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL UNIQUE CHECK (name <> ''),
                password_hash TEXT CHECK (password_hash <> ''),
                updated_at INTEGER NOT NULL
            ) STRICT;
            """,
        triggers: [
            .refuse(
                .update(),
                on: "api_keys",
                when: """
                    old.revoked_at IS NOT NULL OR new.revoked_at IS NULL OR new.sequence <> old.sequence
                    OR new.key_id <> old.key_id OR new.scope <> old.scope OR new.bundle_id IS NOT old.bundle_id
                    OR new.name IS NOT old.name OR new.digest <> old.digest OR new.created_at <> old.created_at
                    OR new.created_by <> old.created_by OR new.expires_at IS NOT old.expires_at
                    """,
                "are_only_revoked",
                "a key does not change, and is revoked once"
            ),
            .neverDelete("api_keys"),
            .refuse(
                .update(),
                on: "users",
                when: "new.sequence <> old.sequence OR new.name <> old.name",
                "keep_their_name",
                "a user keeps the name"
            ),
            .neverDelete("users"),
        ]
    )
}
