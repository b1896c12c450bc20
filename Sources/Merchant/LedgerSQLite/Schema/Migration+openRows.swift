extension Migration {
    /// Adds indexes of unreported rows, so that the cost of finding them does not depend on the number of reported
    /// rows.
    ///
    /// They replace two indexes with fewer columns or another order, so that no row is in more indexes than before.
    static let openRows = Migration(
        id: "0003-open-rows",
        sql: """
            -- Tokens that Apple does not know need a person, and stand in the due list too.
            DROP INDEX tokens_unreported;
            CREATE INDEX tokens_open ON tokens (bundle_id, environment, creation_date) WHERE reported_at IS NULL;
            -- In the order of their turn: a sale that rests is behind everything that may go.
            DROP INDEX sales_waiting;
            CREATE INDEX sales_in_turn ON sales (bundle_id, environment, received_at)
                WHERE state = 'planned' AND request_key IS NULL AND export_id IS NULL;
            """
    )
}
