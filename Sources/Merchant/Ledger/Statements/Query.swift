/// The frequent statements; a test checks that the plan of each uses its index.
enum Query {
    /// Selects sales in their newest version, with the original identifier and the state of their report.
    static let selectSales = """
        SELECT \(SaleRow.selection)
        FROM sales LEFT JOIN reports
            ON reports.bundle_id = sales.bundle_id AND reports.environment = sales.environment
                AND reports.request_key = sales.request_key
        LEFT JOIN sale_versions AS newest
            ON newest.bundle_id = sales.bundle_id AND newest.sale_id = sales.sale_id AND newest.version = sales.version
        """

    /// Returns ``selectSales`` with a choice of the index, such as `INDEXED BY sales_of_app` or `NOT INDEXED`.
    static func selectSales(_ index: String) -> String {
        selectSales.replacing("FROM sales LEFT JOIN", with: "FROM sales \(index) LEFT JOIN")
    }

    /// The number of a row, in whose order an index of other columns is read.
    static let place = "sequence /* + 0 */"

    static let tokensUnreported = """
        SELECT * FROM tokens
        WHERE bundle_id = ? AND environment = ? AND reported_at IS NULL AND state <> 'unknownToApple'
            AND creation_date < ? AND creation_date >= ? AND (creation_date, sequence) > (?, ?)
        ORDER BY creation_date, sequence LIMIT ?
        """
    static let token = "SELECT * FROM tokens WHERE bundle_id = ? AND external_purchase_id = ?"
    static let customer = "SELECT * FROM customers WHERE bundle_id = ? AND customer_id = ?"
    static let checkout = "SELECT * FROM checkouts WHERE bundle_id = ? AND checkout_id = ?"
    static let claims = """
        SELECT checkout_claims.external_purchase_id FROM checkout_claims JOIN tokens
            ON tokens.bundle_id = checkout_claims.bundle_id
                AND tokens.external_purchase_id = checkout_claims.external_purchase_id
        WHERE checkout_claims.bundle_id = ? AND checkout_claims.checkout_id = ? AND tokens.environment = ?
        ORDER BY CASE tokens.state WHEN 'confirmed' THEN 0 WHEN 'unconfirmed' THEN 1 ELSE 2 END,
            tokens.creation_date, checkout_claims.sequence LIMIT ?
        """
    static let claimedTokens = """
        SELECT * FROM tokens WHERE bundle_id = ? AND customer_id = ? AND customer_claimed = 1
            AND customer_source = 'stated' AND state <> 'unconfirmed'
        ORDER BY sequence
        """
    static let claimedCheckouts = """
        SELECT checkout_id FROM checkout_claims WHERE bundle_id = ? AND external_purchase_id = ? ORDER BY sequence
        """
    static let publicCheckouts = """
        SELECT checkout_id FROM checkouts INDEXED BY checkouts_of_token
        WHERE bundle_id = ?1 AND external_purchase_id = ?2 AND token_claim = 'claimed'
        UNION SELECT checkout_id FROM checkout_claims INDEXED BY checkout_claims_by_token
        WHERE bundle_id = ?1 AND external_purchase_id = ?2 LIMIT 2
        """
    static let tokensByCreation = """
        SELECT * FROM tokens
        WHERE bundle_id = ? AND environment = ? AND creation_date >= ? AND creation_date < ?
            AND (creation_date, sequence) > (?, ?)
        ORDER BY creation_date, sequence LIMIT ?
        """
    static let customLinkTokensOfCustomer = """
        SELECT * FROM tokens INDEXED BY tokens_of_periods
        WHERE bundle_id = ? AND customer_id = ? AND environment IN ('production', 'sandbox')
            AND token_type IN ('ACQUISITION', 'SERVICES')
        LIMIT ?
        """
    static let tokensOfPeriod = tokensOfPeriod(where: "expiration_date = ?")
    static let tokensOfEndlessPeriod = tokensOfPeriod(where: "expiration_date IS NULL")
    static let chosenTokensOfPeriod = tokensOfPeriod(where: "expiration_date = ? AND period_choice = 'chosen'")
    static let chosenTokensOfEndlessPeriod = tokensOfPeriod(
        where: "expiration_date IS NULL AND period_choice = 'chosen'"
    )
    static let trustedTokenOfPeriod = trustedTokenOfPeriod(where: "expiration_date = ?")
    static let trustedTokenOfEndlessPeriod = trustedTokenOfPeriod(where: "expiration_date IS NULL")
    /// Tokens that arrived by another way first are searched only if the app has any that were imported later.
    static let importedTokensOfCustomer = """
        SELECT * FROM tokens INDEXED BY tokens_imported
        WHERE bundle_id = ?1 AND customer_id = ?2 AND source = 'imported'
        UNION ALL
        SELECT * FROM tokens WHERE bundle_id = ?1 AND customer_id = ?2 AND source <> 'imported' AND EXISTS (
                SELECT 1 FROM token_observations INDEXED BY token_observations_imported
                WHERE bundle_id = ?1 AND source = 'imported'
            ) AND EXISTS (
                SELECT 1 FROM token_observations AS seen INDEXED BY token_observations_imported
                WHERE seen.bundle_id = tokens.bundle_id AND seen.external_purchase_id = tokens.external_purchase_id
                    AND seen.source = 'imported'
            )
        """

