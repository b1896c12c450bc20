#if PostgreSQL
extension PostgresMigration {
    /// The rules that no row changes or is deleted otherwise than the ledger means it.
    static let triggers = """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION USING MESSAGE = tg_argv[0], ERRCODE = 'integrity_constraint_violation';
        END $$;
        CREATE FUNCTION refuse_deletion_without_purge() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0) THEN
                RAISE EXCEPTION USING MESSAGE = tg_argv[0], ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN old;
        END $$;
        CREATE TRIGGER reports_keep_their_bytes BEFORE UPDATE OF bundle_id, environment, request_key,
            request_identifier, external_purchase_id, status, body ON reports
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a written report does not change');
        CREATE TRIGGER reports_stay_accepted BEFORE UPDATE ON reports
            FOR EACH ROW
            WHEN (old.state = 'accepted')
                EXECUTE FUNCTION refuse_change('an accepted report does not change');
        CREATE TRIGGER accepted_items_never_change BEFORE UPDATE ON accepted_items
            FOR EACH ROW EXECUTE FUNCTION refuse_change('an accepted line item does not change');
        CREATE FUNCTION audit_log_has_no_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF new.sequence <> 1 + coalesce((SELECT max(sequence) FROM audit_log), 0) THEN
                RAISE EXCEPTION USING MESSAGE = 'an entry of the audit log follows the newest one',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER audit_log_has_no_gaps BEFORE INSERT ON audit_log
            FOR EACH ROW EXECUTE FUNCTION audit_log_has_no_gaps();
        CREATE TRIGGER tokens_keep_what_arrived BEFORE UPDATE OF sequence, external_purchase_id,
            environment, app_apple_id, creation_date, source, first_seen, checkout_id ON tokens
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a stored token does not change');
        CREATE TRIGGER tokens_are_completed_once BEFORE UPDATE OF text, token_type,
            expiration_date ON tokens
            FOR EACH ROW
            WHEN ((old.text IS NOT NULL)
            OR (old.token_type IS NOT NULL AND new.token_type IS DISTINCT FROM old.token_type)
            OR (old.expiration_date IS NOT NULL
                AND new.expiration_date IS DISTINCT FROM old.expiration_date))
            EXECUTE FUNCTION refuse_change('the first known values of a token stay');
        CREATE TRIGGER tokens_keep_their_first_report BEFORE UPDATE OF reported_at ON tokens
            FOR EACH ROW
            WHEN (old.reported_at IS NOT NULL)
                EXECUTE FUNCTION refuse_change('the first accepted report of a token stays the first');
        CREATE FUNCTION tokens_reported_by_answer() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE tokens SET reported_at = new.changed_at WHERE bundle_id = new.bundle_id
            AND external_purchase_id = new.external_purchase_id AND reported_at IS NULL;
            RETURN new;
        END $$;
        CREATE TRIGGER tokens_reported_by_answer AFTER UPDATE OF state ON reports
            FOR EACH ROW WHEN (new.state = 'accepted') EXECUTE FUNCTION tokens_reported_by_answer();
        CREATE FUNCTION tokens_reported_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE tokens SET reported_at = new.changed_at WHERE bundle_id = new.bundle_id
            AND external_purchase_id = new.external_purchase_id AND reported_at IS NULL;
            RETURN new;
        END $$;
        CREATE TRIGGER tokens_reported_elsewhere AFTER INSERT ON reports
            FOR EACH ROW WHEN (new.state = 'accepted') EXECUTE FUNCTION tokens_reported_elsewhere();
        CREATE TRIGGER reports_keep_their_origin BEFORE UPDATE OF sequence, imported, written_at ON reports
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a written report does not change');
        CREATE FUNCTION sales_have_their_own_item() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (
            SELECT 1 FROM sale_versions AS other
            WHERE other.bundle_id = new.bundle_id AND other.line_item_id = new.line_item_id
            ) THEN
                RAISE EXCEPTION USING MESSAGE = 'the line item is another sale''s',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER sales_have_their_own_item BEFORE INSERT ON sales
            FOR EACH ROW EXECUTE FUNCTION sales_have_their_own_item();
        CREATE FUNCTION sale_versions_follow_one_another() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF new.version IS DISTINCT FROM (
            SELECT version + 1 FROM sales
                WHERE sales.bundle_id = new.bundle_id AND sales.sale_id = new.sale_id
            ) THEN
                RAISE EXCEPTION USING MESSAGE = 'the version does not follow the newest one',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER sale_versions_follow_one_another BEFORE INSERT ON sale_versions
            FOR EACH ROW EXECUTE FUNCTION sale_versions_follow_one_another();
        CREATE FUNCTION sale_versions_have_their_own_item() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (
            SELECT 1 FROM sales AS other WHERE other.bundle_id = new.bundle_id
                AND other.line_item_id = new.line_item_id
                AND other.sale_id <> new.sale_id
            ) OR EXISTS (
            SELECT 1 FROM sale_versions AS other WHERE other.bundle_id = new.bundle_id
                AND other.line_item_id = new.line_item_id AND other.sale_id <> new.sale_id
            ) THEN
                RAISE EXCEPTION USING MESSAGE = 'the line item is another sale''s',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER sale_versions_have_their_own_item BEFORE INSERT ON sale_versions
            FOR EACH ROW EXECUTE FUNCTION sale_versions_have_their_own_item();
        CREATE TRIGGER customers_keep_their_pseudonym BEFORE UPDATE OF sequence, bundle_id, pseudonym,
            first_seen ON customers
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a pseudonym does not change');
        CREATE TRIGGER customers_are_renamed_by_erasure BEFORE UPDATE ON customers
            FOR EACH ROW
            WHEN (old.erased_at IS NOT NULL OR new.erased_at IS NULL)
                EXECUTE FUNCTION refuse_change('a customer changes by erasure only, and once');
        CREATE TRIGGER notifications_keep_what_arrived BEFORE UPDATE OF sequence, uuid, type, subtype,
            bundle_id, environment, external_purchase_id, signed_date, payload, arrival,
                received_at ON notifications
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a stored notification does not change');
        CREATE TRIGGER notifications_are_done_once BEFORE UPDATE ON notifications
            FOR EACH ROW
            WHEN (old.done_at IS NOT NULL) EXECUTE FUNCTION refuse_change('a notification is done once');
        CREATE TRIGGER notification_history_goes_on BEFORE UPDATE ON notification_history
            FOR EACH ROW
            WHEN (new.position < old.position)
                EXECUTE FUNCTION refuse_change('the position in the history does not go back');
        CREATE TRIGGER attention_items_keep_what_was_found BEFORE UPDATE OF sequence, bundle_id, kind,
            subject_kind, subject_id, detail, opened_at ON attention_items
            FOR EACH ROW EXECUTE FUNCTION refuse_change('an attention item does not change');
        CREATE TRIGGER attention_items_are_resolved_once BEFORE UPDATE ON attention_items
            FOR EACH ROW
            WHEN (old.resolved_at IS NOT NULL)
                EXECUTE FUNCTION refuse_change('an attention item is resolved once');
        CREATE TRIGGER corrections_keep_their_request BEFORE UPDATE OF sequence, bundle_id, correction_id,
            requested_by, reason, requested_at, request ON corrections
            FOR EACH ROW EXECUTE FUNCTION refuse_change('the request of a correction does not change');
        CREATE TRIGGER corrections_keep_their_confirmation BEFORE UPDATE ON corrections
            FOR EACH ROW
            WHEN (old.confirmed_at IS NOT NULL AND (
            new.confirmed_at IS DISTINCT FROM old.confirmed_at OR new.confirmed_by IS DISTINCT FROM old.confirmed_by
            OR new.confirmed_note IS DISTINCT FROM old.confirmed_note OR new.dry_run IS DISTINCT FROM old.dry_run
        )) EXECUTE FUNCTION refuse_change('a confirmed correction does not change');
        CREATE TRIGGER corrections_are_closed_once BEFORE UPDATE ON corrections
            FOR EACH ROW
            WHEN (old.closed_at IS NOT NULL)
                EXECUTE FUNCTION refuse_change('a closed correction does not change');
        CREATE TRIGGER manual_exports_keep_their_content BEFORE UPDATE OF sequence, bundle_id, export_id,
            programme, month, made_at ON manual_exports
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a manual export does not change');
        CREATE TRIGGER tokens_stay_with_their_app BEFORE UPDATE OF bundle_id ON tokens
            FOR EACH ROW
            WHEN (new.bundle_id <> old.bundle_id)
                EXECUTE FUNCTION refuse_change('nothing moves to another app');
        CREATE TRIGGER sales_stay_with_their_app BEFORE UPDATE OF bundle_id ON sales
            FOR EACH ROW
            WHEN (new.bundle_id <> old.bundle_id)
                EXECUTE FUNCTION refuse_change('nothing moves to another app');
        CREATE TRIGGER sale_versions_stay_with_their_app BEFORE UPDATE OF bundle_id ON sale_versions
            FOR EACH ROW
            WHEN (new.bundle_id <> old.bundle_id)
                EXECUTE FUNCTION refuse_change('nothing moves to another app');
        CREATE TRIGGER checkouts_stay_with_their_app BEFORE UPDATE OF bundle_id ON checkouts
            FOR EACH ROW
            WHEN (new.bundle_id <> old.bundle_id)
                EXECUTE FUNCTION refuse_change('nothing moves to another app');
        CREATE TRIGGER token_sightings_never_change BEFORE UPDATE ON token_sightings
            FOR EACH ROW EXECUTE FUNCTION refuse_change('sightings are only ever added to');
        CREATE TRIGGER link_taps_never_change BEFORE UPDATE ON link_taps
            FOR EACH ROW EXECUTE FUNCTION refuse_change('taps are only ever added to');
        CREATE TRIGGER correction_reports_never_change BEFORE UPDATE ON correction_reports
            FOR EACH ROW EXECUTE FUNCTION refuse_change('reports of a correction are only ever added to');
        CREATE TRIGGER sent_items_never_change BEFORE UPDATE ON sent_items
            FOR EACH ROW EXECUTE FUNCTION refuse_change('sent line items are only ever added to');
        CREATE TRIGGER notifications_set_aside_never_change BEFORE UPDATE ON notifications_set_aside
            FOR EACH ROW EXECUTE FUNCTION refuse_change('notifications set aside are only ever added to');
        CREATE TRIGGER audit_log_never_change BEFORE UPDATE ON audit_log
            FOR EACH ROW EXECUTE FUNCTION refuse_change('the audit log is only ever added to');
        CREATE TRIGGER notification_refusals_are_never_deleted BEFORE DELETE ON notification_refusals
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from notification_refusals');
        CREATE TRIGGER notification_history_are_never_deleted BEFORE DELETE ON notification_history
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from notification_history');
        CREATE TRIGGER audit_log_are_never_deleted BEFORE DELETE ON audit_log
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from audit_log');
        CREATE TRIGGER purges_never_change BEFORE UPDATE ON purges
            FOR EACH ROW
            WHEN (old.finished = 1 OR new.finished = 0 OR new.cut <> old.cut OR new.removed <> old.removed
            OR new.head_hash <> old.head_hash OR new.purged_by <> old.purged_by OR new.purged_at <> old.purged_at)
            EXECUTE FUNCTION refuse_change('the record of a purge does not change');
        CREATE TRIGGER purges_are_never_deleted BEFORE DELETE ON purges
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from purges');
        CREATE TRIGGER invoices_never_change BEFORE UPDATE ON invoices
            FOR EACH ROW EXECUTE FUNCTION refuse_change('invoices are only ever added to');
        CREATE TRIGGER invoices_are_never_deleted BEFORE DELETE ON invoices
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from invoices');
        CREATE TRIGGER manual_exports_are_handed_in_once BEFORE UPDATE OF handed_in_at, handed_in_by,
            reference ON manual_exports
            FOR EACH ROW
            WHEN (old.handed_in_at IS NOT NULL)
                EXECUTE FUNCTION refuse_change('a manual export is handed in once');
        CREATE TRIGGER manual_exports_are_withdrawn_once BEFORE UPDATE OF withdrawn_at, withdrawn_by,
            withdrawn_reason ON manual_exports
            FOR EACH ROW
            WHEN (old.withdrawn_at IS NOT NULL OR old.handed_in_at IS NULL)
                EXECUTE FUNCTION refuse_change('a manual export that was handed in is taken back once');
        CREATE TRIGGER token_sightings_are_deleted_by_a_purge_only BEFORE DELETE ON token_sightings
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from token_sightings');
        CREATE TRIGGER tokens_are_deleted_by_a_purge_only BEFORE DELETE ON tokens
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from tokens');
        CREATE TRIGGER customers_are_deleted_by_a_purge_only BEFORE DELETE ON customers
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from customers');
        CREATE TRIGGER checkouts_are_deleted_by_a_purge_only BEFORE DELETE ON checkouts
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from checkouts');
        CREATE TRIGGER link_taps_are_deleted_by_a_purge_only BEFORE DELETE ON link_taps
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from link_taps');
        CREATE TRIGGER sales_are_deleted_by_a_purge_only BEFORE DELETE ON sales
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from sales');
        CREATE TRIGGER sale_versions_are_deleted_by_a_purge_only BEFORE DELETE ON sale_versions
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from sale_versions');
        CREATE TRIGGER corrections_are_deleted_by_a_purge_only BEFORE DELETE ON corrections
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from corrections');
        CREATE TRIGGER correction_reports_are_deleted_by_a_purge_only BEFORE DELETE ON correction_reports
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from correction_reports');
        CREATE TRIGGER manual_exports_are_deleted_by_a_purge_only BEFORE DELETE ON manual_exports
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from manual_exports');
        CREATE TRIGGER sent_items_are_deleted_by_a_purge_only BEFORE DELETE ON sent_items
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from sent_items');
        CREATE TRIGGER accepted_items_are_deleted_by_a_purge_only BEFORE DELETE ON accepted_items
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from accepted_items');
        CREATE TRIGGER reports_are_deleted_by_a_purge_only BEFORE DELETE ON reports
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from reports');
        CREATE TRIGGER notifications_are_deleted_by_a_purge_only BEFORE DELETE ON notifications
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from notifications');
        CREATE TRIGGER notifications_set_aside_are_deleted_by_a_purge_only BEFORE DELETE ON notifications_set_aside
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from notifications_set_aside');
        CREATE TRIGGER attention_items_are_deleted_by_a_purge_only BEFORE DELETE ON attention_items
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from attention_items');
        CREATE TRIGGER reports_are_withdrawn_when_refused BEFORE UPDATE OF withdrawn_at ON reports
            FOR EACH ROW
            WHEN (new.withdrawn_at IS NOT NULL AND old.state <> 'needsAttention')
                EXECUTE FUNCTION refuse_change('only a report that was refused is withdrawn');
        CREATE TRIGGER reports_stay_withdrawn BEFORE UPDATE ON reports
            FOR EACH ROW
            WHEN (old.withdrawn_at IS NOT NULL)
                EXECUTE FUNCTION refuse_change('a withdrawn report does not change');
        CREATE TRIGGER escalation_messages_are_delivered_once BEFORE UPDATE ON escalation_messages
            FOR EACH ROW
            WHEN (old.delivered_at IS NOT NULL OR new.delivered_at IS NULL OR new.sequence <> old.sequence
            OR new.message_id <> old.message_id OR new.made_at <> old.made_at)
            EXECUTE FUNCTION refuse_change('a message is delivered once');
        CREATE TRIGGER escalations_never_change BEFORE UPDATE ON escalations
            FOR EACH ROW EXECUTE FUNCTION refuse_change('what was told does not change');
        CREATE TRIGGER escalation_messages_are_never_deleted BEFORE DELETE ON escalation_messages
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from escalation_messages');
        CREATE TRIGGER escalations_are_never_deleted BEFORE DELETE ON escalations
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from escalations');
        CREATE TRIGGER sales_keep_what_was_said BEFORE UPDATE OF sequence, sale_id, line_item_id, content,
            received_at ON sales
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a stored sale does not change');
        CREATE TRIGGER sale_versions_never_change BEFORE UPDATE OF sale_id, version, line_item_id, content,
            change, said_at, correction_id, said_by, reason, refund_of, subscription_id,
                occurred_at ON sale_versions
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a version of a sale does not change');
        CREATE FUNCTION sales_forget_their_first_customer() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE sales SET arrival_customer_id = new.customer_id
            WHERE bundle_id = new.bundle_id AND arrival_customer_id = old.customer_id;
            RETURN new;
        END $$;
        CREATE TRIGGER sales_forget_their_first_customer AFTER UPDATE OF customer_id ON customers
            FOR EACH ROW EXECUTE FUNCTION sales_forget_their_first_customer();
        CREATE TRIGGER sale_changes_keep_what_was_asked BEFORE UPDATE OF sequence, sale_id, content,
            said_by, reason, asked_at ON sale_changes
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a change of a sale stays as it was asked for');
        CREATE TRIGGER sale_changes_are_closed_once BEFORE UPDATE OF closed_at, outcome ON sale_changes
            FOR EACH ROW
            WHEN (old.closed_at IS NOT NULL)
                EXECUTE FUNCTION refuse_change('a change of a sale is closed once');
        CREATE TRIGGER sale_changes_are_deleted_by_a_purge_only BEFORE DELETE ON sale_changes
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from sale_changes');
        CREATE TRIGGER sales_stay_where_they_belong BEFORE UPDATE OF refund_of, part_of ON sales
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a stored sale does not change');
        CREATE TRIGGER sales_are_found_by_a_version BEFORE UPDATE OF takes_back, subscription_id,
            occurred_at, arrival_customer_id, keys_version ON sales
            FOR EACH ROW
            WHEN ((new.keys_version = old.keys_version AND (
                new.takes_back IS DISTINCT FROM old.takes_back OR new.subscription_id IS DISTINCT FROM old.subscription_id
                OR new.occurred_at <> old.occurred_at
            )) OR (new.keys_version <> old.keys_version AND new.keys_version <> new.version))
            EXECUTE FUNCTION refuse_change('a stored sale does not change');
        CREATE FUNCTION sales_take_their_newest_version() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE sales SET version = new.version, checkout_id = new.content::jsonb ->> 'checkoutId',
            product_id = new.content::jsonb ->> 'productId'
            WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id;
            UPDATE sales SET arrival_customer_id = CASE
            WHEN keys_version = 1 THEN customer_id ELSE arrival_customer_id END,
            customer_id = new.customer_id, takes_back = new.refund_of,
            subscription_id = new.subscription_id, occurred_at = new.occurred_at, keys_version = new.version
            WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id AND new.occurred_at IS NOT NULL;
            RETURN new;
        END $$;
        CREATE TRIGGER sales_take_their_newest_version AFTER INSERT ON sale_versions
            FOR EACH ROW EXECUTE FUNCTION sales_take_their_newest_version();
        CREATE FUNCTION sales_are_parts_of_stored_ones() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF new.part_of IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM sales AS whole
                WHERE whole.bundle_id = new.bundle_id AND whole.sale_id = new.part_of
            ) THEN
                RAISE EXCEPTION USING MESSAGE = 'the sale that the line belongs to is not stored',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER sales_are_parts_of_stored_ones BEFORE INSERT ON sales
            FOR EACH ROW EXECUTE FUNCTION sales_are_parts_of_stored_ones();
        CREATE TRIGGER quarantine_expiry_is_never_deleted BEFORE DELETE ON quarantine_expiry
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from quarantine_expiry');
        CREATE FUNCTION tokens_set_aside_are_deleted_by_age_or_a_purge_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            AND old.sequence > (SELECT through FROM quarantine_expiry) THEN
                RAISE EXCEPTION USING MESSAGE = 'nothing is deleted from tokens_set_aside',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN old;
        END $$;
        CREATE TRIGGER tokens_set_aside_are_deleted_by_age_or_a_purge_only BEFORE DELETE ON tokens_set_aside
            FOR EACH ROW EXECUTE FUNCTION tokens_set_aside_are_deleted_by_age_or_a_purge_only();
        CREATE TRIGGER attention_items_keep_their_correction BEFORE UPDATE OF correction_id ON attention_items
            FOR EACH ROW EXECUTE FUNCTION refuse_change('an attention item does not change');
        CREATE TRIGGER deadline_rules_are_never_deleted BEFORE DELETE ON deadline_rules
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from deadline_rules');
        CREATE FUNCTION sales_stay_in_their_report() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF (old.request_key IS NOT NULL OR old.export_id IS NOT NULL) AND NOT (
            new.request_key IS NULL AND new.export_id IS NULL AND new.state = old.state
                AND new.external_purchase_id IS NOT DISTINCT FROM old.external_purchase_id
                    AND new.environment IS NOT DISTINCT FROM old.environment
                AND new.hold_causes = old.hold_causes AND new.review = old.review
                AND new.dispatch = old.dispatch AND new.subscription_decision = old.subscription_decision
                AND new.origin = old.origin AND new.notes = old.notes AND (
                    EXISTS (
                        SELECT 1 FROM reports WHERE reports.bundle_id = old.bundle_id
                            AND reports.environment = old.environment
                            AND reports.request_key = old.request_key AND reports.withdrawn_at IS NOT NULL
                    ) OR EXISTS (
                        SELECT 1 FROM manual_exports WHERE manual_exports.bundle_id = old.bundle_id
                            AND manual_exports.export_id = old.export_id
                            AND manual_exports.withdrawn_at IS NOT NULL
                    )
                )
            ) THEN
                RAISE EXCEPTION USING MESSAGE = 'a report or an export holds the sale',
                    ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER sales_stay_in_their_report BEFORE UPDATE OF state, external_purchase_id, environment,
            hold_causes, review, dispatch, subscription_decision, origin, notes, request_key,
                export_id ON sales
            FOR EACH ROW EXECUTE FUNCTION sales_stay_in_their_report();
        CREATE TRIGGER api_keys_are_only_revoked BEFORE UPDATE ON api_keys
            FOR EACH ROW
            WHEN (old.revoked_at IS NOT NULL OR new.revoked_at IS NULL OR new.sequence <> old.sequence
            OR new.key_id <> old.key_id OR new.scope <> old.scope OR new.bundle_id IS DISTINCT FROM old.bundle_id
            OR new.name IS DISTINCT FROM old.name OR new.digest <> old.digest OR new.created_at <> old.created_at
            OR new.created_by <> old.created_by OR new.expires_at IS DISTINCT FROM old.expires_at)
            EXECUTE FUNCTION refuse_change('a key does not change, and is revoked once');
        CREATE TRIGGER api_keys_are_never_deleted BEFORE DELETE ON api_keys
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from api_keys');
        CREATE TRIGGER users_keep_their_name BEFORE UPDATE ON users
            FOR EACH ROW
            WHEN (new.sequence <> old.sequence OR new.name <> old.name)
                EXECUTE FUNCTION refuse_change('a user keeps the name');
        CREATE TRIGGER users_are_never_deleted BEFORE DELETE ON users
            FOR EACH ROW EXECUTE FUNCTION refuse_change('nothing is deleted from users');
        CREATE TRIGGER payment_events_keep_what_was_received BEFORE UPDATE OF sequence, event_id, provider,
            apps, type, is_live, created_at, arrival, received_at, objects ON payment_events
            FOR EACH ROW EXECUTE FUNCTION refuse_change('a stored payment event does not change');
        CREATE FUNCTION payment_events_forget_an_erased_customer() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE payment_events SET customer_id = new.customer_id,
            content = replace(content, to_json(old.customer_id)::text, to_json(new.customer_id)::text)
            WHERE customer_id = old.customer_id AND (bundle_id = new.bundle_id OR bundle_id IS NULL);
            RETURN new;
        END $$;
        CREATE TRIGGER payment_events_forget_an_erased_customer AFTER UPDATE OF customer_id ON customers
            FOR EACH ROW EXECUTE FUNCTION payment_events_forget_an_erased_customer();
        CREATE TRIGGER payment_events_are_never_deleted BEFORE DELETE ON payment_events
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from payment_events');
        CREATE TRIGGER payment_event_objects_are_never_deleted BEFORE DELETE ON payment_event_objects
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from payment_event_objects');
        CREATE TRIGGER payment_objects_are_never_deleted BEFORE DELETE ON payment_objects
            FOR EACH ROW EXECUTE FUNCTION refuse_deletion_without_purge('nothing is deleted from payment_objects');
        """
}
#endif
