extension Migration {
    /// Adds indexes that find the sales that name a token or a checkout of it, whichever token they are reported on.
    static let namedTokens = Migration(
        id: "0021-named-tokens",
        sql: """
            CREATE INDEX sales_naming_token ON sales (bundle_id, content ->> '$.externalPurchaseId');
            CREATE INDEX versions_naming_token ON sale_versions (bundle_id, content ->> '$.externalPurchaseId');
            CREATE INDEX checkouts_of_token ON checkouts (bundle_id, external_purchase_id)
                WHERE external_purchase_id IS NOT NULL;
            """
    )
}