    /// The condition of the index `tokens_of_trusted_periods`, in its words.
    private static let trusted =
        "AND state <> 'unknownToApple' AND (state = 'confirmed' OR customer_claimed = 0 OR customer_source <> 'stated')"

    /// The conditions of ``StoredToken/trust`` beside that of the index.
    private static func trust(atLeast trust: TokenTrust) -> String {
        let unclaimed = "AND (customer_claimed = 0 OR customer_source <> 'stated')"
        return switch trust {
        case .vouched:
            "\(trusted) \(unclaimed) AND (source <> 'website' OR state = 'confirmed' OR customer_source = 'stated')"
        case .visited: "\(trusted) \(unclaimed)"
        case .confirmed: trusted
        case .claimed: ""
        }
    }

    /// One statement for each trust, by ``TokenTrust/rawValue``.
    static let newestTokens = TokenTrust.allCases.map { trust in
        newestToken(
            from: trust == .claimed ? "tokens_of_periods" : "tokens_of_trusted_periods",
            where: Query.trust(atLeast: trust)
        )
    }

    private static func newestToken(from index: String, where condition: String) -> String {
        """
        SELECT * FROM tokens INDEXED BY \(index)
        WHERE bundle_id = ? AND customer_id = ? AND environment = ? AND token_type = ? AND creation_date <= ?
            AND expiration_date >= ? AND state <> 'unknownToApple' \(condition)
        ORDER BY creation_date DESC, expiration_date DESC LIMIT 1
        """
    }

    private static func tokensOfPeriod(where condition: String) -> String {
        """
        SELECT * FROM tokens INDEXED BY tokens_of_periods
        WHERE bundle_id = ? AND customer_id = ? AND environment = ? AND token_type = ? AND creation_date = ?
            AND \(condition) AND state <> 'unknownToApple'
        """
    }

