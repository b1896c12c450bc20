import Ledger

extension PostgresMigration {
    /// What each user may do.
    ///
    /// A version without it lets every user do everything, so it does not go on using the schema.
    static let roles = PostgresMigration(
        id: "0002-roles",
        sql: PostgresDialect.definition(SchemaPart.roles)
    )

    /// What the pages of lists are found by.
    ///
    /// A version without it would not tell by which sales an event is found, so it does not go on using the schema.
    static let lists = PostgresMigration(
        id: "0003-lists",
        sql: PostgresDialect.definition(SchemaPart.lists)
    )

    /// What is sent to webhooks.
    ///
    /// A version without it sends nothing, and leaves to a later one what the audit log tells.
    static let webhooks = PostgresMigration(
        id: "0004-webhooks",
        sql: PostgresDialect.definition(SchemaPart.webhooks),
        onlyAdds: true
    )

    /// The only apps that a user sees.
    ///
    /// A version without it shows every app to everybody, so it does not go on using the schema.
    static let userApps = PostgresMigration(
        id: "0005-user-apps",
        sql: PostgresDialect.definition(SchemaPart.userApps)
    )

    /// What finds the entries of a sale in the audit log.
    ///
    /// A version without it names no request, as work that no request waits for.
    static let requests = PostgresMigration(
        id: "0006-requests",
        sql: PostgresDialect.definition(SchemaPart.requests),
        onlyAdds: true
    )

    /// The way of each alert message.
    ///
    /// A version without it would post what is to be mailed, so it does not go on using the schema.
    static let alertChannels = PostgresMigration(
        id: "0007-alert-channels",
        sql: PostgresDialect.definition(SchemaPart.alertChannels)
    )

    /// The ledger.
    static let ledger = PostgresMigration(
        id: "0001-ledger",
        sql: """
            \(beforeTables)

            \(SchemaPart.all.map { PostgresDialect.definition($0.tables) }.joined(separator: "\n\n"))

            \(besidesTables)

            \(SchemaPart.all.flatMap(\.triggers).map(definition).joined(separator: "\n"))
            """
    )

    /// The applied migrations, and what the shared definitions and statements use of SQLite.
    private static let beforeTables = """
        CREATE TABLE migrations (
            position bigint PRIMARY KEY,
            id text COLLATE "C" NOT NULL UNIQUE,
            sql text COLLATE "C" NOT NULL
        );
        -- For each later migration, the number of migrations that a version must know to use the schema after it.
        CREATE TABLE schema_compatibility (
            position bigint PRIMARY KEY,
            needs bigint NOT NULL CHECK (needs >= 1 AND needs <= position)
        );
        CREATE FUNCTION json_each(list text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT jsonb_array_elements_text(list::jsonb) COLLATE "C"
        $$;
        CREATE FUNCTION json_quote(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT to_json(value)::text
        $$;
        CREATE FUNCTION unixepoch(moment text) RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
        BEGIN
            RETURN floor(extract(epoch FROM moment::timestamptz));
        EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format THEN
            RETURN NULL;
        END $$;
        """

    /// What differs between the engines, and the function that triggers refuse with.
    private static let besidesTables = """
        -- A text may be longer than an entry of a tree can be.
        CREATE UNIQUE INDEX quarantined_tokens_once ON quarantined_tokens (md5(text), reason);
        CREATE INDEX quarantined_tokens_by_text ON quarantined_tokens USING hash (text);
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION USING MESSAGE = tg_argv[0], ERRCODE = 'integrity_constraint_violation';
        END $$;
        """

    /// Returns the definition of a trigger.
    ///
    /// A condition that reads other rows is evaluated by a function, because PostgreSQL allows none in `WHEN`.
    static func definition(of trigger: SchemaTrigger) -> String {
        let (event, row) =
            switch trigger.event {
            case .insertion: ("INSERT", "new")
            case .deletion: ("DELETE", "old")
            case .update(of: ""): ("UPDATE", "new")
            case .update(of: let columns): ("UPDATE OF \(columns)", "new")
            }
        let condition = trigger.condition.map { PostgresDialect.statement($0) }
        let readsOthers = condition?.contains("SELECT") == true
        let when = readsOthers ? "" : condition.map { "WHEN (\($0)) " } ?? ""
        func function(_ body: String) -> String {
            """
            CREATE FUNCTION \(trigger.name)() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
            \(body)
            RETURN \(row);
            END $$;

            """
        }
        let (time, created, called): (String, String, String)
        switch trigger.action {
        case .refuse(let message):
            time = "BEFORE"
            let argument = "'\(message.replacing("'", with: "''"))'"
            if let condition, readsOthers {
                created = function(
                    """
                    IF \(condition) THEN
                    RAISE EXCEPTION USING MESSAGE = tg_argv[0], ERRCODE = 'integrity_constraint_violation';
                    END IF;
                    """
                )
                called = "\(trigger.name)(\(argument))"
            } else {
                (created, called) = ("", "refuse_change(\(argument))")
            }
        case .run(let statements):
            time = "AFTER"
            (created, called) = (function(PostgresDialect.statement(statements)), "\(trigger.name)()")
        }
        return """
            \(created)CREATE TRIGGER \(trigger.name) \(time) \(event) ON \(trigger.table)
            FOR EACH ROW \(when)EXECUTE FUNCTION \(called);
            """
    }
}
