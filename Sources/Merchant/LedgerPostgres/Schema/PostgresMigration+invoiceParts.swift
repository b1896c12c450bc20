#if PostgreSQL
extension PostgresMigration {
    /// Adds what Apple's invoice states beside its number, date and commission.
    static let invoiceParts = PostgresMigration(
        id: "0003-invoice-parts",
        sql: """
            ALTER TABLE invoices ADD COLUMN due_on text COLLATE "C" CHECK (length(due_on) = 10);
            ALTER TABLE invoices ADD COLUMN purchase_order text COLLATE "C" CHECK (purchase_order <> '');
            ALTER TABLE invoices ADD COLUMN surcharge text COLLATE "C" CHECK (surcharge <> '');
            ALTER TABLE invoices ADD COLUMN tax text COLLATE "C" CHECK (tax <> '');
            """,
        onlyAdds: true
    )
}
#endif
