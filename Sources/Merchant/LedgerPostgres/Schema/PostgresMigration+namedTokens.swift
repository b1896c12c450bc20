#if PostgreSQL
extension PostgresMigration {
    /// Adds indexes that find the sales that name a token or a checkout of it, whichever token they are reported on.
    static let namedTokens = PostgresMigration(
        id: "0006-named-tokens",
        sql: """
            CREATE INDEX sales_naming_token ON sales (bundle_id, (content::jsonb #>> '{externalPurchaseId}'));
            CREATE INDEX versions_naming_token ON sale_versions
                (bundle_id, (content::jsonb #>> '{externalPurchaseId}'));
            CREATE INDEX checkouts_of_token ON checkouts (bundle_id, external_purchase_id)
                WHERE external_purchase_id IS NOT NULL;
            """,
        onlyAdds: true
    )
}
#endif
