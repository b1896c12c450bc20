extension Migration {
    /// Adds purges, withdrawn manual exports and Apple's invoices.
    ///
    /// Rows can only be deleted while a purge is open, which begins and ends in the deleting transaction (OB-91).
    static let records = Migration(
        id: "0004-records",
        sql: """
            CREATE TABLE purges (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                cut INTEGER NOT NULL,
                purged_at INTEGER NOT NULL,
                purged_by TEXT NOT NULL CHECK (purged_by <> ''),
                head_sequence INTEGER NOT NULL,
                head_hash BLOB NOT NULL CHECK (length(head_hash) = 32),
                removed TEXT NOT NULL CHECK (json_valid(removed)),
                finished INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1))
            ) STRICT;
            CREATE UNIQUE INDEX purges_open ON purges (finished) WHERE finished = 0;
            CREATE TRIGGER purges_never_change BEFORE UPDATE ON purges
            WHEN old.finished = 1 OR new.finished = 0 OR new.cut <> old.cut OR new.removed <> old.removed
                OR new.head_hash <> old.head_hash OR new.purged_by <> old.purged_by OR new.purged_at <> old.purged_at
            BEGIN SELECT RAISE(ABORT, 'the record of a purge does not change'); END;
            CREATE TRIGGER purges_are_never_deleted BEFORE DELETE ON purges
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from purges'); END;

            CREATE TABLE invoices (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                invoice_id TEXT NOT NULL CHECK (invoice_id <> ''),
                programme TEXT NOT NULL CHECK (programme <> ''),
                month TEXT NOT NULL CHECK (month <> ''),
                issued_on TEXT NOT NULL CHECK (length(issued_on) = 10),
                currency TEXT NOT NULL CHECK (length(currency) = 3),
                amount TEXT NOT NULL CHECK (amount <> ''),
                entered_at INTEGER NOT NULL,
                entered_by TEXT NOT NULL CHECK (entered_by <> ''),
                UNIQUE (bundle_id, invoice_id, programme, month, currency)
            ) STRICT;
            CREATE TRIGGER invoices_never_change BEFORE UPDATE ON invoices
            BEGIN SELECT RAISE(ABORT, 'invoices are only ever added to'); END;
            CREATE TRIGGER invoices_are_never_deleted BEFORE DELETE ON invoices
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from invoices'); END;

            -- A hand-in that turns out to be wrong is taken back with a reason; its sales are free again.
            ALTER TABLE manual_exports ADD COLUMN withdrawn_at INTEGER;
            ALTER TABLE manual_exports ADD COLUMN withdrawn_by TEXT CHECK (withdrawn_by <> '');
            ALTER TABLE manual_exports ADD COLUMN withdrawn_reason TEXT CHECK (
                withdrawn_reason <> '' AND (withdrawn_reason IS NULL) = (withdrawn_at IS NULL)
                AND (withdrawn_by IS NULL) = (withdrawn_at IS NULL)
            );
            DROP TRIGGER manual_exports_are_handed_in_once;
            CREATE TRIGGER manual_exports_are_handed_in_once
            BEFORE UPDATE OF handed_in_at, handed_in_by, reference ON manual_exports
            WHEN old.handed_in_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a manual export is handed in once'); END;
            CREATE TRIGGER manual_exports_are_withdrawn_once
            BEFORE UPDATE OF withdrawn_at, withdrawn_by, withdrawn_reason ON manual_exports
            WHEN old.withdrawn_at IS NOT NULL OR old.handed_in_at IS NULL
            BEGIN SELECT RAISE(ABORT, 'a manual export that was handed in is taken back once'); END;
            DROP TRIGGER sales_stay_in_their_report;
            CREATE TRIGGER sales_stay_in_their_report
            BEFORE UPDATE OF state, external_purchase_id, environment, flags, request_key, export_id ON sales
            WHEN old.request_key IS NOT NULL OR (old.export_id IS NOT NULL AND NOT (
                new.export_id IS NULL AND new.request_key IS NULL AND new.state = old.state
                AND new.external_purchase_id IS old.external_purchase_id AND new.flags = old.flags
                AND EXISTS (
                    SELECT 1 FROM manual_exports WHERE manual_exports.bundle_id = old.bundle_id
                        AND manual_exports.export_id = old.export_id AND manual_exports.withdrawn_at IS NOT NULL
                )
            ))
            BEGIN SELECT RAISE(ABORT, 'a report or an export holds the sale'); END;

            DROP TRIGGER token_sightings_are_never_deleted;
            CREATE TRIGGER token_sightings_are_deleted_by_a_purge_only BEFORE DELETE ON token_sightings
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from token_sightings'); END;
            DROP TRIGGER tokens_are_never_deleted;
            CREATE TRIGGER tokens_are_deleted_by_a_purge_only BEFORE DELETE ON tokens
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from tokens'); END;
            DROP TRIGGER tokens_set_aside_are_never_deleted;
            CREATE TRIGGER tokens_set_aside_are_deleted_by_a_purge_only BEFORE DELETE ON tokens_set_aside
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from tokens_set_aside'); END;
            DROP TRIGGER customers_are_never_deleted;
            CREATE TRIGGER customers_are_deleted_by_a_purge_only BEFORE DELETE ON customers
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from customers'); END;
            DROP TRIGGER checkouts_are_never_deleted;
            CREATE TRIGGER checkouts_are_deleted_by_a_purge_only BEFORE DELETE ON checkouts
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from checkouts'); END;
            DROP TRIGGER link_taps_are_never_deleted;
            CREATE TRIGGER link_taps_are_deleted_by_a_purge_only BEFORE DELETE ON link_taps
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from link_taps'); END;
            DROP TRIGGER sales_are_never_deleted;
            CREATE TRIGGER sales_are_deleted_by_a_purge_only BEFORE DELETE ON sales
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sales'); END;
            DROP TRIGGER sale_versions_are_never_deleted;
            CREATE TRIGGER sale_versions_are_deleted_by_a_purge_only BEFORE DELETE ON sale_versions
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sale_versions'); END;
            DROP TRIGGER corrections_are_never_deleted;
            CREATE TRIGGER corrections_are_deleted_by_a_purge_only BEFORE DELETE ON corrections
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from corrections'); END;
            DROP TRIGGER correction_reports_are_never_deleted;
            CREATE TRIGGER correction_reports_are_deleted_by_a_purge_only BEFORE DELETE ON correction_reports
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from correction_reports'); END;
            DROP TRIGGER manual_exports_are_never_deleted;
            CREATE TRIGGER manual_exports_are_deleted_by_a_purge_only BEFORE DELETE ON manual_exports
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from manual_exports'); END;
            DROP TRIGGER sent_items_are_never_deleted;
            CREATE TRIGGER sent_items_are_deleted_by_a_purge_only BEFORE DELETE ON sent_items
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sent_items'); END;
            DROP TRIGGER accepted_items_are_never_deleted;
            CREATE TRIGGER accepted_items_are_deleted_by_a_purge_only BEFORE DELETE ON accepted_items
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from accepted_items'); END;
            DROP TRIGGER reports_are_never_deleted;
            CREATE TRIGGER reports_are_deleted_by_a_purge_only BEFORE DELETE ON reports
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from reports'); END;
            DROP TRIGGER notifications_are_never_deleted;
            CREATE TRIGGER notifications_are_deleted_by_a_purge_only BEFORE DELETE ON notifications
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from notifications'); END;
            DROP TRIGGER notifications_set_aside_are_never_deleted;
            CREATE TRIGGER notifications_set_aside_are_deleted_by_a_purge_only BEFORE DELETE ON notifications_set_aside
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from notifications_set_aside'); END;
            DROP TRIGGER attention_items_are_never_deleted;
            CREATE TRIGGER attention_items_are_deleted_by_a_purge_only BEFORE DELETE ON attention_items
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from attention_items'); END;
            """
    )
}
