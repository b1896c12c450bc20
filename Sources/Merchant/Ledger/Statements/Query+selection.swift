import ExternalPurchaseCore

/// The statements of a ``RecordSelection``: a row's number, the number of a row that it refers to, and times.
extension Query {
    static let salesOfSpan = """
        SELECT sales.sequence, tokens.sequence, customers.sequence
        FROM sales INDEXED BY sales_by_moment \(token(of: "sales")) \(customer(of: "sales"))
        WHERE sales.bundle_id = ? AND sales.occurred_at >= ? AND sales.occurred_at < ?
        """
    static let tokensOfReports = """
        SELECT reports.sequence, tokens.sequence, reports.written_at, reports.changed_at, reports.answer_at
        FROM reports INDEXED BY reports_of_app \(token(of: "reports")) WHERE reports.bundle_id || '' = ?
        """
    static let customersOfTokens = """
        SELECT tokens.sequence, customers.sequence, tokens.creation_date, NULL, NULL
        FROM tokens INDEXED BY tokens_of_app \(customer(of: "tokens")) WHERE tokens.bundle_id || '' = ?
        """
    static let tokensOfTaps = """
        SELECT link_taps.sequence, tokens.sequence, link_taps.tapped_at, NULL, NULL
        FROM link_taps \(token(of: "link_taps")) WHERE link_taps.bundle_id = ?
        """
    static let tokensOfNotifications = """
        SELECT notifications.sequence, tokens.sequence, notifications.received_at, NULL, NULL
        FROM notifications INDEXED BY notifications_of_app \(token(of: "notifications"))
        WHERE notifications.bundle_id || '' = ?
        """
    /// An event without an app is that of the first one whose secret signed it (``StoredPaymentEvent/reviewingApp``).
    static let salesOfPaymentEvents = """
        SELECT payment_events.sequence, sales.sequence, payment_events.created_at, NULL, NULL
        FROM payment_events NOT INDEXED LEFT JOIN json_each(payment_events.sales) AS told ON TRUE
        LEFT JOIN sales ON sales.bundle_id = ?1 AND sales.sale_id = told.value
        WHERE payment_events.app = ?1
        """

    /// The rows of a table with the numbers of a ``list(_:)``.
    static func rows(of table: String) -> String {
        "SELECT * FROM \(table) NOT INDEXED WHERE sequence \(isListed) ORDER BY sequence"
    }

    static let salesAtNumbers = """
        \(selectSales("NOT INDEXED")) WHERE sales.sequence \(isListed) ORDER BY sales.sequence
        """
    /// The columns of a sale's first version.
    static let arrival = """
        1 AS version, iif(keys_version = 1, customer_id, arrival_customer_id) AS customer_id, content, line_item_id,
            'arrived' AS change, received_at AS said_at, NULL AS correction_id, NULL AS said_by, NULL AS reason
        """
    static let versionsOfSales = """
        SELECT sequence AS place, \(arrival) FROM sales NOT INDEXED WHERE sequence \(isListed)
        UNION ALL
        SELECT sales.sequence, sale_versions.version, sale_versions.customer_id, sale_versions.content,
            sale_versions.line_item_id, sale_versions.change, sale_versions.said_at, sale_versions.correction_id,
            sale_versions.said_by, sale_versions.reason
        FROM sales NOT INDEXED CROSS JOIN sale_versions
            ON sale_versions.bundle_id = sales.bundle_id AND sale_versions.sale_id = sales.sale_id
        WHERE sales.sequence \(isListed)
        ORDER BY place, version
        """

    /// The argument of a statement for rows with the given numbers.
    static func list(_ numbers: [Int64]) -> SQLArguments {
        [JSONValue.array(numbers.map { .integer($0) }).text]
    }

    private static let isListed = "IN (/* ARRAY( */ SELECT CAST(value AS BIGINT) FROM json_each(?1) /* ) */)"

    private static func token(of table: String) -> String {
        """
        LEFT JOIN tokens ON tokens.bundle_id = \(table).bundle_id
            AND tokens.external_purchase_id = \(table).external_purchase_id
        """
    }

    private static func customer(of table: String) -> String {
        """
        LEFT JOIN customers ON customers.bundle_id = \(table).bundle_id AND customers.customer_id = \(table).customer_id
        """
    }
}
