extension SchemaPart {
    /// Months that are submitted by hand, and Apple's invoices.
    static let exports = SchemaPart(
        tables: """
            CREATE TABLE manual_exports (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                export_id TEXT NOT NULL CHECK (export_id <> ''),
                programme TEXT NOT NULL CHECK (programme <> ''),
                month TEXT NOT NULL CHECK (month <> ''),
                made_at INTEGER NOT NULL,
                submitted_at INTEGER,
                submitted_by TEXT CHECK (submitted_by <> ''),
                reference TEXT,
                -- A submission that turns out to be wrong is withdrawn with a reason; its sales are free again.
                withdrawn_at INTEGER,
                withdrawn_by TEXT CHECK (withdrawn_by <> ''),
                withdrawn_reason TEXT CHECK (withdrawn_reason <> ''),
                UNIQUE (bundle_id, export_id),
                CHECK ((submitted_at IS NULL) = (submitted_by IS NULL)
                    AND (submitted_at IS NULL) = (reference IS NULL)),
                CHECK ((withdrawn_at IS NULL) = (withdrawn_by IS NULL)
                    AND (withdrawn_at IS NULL) = (withdrawn_reason IS NULL))
            ) STRICT;

            CREATE TABLE invoices (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                invoice_id TEXT NOT NULL CHECK (invoice_id <> ''),
                programme TEXT NOT NULL CHECK (programme <> ''),
                month TEXT NOT NULL CHECK (month <> ''),
                issued_on TEXT NOT NULL CHECK (length(issued_on) = 10),
                due_on TEXT CHECK (length(due_on) = 10),
                purchase_order TEXT CHECK (purchase_order <> ''),
                currency TEXT NOT NULL CHECK (length(currency) = 3),
                amount TEXT NOT NULL CHECK (amount <> ''),
                surcharge TEXT CHECK (surcharge <> ''),
                tax TEXT CHECK (tax <> ''),
                entered_at INTEGER NOT NULL,
                entered_by TEXT NOT NULL CHECK (entered_by <> ''),
                UNIQUE (bundle_id, invoice_id, programme, month, currency)
            ) STRICT;
            """,
        triggers: [
            .refuse(
                .update(of: "sequence, bundle_id, export_id, programme, month, made_at"),
                on: "manual_exports",
                "keep_their_content",
                "a manual export does not change"
            ),
            .refuse(
                .update(of: "submitted_at, submitted_by, reference"),
                on: "manual_exports",
                when: "old.submitted_at IS NOT NULL",
                "are_submitted_once",
                "a manual export is submitted once"
            ),
            .refuse(
                .update(of: "withdrawn_at, withdrawn_by, withdrawn_reason"),
                on: "manual_exports",
                when: "old.withdrawn_at IS NOT NULL OR old.submitted_at IS NULL",
                "are_withdrawn_once",
                "a manual export that was submitted is withdrawn once"
            ),
            .deleteInPurge("manual_exports"),
            .neverChange("invoices", "invoices are only ever added to"),
            .neverDelete("invoices"),
        ]
    )
}