    /// One statement for each trust, by ``TokenTrust/rawValue``.
    private static func trustedTokenOfPeriod(where condition: String) -> [String] {
        TokenTrust.allCases.map { trust in
            if trust == .claimed { return "\(tokensOfPeriod(where: condition)) LIMIT 1" }
            return """
                SELECT * FROM tokens INDEXED BY tokens_of_trusted_periods
                WHERE bundle_id = ? AND customer_id = ? AND environment = ? AND token_type = ? AND creation_date = ?
                    AND \(condition) \(Query.trust(atLeast: trust))
                LIMIT 1
                """
        }
    }
    static let observations = """
        SELECT * FROM token_observations WHERE bundle_id = ? AND external_purchase_id = ? ORDER BY sequence
        """
    static let tapsOfToken = """
        SELECT * FROM link_taps WHERE bundle_id = ? AND external_purchase_id = ? ORDER BY tapped_at, sequence
        """
    static let tapsOfCustomer = """
        SELECT link_taps.* FROM tokens CROSS JOIN link_taps ON link_taps.bundle_id = tokens.bundle_id
            AND link_taps.external_purchase_id = tokens.external_purchase_id
        WHERE tokens.bundle_id = ?1 AND tokens.customer_id = ?2
        UNION SELECT link_taps.* FROM checkouts CROSS JOIN link_taps ON link_taps.bundle_id = checkouts.bundle_id
            AND link_taps.checkout_id = checkouts.checkout_id
        WHERE checkouts.bundle_id = ?1 AND checkouts.customer_id = ?2
        ORDER BY tapped_at, sequence
        """
    static let sale = "\(selectSales) WHERE sales.bundle_id = ? AND sales.sale_id = ?"
    static let salesOfSubscription = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.subscription_id = ? AND sales.\(place) > ?
        ORDER BY sales.\(place) LIMIT ?
        """
    static let salesOfCustomer = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.customer_id = ? AND sales.\(place) > ?
        ORDER BY sales.\(place) LIMIT ?
        """
    static let salesOfToken = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.external_purchase_id = ? AND sales.\(place) > ?
        ORDER BY sales.\(place) LIMIT ?
        """
    static let pendingSalesOnToken = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.external_purchase_id = ? AND sales.\(place) > ?
            AND sales.request_key IS NULL AND sales.export_id IS NULL AND sales.state <> 'recorded'
        ORDER BY sales.\(place) LIMIT ?
        """
    static let pendingSalesOfCustomer = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.customer_id = ? AND sales.\(place) > ?
            AND sales.request_key IS NULL AND sales.export_id IS NULL AND sales.state <> 'recorded'
        ORDER BY sales.\(place) LIMIT ?
        """
    static let heldSalesOfCustomer = """
        \(selectSales("INDEXED BY sales_held_of_customer"))
        WHERE sales.bundle_id = ? AND sales.customer_id = ? AND sales.\(place) > ?
            AND sales.state = 'held' AND sales.export_id IS NULL
        ORDER BY sales.\(place) LIMIT ?
        """
    static let pendingSalesOfCheckout = """
        \(selectSales("INDEXED BY sales_pending_of_checkout"))
        WHERE sales.bundle_id = ? AND sales.checkout_id = ? AND sales.\(place) > ?
            AND sales.request_key IS NULL AND sales.export_id IS NULL AND sales.state <> 'recorded'
        ORDER BY sales.\(place) LIMIT ?
        """
    /// The sequences of the sales that name a token, or a checkout of it; `?1` is the app, `?2` the token.
    private static let sequencesNamingToken = """
        SELECT given.sequence FROM sales AS given
            WHERE given.bundle_id = ?1 AND given.content ->> '$.externalPurchaseId' = ?2
        UNION SELECT changed.sequence FROM sale_versions AS said
            JOIN sales AS changed ON changed.bundle_id = said.bundle_id AND changed.sale_id = said.sale_id
            WHERE said.bundle_id = ?1 AND said.content ->> '$.externalPurchaseId' = ?2
        UNION SELECT linked.sequence FROM checkouts
            JOIN sales AS linked ON linked.bundle_id = checkouts.bundle_id
                AND linked.checkout_id = checkouts.checkout_id
            WHERE checkouts.bundle_id = ?1 AND checkouts.external_purchase_id = ?2
        """
    static let salesNamingToken = """
        \(selectSales) WHERE sales.sequence IN (/* ARRAY( */ \(sequencesNamingToken) /* ) */) AND sales.sequence > ?3
        ORDER BY sales.sequence LIMIT ?4
        """
    static let salesOfPayment = """
        \(selectSales) WHERE sales.sequence IN (/* ARRAY( */
            SELECT given.sequence FROM sales AS given
                WHERE given.bundle_id = ?1 AND given.content ->> '$.payment.id' = ?2
            UNION SELECT changed.sequence FROM sale_versions AS said
                JOIN sales AS changed ON changed.bundle_id = said.bundle_id AND changed.sale_id = said.sale_id
                WHERE said.bundle_id = ?1 AND said.content ->> '$.payment.id' = ?2
        /* ) */) AND sales.sequence > ?3 ORDER BY sales.sequence LIMIT ?4
        """
    static let salesChangingWithToken = """
        \(selectSales) WHERE sales.sequence IN (/* ARRAY( */
            \(sequencesNamingToken)
            UNION SELECT later.sequence FROM sales AS charge
                JOIN sales AS later ON later.bundle_id = charge.bundle_id
                    AND later.subscription_id = charge.subscription_id
                WHERE charge.sequence IN (/* ARRAY( */ \(sequencesNamingToken) /* ) */)
        /* ) */) AND sales.sequence > ?3 AND (
            (sales.request_key IS NULL AND sales.export_id IS NULL AND sales.state <> 'recorded') OR EXISTS (
                SELECT 1 FROM checkouts WHERE checkouts.bundle_id = sales.bundle_id
                    AND checkouts.checkout_id = sales.checkout_id
                    AND (checkouts.customer_from_sale = 1 OR checkouts.token_from_sale = 1)
            )
        )
        ORDER BY sales.sequence LIMIT ?4
        """
    static let salesTakingBackSubscription = """
        \(selectSales) WHERE sales.bundle_id = ?1 AND sales.takes_back IN (/* ARRAY( */
            SELECT charge.sale_id FROM sales AS charge
            WHERE charge.bundle_id = ?1 AND charge.subscription_id = ?2
            UNION ALL
            SELECT refund.sale_id FROM sales AS charge CROSS JOIN sales AS refund
            WHERE charge.bundle_id = ?1 AND charge.subscription_id = ?2
                AND refund.bundle_id = charge.bundle_id AND refund.takes_back = charge.sale_id
        /* ) */) AND sales.\(place) > ?3
        ORDER BY sales.\(place) LIMIT ?4
        """
    static let salesInState = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.state = ? AND sales.\(place) > ?
            AND sales.request_key IS NULL AND sales.export_id IS NULL
        ORDER BY sales.\(place) LIMIT ?
        """
    static let givenSales = """
        \(selectSales) WHERE sales.part_of IS NULL AND sales.sequence > ? ORDER BY sales.sequence LIMIT ?
        """
    static let givenSalesNewestFirst = """
        \(selectSales) WHERE sales.part_of IS NULL AND sales.sequence < ? ORDER BY sales.sequence DESC LIMIT ?
        """
    static let linesOfSale = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.part_of = ? AND sales.\(place) > ?
        ORDER BY sales.\(place) LIMIT ?
        """
    /// Only a correction replaces a line item, so these are few.
    static let replacedSales = """
        \(replaced) AND sales.\(place) > ?
        ORDER BY sales.\(place) LIMIT ?
        """
    static let replacedSalesNewestFirst = """
        \(replaced) AND sales.\(place) < ?
        ORDER BY sales.\(place) DESC LIMIT ?
        """
    private static let replaced = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.sale_id IN (/* ARRAY( */
            SELECT sale_id FROM sale_versions INDEXED BY sale_versions_replaced
            WHERE bundle_id = ? AND line_item_id <> sale_id
        /* ) */)
        """
    static let refunds = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.takes_back = ? ORDER BY sales.sequence
        """
    static let salesByMoment = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.occurred_at >= ? AND sales.occurred_at < ?
            AND (sales.occurred_at, sales.sequence) > (?, ?)
        ORDER BY sales.occurred_at, sales.sequence LIMIT ?
        """
    static let salesOfExport = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.export_id = ? ORDER BY sales.sequence
        """
    static let saleIdsOfExport = "SELECT sale_id FROM sales WHERE bundle_id = ? AND export_id = ? ORDER BY sequence"
    static let heldSales = """
        \(selectSales) WHERE sales.state = 'held' AND sales.export_id IS NULL AND sales.sequence > ?
        ORDER BY sales.sequence LIMIT ?
        """
    static let plannedSales = """
        \(selectSales)
        WHERE sales.bundle_id = ? AND sales.environment = ? AND sales.external_purchase_id = ?
            AND sales.state = 'planned' AND sales.request_key IS NULL AND sales.export_id IS NULL
        ORDER BY sales.\(place) LIMIT ?
        """
    /// Returns one row per sale: the caller uses the first row of each token and may stop at any row.
    static let tokensToReport = """
        SELECT sales.external_purchase_id FROM sales INDEXED BY sales_in_turn JOIN tokens
        ON tokens.bundle_id = sales.bundle_id AND tokens.external_purchase_id = sales.external_purchase_id
        WHERE sales.bundle_id = ? AND sales.environment = ? AND sales.state = 'planned'
            AND sales.request_key IS NULL AND sales.export_id IS NULL AND sales.received_at BETWEEN ? AND ?
            AND tokens.creation_date <= ?
            AND NOT EXISTS (
                SELECT 1 FROM reports WHERE reports.bundle_id = sales.bundle_id
                    AND reports.environment = sales.environment
                    AND reports.external_purchase_id = sales.external_purchase_id
                    AND reports.state <> 'accepted' AND reports.withdrawn_at IS NULL
            )
        ORDER BY sales.received_at, sales.sequence
        """
    static let openTokens = openTokens(from: "tokens INDEXED BY tokens_open", where: "")
    static let openTokensOfApp = openTokens(from: "tokens INDEXED BY tokens_open", where: "AND tokens.bundle_id = ?1")
    static let openTokensBySequence = openTokens(
        from: "tokens",
        where: "AND sequence IN (/* ARRAY( */ SELECT CAST(value AS BIGINT) FROM json_each(?1) /* ) */)"
    )
    static let openSales = openSales(where: "")
    static let openSalesOfApp = openSales(where: "AND sales.bundle_id = ?1")

    private static func openTokens(from table: String, where condition: String) -> String {
        """
        SELECT sequence, bundle_id, external_purchase_id, token_type, creation_date, expiration_date, storefront, state,
            source, first_seen, text IS NOT NULL, reporting,
            CASE WHEN storefront IS NULL THEN (
                SELECT json_group_array(
                    DISTINCT coalesce(newest.content, sales.content) ->> '$.amount.taxCountry'
                ) FROM sales LEFT JOIN sale_versions AS newest
                    ON newest.bundle_id = sales.bundle_id AND newest.sale_id = sales.sale_id
                        AND newest.version = sales.version
                WHERE sales.bundle_id = tokens.bundle_id AND sales.external_purchase_id = tokens.external_purchase_id
            ) END,
            state = 'unconfirmed' AND source = 'website' AND NOT EXISTS (
                SELECT 1 FROM token_observations AS seen WHERE seen.bundle_id = tokens.bundle_id
                    AND seen.external_purchase_id = tokens.external_purchase_id AND seen.source <> 'website'
            ) AND NOT EXISTS (
                SELECT 1 FROM sales WHERE sales.bundle_id = tokens.bundle_id
                    AND sales.external_purchase_id = tokens.external_purchase_id
            ), customer_id,
            EXISTS (
                SELECT 1 FROM reports WHERE reports.bundle_id = tokens.bundle_id
                    AND reports.external_purchase_id = tokens.external_purchase_id
                    AND reports.state = 'needsAttention' AND reports.withdrawn_at IS NULL
            ), endpoint
        FROM \(table) WHERE reported_at IS NULL \(condition)
        """
    }

    private static let newestContent = """
        coalesce((
            SELECT content FROM sale_versions AS last WHERE last.bundle_id = sales.bundle_id
                AND last.sale_id = sales.sale_id AND last.version = sales.version
        ), sales.content)
        """
    /// The environment of ``StoredSale/environment``; only a sale without a token has its content read.
    static let environmentOfSale = """
        coalesce(sales.environment, iif(
            \(newestContent) ->> '$.externalPurchaseId' IS NULL,
            \(newestContent) ->> '$.environment',
            iif(substr(\(newestContent) ->> '$.externalPurchaseId', 1, 7) = 'SANDBOX', 'sandbox', 'production')
        ), 'production')
        """
    private static let columnsOfOpenSale = """
        SELECT sales.sequence, sales.bundle_id, coalesce(newest.line_item_id, sales.line_item_id),
            sales.occurred_at, sales.received_at, sales.state, sales.flags, sales.external_purchase_id,
            tokens.token_type, tokens.storefront,
            coalesce(
                coalesce(newest.content, sales.content) ->> '$.amount.taxCountry',
                coalesce(terms.content, bought.content) ->> '$.amount.taxCountry'
            )
        """
    private static let moreColumnsOfOpenSale = """
        newest.content ->> '$.occurredAt', coalesce(newest.customer_id, sales.customer_id), sales.product_id,
            sales.hold_causes, sales.review, \(environmentOfSale)
        """
    private static let joinsOfOpenSale = """
        LEFT JOIN tokens ON tokens.bundle_id = sales.bundle_id
            AND tokens.external_purchase_id = sales.external_purchase_id
        LEFT JOIN sale_versions AS newest ON newest.bundle_id = sales.bundle_id
            AND newest.sale_id = sales.sale_id AND newest.version = sales.version
        LEFT JOIN sales AS bought ON bought.bundle_id = sales.bundle_id AND bought.sale_id = sales.takes_back
        LEFT JOIN sale_versions AS terms ON terms.bundle_id = bought.bundle_id
            AND terms.sale_id = bought.sale_id AND terms.version = bought.version
        """

    private static func openSales(where condition: String) -> String {
        let (columns, more, joins) = (columnsOfOpenSale, moreColumnsOfOpenSale, joinsOfOpenSale)
        return """
            \(columns), NULL, \(more) FROM sales INDEXED BY sales_in_turn \(joins)
            WHERE sales.state = 'planned' AND sales.request_key IS NULL AND sales.export_id IS NULL \(condition)
            UNION ALL
            \(columns), NULL, \(more) FROM sales INDEXED BY sales_held \(joins)
            WHERE sales.state = 'held' AND sales.export_id IS NULL \(condition)
            UNION ALL
            \(columns), reports.state, \(more)
            FROM reports INDEXED BY reports_open CROSS JOIN sales INDEXED BY sales_of_report
                ON sales.bundle_id = reports.bundle_id AND sales.environment = reports.environment
                    AND sales.request_key = reports.request_key \(joins)
            WHERE reports.state <> 'accepted' \(condition)
            """
    }

    static let openSalesBySequence = """
        \(columnsOfOpenSale), reports.state, \(moreColumnsOfOpenSale) FROM sales
        LEFT JOIN reports ON reports.bundle_id = sales.bundle_id AND reports.environment = sales.environment
            AND reports.request_key = sales.request_key
        \(joinsOfOpenSale)
        WHERE sales.sequence IN (/* ARRAY( */ SELECT CAST(value AS BIGINT) FROM json_each(?1) /* ) */) AND sales.state IN ('planned', 'held')
            AND sales.export_id IS NULL AND reports.state IS NOT 'accepted'
        """

    /// The sale that has or had a line item.
    static let saleOfLineItem = """
        SELECT sale_id FROM sales WHERE bundle_id = ?1 AND line_item_id = ?2
        UNION ALL SELECT sale_id FROM sale_versions WHERE bundle_id = ?1 AND line_item_id = ?2 LIMIT 1
        """
    static let connectPaymentEvent = """
        INSERT INTO payment_event_objects (provider, object_id, sequence) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
        """
    static let paymentEvent = "SELECT * FROM payment_events WHERE provider = ? AND event_id = ?"
    static let waitingSaleChanges = """
        SELECT * FROM sale_changes WHERE closed_at IS NULL AND sequence > ? ORDER BY sequence LIMIT ?
        """
    static let changesOfSale = """
        SELECT * FROM sale_changes WHERE bundle_id = ? AND sale_id = ? ORDER BY sequence
        """
    static let salesOfReport = """
        \(selectSales) WHERE sales.bundle_id = ? AND sales.environment = ? AND sales.request_key = ?
        ORDER BY sales.sequence
        """
    static let report = "SELECT * FROM reports WHERE bundle_id = ? AND environment = ? AND request_key = ?"
    static let acceptedReportsOnToken = """
        SELECT request_identifier, status FROM reports INDEXED BY reports_of_token
        WHERE bundle_id = ? AND external_purchase_id = ? AND environment = ? AND state = 'accepted'
        ORDER BY sequence
        """
    static let reportsOnToken = """
        SELECT * FROM reports WHERE bundle_id = ? AND external_purchase_id = ? ORDER BY sequence
        """
    /// Searches an index once for each status and state, because a token may have thousands of accepted reports.
    ///
    /// A withdrawn report has the stored state `needsAttention`.
    static let reportSummary = """
        SELECT \(["LINE_ITEM", "NO_LINE_ITEM", "UNRECOGNIZED_TOKEN", "DUPLICATE_TOKEN"].map { status in
            """
            EXISTS (SELECT 1 FROM reports WHERE bundle_id = ?1 AND external_purchase_id = ?2 AND status = '\(status)'
                AND state IN ('accepted', 'sending', 'unknown', 'written'))
            """
        }.joined(separator: ", ")),
            EXISTS (SELECT 1 FROM reports WHERE bundle_id = ?1 AND external_purchase_id = ?2 AND status = 'LINE_ITEM'
                AND state = 'needsAttention' AND withdrawn_at IS NULL),
            EXISTS (SELECT 1 FROM reports INDEXED BY reports_open WHERE bundle_id = ?1 AND environment = ?3
                AND external_purchase_id = ?2 AND state <> 'accepted' AND withdrawn_at IS NULL)
        """
    /// The newest accepted version of a line item and of those that reference it; an item that references it only in an
    /// older version is not a referrer.
    static let newestAccepted = """
        SELECT sequence, line_item_id, external_purchase_id, request_key, content FROM accepted_items AS item
        WHERE bundle_id = ?1 AND environment = ?2 AND line_item_id = ?3
            AND version = (SELECT max(version) FROM accepted_items AS other WHERE other.bundle_id = item.bundle_id
                AND other.environment = item.environment AND other.line_item_id = item.line_item_id)
        UNION ALL
        SELECT sequence, line_item_id, external_purchase_id, request_key, content FROM accepted_items AS item
        WHERE bundle_id = ?1 AND environment = ?2 AND reference_line_item_id = ?3
            AND version = (SELECT max(version) FROM accepted_items AS other WHERE other.bundle_id = item.bundle_id
                AND other.environment = item.environment AND other.line_item_id = item.line_item_id)
        """
    static let lineItemVersions = """
        SELECT sent_items.*, reports.external_purchase_id, reports.request_identifier, reports.written_at,
            iif(reports.withdrawn_at IS NULL, reports.state, 'withdrawn') AS state
        FROM sent_items JOIN reports USING (bundle_id, environment, request_key)
        WHERE sent_items.bundle_id = ? AND sent_items.environment = ? AND sent_items.line_item_id = ?
        ORDER BY sent_items.sequence
        """
    static let lineItemsByDate = """
        SELECT sent_items.*, reports.external_purchase_id, reports.request_identifier, reports.written_at,
            iif(reports.withdrawn_at IS NULL, reports.state, 'withdrawn') AS state
        FROM sent_items JOIN reports USING (bundle_id, environment, request_key)
        WHERE sent_items.bundle_id = ? AND sent_items.environment = ? AND sent_items.creation_date >= ?
            AND sent_items.creation_date < ? AND (sent_items.creation_date, sent_items.sequence) > (?, ?)
        ORDER BY sent_items.creation_date, sent_items.sequence LIMIT ?
        """
    static let heldPaymentEvent = """
        SELECT * FROM payment_events INDEXED BY payment_events_held_of_app
        WHERE state = 'held' AND app = ? ORDER BY sequence LIMIT 1
        """
    static let stuckPaymentEvents = """
        SELECT * FROM payment_events WHERE sequence IN (
            (SELECT sequence FROM payment_events INDEXED BY payment_events_stuck WHERE \(isStuck)
                ORDER BY received_at, sequence LIMIT 1),
            (SELECT sequence FROM payment_events INDEXED BY payment_events_stuck WHERE \(isStuck)
                ORDER BY received_at DESC, sequence DESC LIMIT 1)
        ) ORDER BY sequence
        """
    private static let isStuck = """
        state = 'waiting' AND app = ?1 AND received_at <= ?2
            AND detail NOT LIKE 'unpaid:%' AND detail NOT LIKE 'refund-pending:%' AND detail NOT LIKE 'token:%'
        """
    static let paymentEventsToReopen = """
        SELECT * FROM payment_events WHERE sequence IN (/* ARRAY( */
            SELECT sequence FROM payment_event_objects WHERE provider = ? AND object_id = ?
        /* ) */) AND reference IN ('waiting', 'unreferenced') AND state IN ('waiting', 'not-used') ORDER BY sequence
        """
    static let referencedPaymentEvent = """
        SELECT 1 FROM payment_event_objects AS named JOIN payment_events AS event ON event.sequence = named.sequence
        WHERE named.provider = ? AND named.object_id = ? AND event.reference = 'referenced'
            AND EXISTS (SELECT 1 FROM json_each(?) AS own, json_each(event.apps) AS its WHERE own.value = its.value)
        LIMIT 1
        """
    static let paymentFigures = """
        SELECT app, is_live, reference, payment_currency, count(*) AS payments,
            CAST(sum(payment_amount) AS BIGINT) AS amount
        FROM payment_events INDEXED BY payment_events_of_payments
        WHERE payment_id IS NOT NULL AND created_at > ? AND created_at <= ?
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        """
    static let paymentEventsOfObjects = """
        SELECT * FROM payment_events WHERE sequence IN (/* ARRAY( */
            SELECT sequence FROM payment_event_objects
            WHERE provider = ? AND object_id IN (/* ARRAY( */ SELECT value FROM json_each(?) /* ) */)
        /* ) */) ORDER BY sequence
        """
    static let notificationsToDo = """
        SELECT * FROM notifications WHERE done_at IS NULL AND sequence > ? ORDER BY sequence LIMIT ?
        """
    static let notificationsOfToken = """
        SELECT * FROM notifications WHERE bundle_id = ? AND external_purchase_id = ? ORDER BY sequence
        """
    static let notificationOfApp = "SELECT uuid FROM notifications WHERE uuid = ? AND bundle_id = ?"
    static let newestNotification = """
        SELECT * FROM notifications WHERE bundle_id = ? AND type = ? ORDER BY signed_date DESC LIMIT 1
        """
    static let openReview = """
        SELECT * FROM review_items WHERE resolved_at IS NULL AND sequence > ? ORDER BY sequence LIMIT ?
        """
    static let openReviewOfKind = """
        SELECT * FROM review_items INDEXED BY review_items_open_of_kind
        WHERE bundle_id = ? AND kind = ? AND resolved_at IS NULL ORDER BY sequence
        """
    static let reviewAbout = """
        SELECT * FROM review_items WHERE bundle_id = ? AND subject_kind = ? AND subject_id = ? ORDER BY sequence
        """
    static let openCorrections = """
        SELECT * FROM corrections WHERE closed_at IS NULL AND sequence > ? ORDER BY sequence LIMIT ?
        """
    static let alertTold = "SELECT 1 FROM alerts WHERE event_id = ?"
    static let undeliveredAlertsOfChannel = """
        SELECT * FROM alert_messages INDEXED BY alert_messages_of_channel
        WHERE channel = ? AND delivered_at IS NULL ORDER BY sequence LIMIT ?
        """
    static let undeliveredAlerts = """
        SELECT * FROM alert_messages WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?
        """
    static let openReportCounts = """
        SELECT bundle_id, environment, iif(withdrawn_at IS NULL, state, 'withdrawn') AS state, count(*) AS count,
            min(written_at) AS oldest
        FROM reports WHERE state <> 'accepted' GROUP BY 1, 2, 3
        """
    static let reportCounts = "SELECT bundle_id, environment, count(*) AS count FROM reports GROUP BY 1, 2"
    static let heldCounts = """
        SELECT sales.bundle_id, \(environmentOfSale) AS environment, flag.value AS flag, count(*) AS count
        FROM sales INDEXED BY sales_held LEFT JOIN json_each(sales.flags) AS flag ON TRUE
        WHERE sales.state = 'held' AND sales.export_id IS NULL GROUP BY 1, 2, 3
        """
    static let plannedCounts = """
        SELECT bundle_id, environment, count(*) AS count, min(received_at) AS oldest
        FROM sales WHERE state = 'planned' AND request_key IS NULL AND export_id IS NULL GROUP BY 1, 2
        """
    static let alertCounts = "SELECT count(*) AS count FROM alert_messages WHERE delivered_at IS NULL"
    static let reviewCounts = """
        SELECT bundle_id, kind, count(*) AS count FROM review_items WHERE resolved_at IS NULL GROUP BY 1, 2
        """
    /// The entries of a payment event, a review item or an export; the condition equals that of its index.
    static let auditOfRecord = """
        SELECT * FROM audit_log INDEXED BY audit_of_record
        WHERE kind IN ('payment-event-stored', 'attention-resolved', 'export-made', 'export-handed-in', 'export-withdrawn')
            AND coalesce(content ->> '$.eventId', content ->> '$.exportId', (content ->> '$.item') || '') = ?
        ORDER BY sequence
        """
    static let lastAuditEntry = "SELECT * FROM audit_log ORDER BY sequence DESC LIMIT 1"
    static let auditHead = "SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1"
}
