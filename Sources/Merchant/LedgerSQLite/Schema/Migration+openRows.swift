extension Migration {
    /// Indexes of what is not reported yet, so that looking for it costs nothing for what is.
    ///
    /// They take the place of two that held less or in another order, so that a row is in no more of them than before.
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
