extension Migration {
    /// Stores the states that were flags, and on which planning, review and sending depend, in columns of their own.
    ///
    /// The former column `flags` becomes `notes`, without these states. `flags` is then a virtual column with all of
    /// them, by which lists and counts select.
    static let flagStates = Migration(
        id: "0014-states-of-flags",
        sql: """
            DROP INDEX tokens_flagged;
            ALTER TABLE tokens RENAME COLUMN flags TO notes;
            ALTER TABLE tokens ADD COLUMN customer_source TEXT NOT NULL DEFAULT 'stated'
                CHECK (customer_source IN ('stated', 'sales'));
            ALTER TABLE tokens ADD COLUMN period_choice TEXT NOT NULL DEFAULT 'undecided'
                CHECK (period_choice IN ('undecided', 'chosen'));
            ALTER TABLE tokens ADD COLUMN reporting TEXT NOT NULL DEFAULT 'whenDue'
                CHECK (reporting IN ('whenDue', 'onRequest'));
            ALTER TABLE tokens ADD COLUMN endpoint TEXT NOT NULL DEFAULT 'configured'
                CHECK (endpoint IN ('configured', 'missing'));
            UPDATE tokens SET
                customer_source = iif(
                    EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'customer-from-sale'), 'sales', 'stated'
                ),
                period_choice = iif(
                    EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'chosen-for-period'), 'chosen', 'undecided'
                ),
                reporting = iif(
                    EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'report-refused'), 'onRequest', 'whenDue'
                ),
                endpoint = iif(
                    EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'no-base-url'), 'missing', 'configured'
                ),
                notes = (
                    SELECT json_group_array(value) FROM json_each(notes) WHERE value NOT IN (
                        'customer-from-sale', 'chosen-for-period', 'report-refused', 'no-base-url'
                    )
                )
            WHERE notes <> '[]';
            ALTER TABLE tokens ADD COLUMN flags TEXT GENERATED ALWAYS AS (
                '[' || substr(
                    iif(notes = '[]', '', ',' || substr(notes, 2, length(notes) - 2))
                        || iif(customer_source = 'sales', ',"customer-from-sale"', '')
                        || iif(period_choice = 'chosen', ',"chosen-for-period"', '')
                        || iif(reporting = 'onRequest', ',"report-refused"', '')
                        || iif(endpoint = 'missing', ',"no-base-url"', ''),
                    2
                ) || ']'
            ) VIRTUAL;
            CREATE INDEX tokens_flagged ON tokens (bundle_id) WHERE flags <> '[]';

            DROP INDEX sales_flagged;
            DROP TRIGGER sales_stay_in_their_report;
            ALTER TABLE sales RENAME COLUMN flags TO notes;
            -- A sale can have several causes.
            ALTER TABLE sales ADD COLUMN hold_causes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(hold_causes));
            ALTER TABLE sales ADD COLUMN review TEXT NOT NULL DEFAULT 'open' CHECK (review IN ('open', 'closed'));
            ALTER TABLE sales ADD COLUMN dispatch TEXT NOT NULL DEFAULT 'together'
                CHECK (dispatch IN ('together', 'apart'));
            ALTER TABLE sales ADD COLUMN subscription_decision TEXT NOT NULL DEFAULT 'undecided'
                CHECK (subscription_decision IN ('undecided', 'newSubscription'));
            ALTER TABLE sales ADD COLUMN origin TEXT NOT NULL DEFAULT 'merchant'
                CHECK (origin IN ('merchant', 'imported'));
            UPDATE sales SET
                hold_causes = (
                    SELECT json_group_array(value) FROM json_each(notes) WHERE value IN (
                        'buy-held', 'buy-retracted', 'buy-unknown', 'buy-voided', 'environment-contradiction',
                        'imported-subscription', 'in-future', 'later-start-reported', 'no-active-token',
                        'no-exchange-rate', 'no-tax', 'no-tax-country', 'no-token', 'not-convertible', 'order-held',
                        'refund-above-buy', 'refund-before-buy', 'refund-currency-differs', 'refund-tax-differs',
                        'refund-too-precise', 'report-refused', 'reversal-before-chargeback', 'start-held',
                        'token-not-reportable', 'token-unknown-to-apple', 'too-late-to-report', 'waits-for-correction',
                        'waits-for-start', 'wrong-reference'
                    )
                ),
                review = iif(EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'review-closed'), 'closed', 'open'),
                dispatch = iif(EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'sent-apart'), 'apart', 'together'),
                subscription_decision = iif(
                    EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'new-subscription'),
                    'newSubscription', 'undecided'
                ),
                origin = iif(EXISTS (SELECT 1 FROM json_each(notes) WHERE value = 'imported'), 'imported', 'merchant'),
                notes = (
                    SELECT json_group_array(value) FROM json_each(notes) WHERE value NOT IN (
                        'buy-held', 'buy-retracted', 'buy-unknown', 'buy-voided', 'environment-contradiction',
                        'imported-subscription', 'in-future', 'later-start-reported', 'no-active-token',
                        'no-exchange-rate', 'no-tax', 'no-tax-country', 'no-token', 'not-convertible', 'order-held',
                        'refund-above-buy', 'refund-before-buy', 'refund-currency-differs', 'refund-tax-differs',
                        'refund-too-precise', 'report-refused', 'reversal-before-chargeback', 'start-held',
                        'token-not-reportable', 'token-unknown-to-apple', 'too-late-to-report', 'waits-for-correction',
                        'waits-for-start', 'wrong-reference',
                        'review-closed', 'sent-apart', 'new-subscription', 'imported'
                    )
                )
            WHERE notes <> '[]';
            ALTER TABLE sales ADD COLUMN flags TEXT GENERATED ALWAYS AS (
                '[' || substr(
                    iif(notes = '[]', '', ',' || substr(notes, 2, length(notes) - 2))
                        || iif(hold_causes = '[]', '', ',' || substr(hold_causes, 2, length(hold_causes) - 2))
                        || iif(review = 'closed', ',"review-closed"', '')
                        || iif(dispatch = 'apart', ',"sent-apart"', '')
                        || iif(subscription_decision = 'newSubscription', ',"new-subscription"', '')
                        || iif(origin = 'imported', ',"imported"', ''),
                    2
                ) || ']'
            ) VIRTUAL;
            CREATE INDEX sales_flagged ON sales (bundle_id) WHERE flags <> '[]';
            CREATE TRIGGER sales_stay_in_their_report
            BEFORE UPDATE OF state, external_purchase_id, environment, hold_causes, review, dispatch,
                subscription_decision, origin, notes, request_key, export_id ON sales
            WHEN (old.request_key IS NOT NULL OR old.export_id IS NOT NULL) AND NOT (
                new.request_key IS NULL AND new.export_id IS NULL AND new.state = old.state
                    AND new.external_purchase_id IS old.external_purchase_id AND new.environment IS old.environment
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
            )
            BEGIN SELECT RAISE(ABORT, 'a report or an export holds the sale'); END;
            """
    )
}
