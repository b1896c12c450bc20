extension Migration {
    /// Adds what Apple's invoice states beside its number, date and commission.
    static let invoiceParts = Migration(
        id: "0018-invoice-parts",
        sql: """
            ALTER TABLE invoices ADD COLUMN due_on TEXT CHECK (length(due_on) = 10);
            ALTER TABLE invoices ADD COLUMN purchase_order TEXT CHECK (purchase_order <> '');
            ALTER TABLE invoices ADD COLUMN surcharge TEXT CHECK (surcharge <> '');
            ALTER TABLE invoices ADD COLUMN tax TEXT CHECK (tax <> '');
            """
    )
}
