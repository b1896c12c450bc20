import ExternalPurchaseCore

/// The statements about stored deadlines; `DeadlineQueryPlanTests` checks the query plan of each.
enum DeadlineSQL {
    /// A condition with its arguments, in the order of its question marks.
    struct Condition {
        var sql: String
        var arguments: [(any SQLValueConvertible)?] = []
    }

    /// A part of the list whose order is that of an index.
    struct Range {
        let readiness: StoredDeadline.Readiness
        /// Empty when it includes every row of the standing.
        let condition: Condition

        /// An app's ranges of the part of the list that needs review, or of the other part.
        static func all(of bundleId: BundleId, needsReview: Bool, in query: DeadlineQuery) -> [Range] {
            let bounds = [query.now.milliseconds, query.reviewAheadFrom.milliseconds]
            let isBlocked = query.blockedApps.contains(bundleId)
            if needsReview {
                var ranges = [
                    Range(readiness: .review, condition: Condition(sql: "")),
                    Range(
                        readiness: .waiting,
                        condition: Condition(sql: " AND (review_at <= ? OR review_at >= ?)", arguments: bounds)
                    ),
                ]
                if isBlocked {
                    ranges.append(Range(readiness: .scheduled, condition: Condition(sql: " AND is_unconfirmed = 0")))
                }
                return ranges
            }
            return [
                Range(
                    readiness: .waiting,
                    condition: Condition(
                        sql: " AND (review_at IS NULL OR review_at > ? AND review_at < ?)",
                        arguments: bounds
                    )
                ),
                Range(
                    readiness: .scheduled,
                    condition: Condition(sql: isBlocked ? " AND is_unconfirmed = 1" : "")
                ),
            ]
        }
    }

    /// The apps with deadlines; each is found by one index search.
    static let apps = """
        WITH RECURSIVE apps (id) AS (
            SELECT min(bundle_id) FROM deadlines
            UNION ALL
            SELECT (SELECT min(bundle_id) FROM deadlines WHERE bundle_id > apps.id) FROM apps WHERE apps.id IS NOT NULL
        )
        SELECT id FROM apps WHERE id IS NOT NULL
        """

    private static let listed =
        "SELECT is_line_item, sequence, created_at, due_at, is_unconfirmed FROM deadlines INDEXED BY deadlines_in_order"

    /// A page of one range: rows with a deadline, or rows without one.
    ///
    /// - Parameters:
    ///   - position: the position after which the page starts; nil starts at the first row.
    ///   - conditions: the conditions of the query.
    static func page(
        hasDeadline: Bool,
        after position: DeadlinePosition?,
        _ conditions: String
    ) -> String {
        let order = "\(hasDeadline ? "due_at, " : "")created_at, is_line_item, sequence"
        let after =
            switch (position, hasDeadline) {
            case (nil, _): ""
            case (_, true): " AND (due_at, created_at, is_line_item, sequence) > (?, ?, ?, ?)"
            case (_, false): " AND (created_at, is_line_item, sequence) > (?, ?, ?)"
            }
        return """
            \(listed)
            WHERE bundle_id = ? AND standing = ? AND due_at IS \(hasDeadline ? "NOT " : "")NULL\(after) AND rules = ?\
            \(conditions)
            ORDER BY \(order) LIMIT ?
            """
    }

    /// Deadlines before a moment that can become late.
    static let before = """
        \(listed)
        WHERE bundle_id = ? AND standing = ? AND due_at < ? AND is_unconfirmed = 0 AND rules = ?
        """

    /// The counts by group.
    ///
    /// A bucket is the number of boundaries before the deadline, or −1 without a deadline. The unary plus keeps SQLite
    /// from using the index of rules, which is not selective.
    ///
    /// - Parameters:
    ///   - boundaries: the number of boundaries.
    ///   - conditions: the conditions of the query.
    static func counts(boundaries: Int, _ conditions: String) -> String {
        let cases = (0..<boundaries).map { "WHEN due_at <= ? THEN \($0) " }.joined()
        let bucket = boundaries == 0 ? "0" : "CASE \(cases)ELSE \(boundaries) END"
        return """
            SELECT bundle_id, environment, is_line_item,
                standing = 'review'
                    OR standing = 'waiting' AND review_at IS NOT NULL AND (review_at <= ? OR review_at >= ?)
                    OR standing = 'scheduled' AND is_unconfirmed = 0
                        AND bundle_id IN (SELECT value FROM json_each(?)),
                is_unconfirmed, iif(due_at IS NULL, -1, \(bucket)), count(*)
            FROM deadlines WHERE +rules = ?\(conditions)
            GROUP BY 1, 2, 3, 4, 5, 6
            """
    }

    /// The conditions of a query except those on app and rules.
    static func conditions(_ query: DeadlineQuery) -> Condition {
        var all = Condition(sql: "")
        func add(_ sql: String, _ argument: (any SQLValueConvertible)?) {
            all.sql += " AND \(sql)"
            all.arguments.append(argument)
        }
        if let environment = query.environment { add("environment = ?", environment.rawValue) }
        if let isLineItem = query.isLineItem { add("is_line_item = ?", isLineItem) }
        if let isUnconfirmed = query.isUnconfirmed { add("is_unconfirmed = ?", isUnconfirmed) }
        switch query.due {
        case .any: break
        case .none: all.sql += " AND due_at IS NULL"
        case .within(let from, let until):
            all.sql += " AND due_at IS NOT NULL"
            if let from { add("due_at >= ?", from.milliseconds) }
            if let until { add("due_at < ?", until.milliseconds) }
        }
        if let id = query.externalPurchaseId {
            add(ofRow(token: "external_purchase_id", sale: "sales.external_purchase_id"), id.rawValue)
        }
        if let id = query.lineItemId {
            add(ofRow(token: "NULL", sale: "coalesce(newest.line_item_id, sales.line_item_id)"), id.rawValue)
        }
        if let id = query.customerId {
            add(ofRow(token: "customer_id", sale: "coalesce(newest.customer_id, sales.customer_id)"), id.rawValue)
        }
        if let product = query.productId { add(ofRow(token: "NULL", sale: "sales.product_id"), product) }
        return all
    }

    private static func ofRow(token: String, sale: String) -> String {
        """
        iif(is_line_item = 0,
            (SELECT \(token) FROM tokens WHERE tokens.sequence = deadlines.sequence),
            (SELECT \(sale) FROM sales LEFT JOIN sale_versions AS newest ON newest.bundle_id = sales.bundle_id
                AND newest.sale_id = sales.sale_id AND newest.version = sales.version
            WHERE sales.sequence = deadlines.sequence)) = ?
        """
    }

    static let tokensToAnswer = """
        SELECT deadlines.send_at, deadlines.sequence, tokens.external_purchase_id
        FROM deadlines INDEXED BY deadlines_to_send JOIN tokens ON tokens.sequence = deadlines.sequence
        WHERE deadlines.bundle_id = ? AND deadlines.environment = ? AND is_line_item = 0 AND send_at IS NOT NULL
            AND send_at <= ? AND (send_at, deadlines.sequence) > (?, ?)
        ORDER BY send_at, deadlines.sequence LIMIT ?
        """
    static let nextTokenToAnswer = """
        SELECT send_at FROM deadlines INDEXED BY deadlines_to_send
        WHERE bundle_id = ? AND environment = ? AND is_line_item = 0 AND send_at IS NOT NULL
            AND (send_at, sequence) > (?, ?)
        ORDER BY send_at, sequence LIMIT 1
        """
    /// Returns one row per sale: the caller uses the first row of each token and may stop at any row.
    static let salesToSend = """
        SELECT sales.external_purchase_id
        FROM deadlines INDEXED BY deadlines_to_send JOIN sales ON sales.sequence = deadlines.sequence
        WHERE deadlines.bundle_id = ? AND deadlines.environment = ? AND is_line_item = 1 AND send_at IS NOT NULL
            AND send_at <= ?
        ORDER BY send_at, deadlines.sequence
        """
    static let nextSaleToSend = """
        SELECT send_at FROM deadlines INDEXED BY deadlines_to_send
        WHERE bundle_id = ? AND environment = ? AND is_line_item = 1 AND send_at IS NOT NULL AND send_at > ?
        ORDER BY send_at LIMIT 1
        """

    static let rules = "SELECT id, version FROM deadline_rules ORDER BY id DESC LIMIT 1"
    static let adopt = "INSERT INTO deadline_rules (version, since) VALUES (?, ?)"
    static let changed = "SELECT is_line_item, sequence FROM deadlines WHERE rules = 0 LIMIT ?"
    static let all = "SELECT is_line_item, sequence FROM deadlines ORDER BY is_line_item, sequence"
    static let outdated = "SELECT is_line_item, sequence FROM deadlines WHERE rules < ?"
    /// Rows computed by earlier rules, oldest rules first; rows invalidated by a change are not included.
    static let ofEarlierRules = """
        SELECT is_line_item, sequence FROM deadlines WHERE rules < ? AND rules <> 0 ORDER BY rules LIMIT ?
        """
    static let refusedKeys = """
        SELECT DISTINCT bundle_id FROM review_items INDEXED BY review_items_of_refused_keys
        WHERE kind = 'key-refused' AND resolved_at IS NULL
        """

    static let set = """
        INSERT INTO deadlines (is_line_item, sequence, bundle_id, environment, standing, is_unconfirmed, created_at,
            due_at, send_at, review_at, rules)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (is_line_item, sequence) DO UPDATE SET environment = excluded.environment,
            standing = excluded.standing, is_unconfirmed = excluded.is_unconfirmed, created_at = excluded.created_at,
            due_at = excluded.due_at, send_at = excluded.send_at, review_at = excluded.review_at,
            rules = excluded.rules
        """
    static let remove = "DELETE FROM deadlines WHERE is_line_item = ? AND sequence = ?"

    /// Marks the row of a token or sale for computation.
    static let mark = "UPDATE deadlines SET rules = 0 WHERE is_line_item = ? AND sequence = ? AND rules <> 0"
    /// Adds a marked row for an open token that has none.
    static let addToken = """
        INSERT INTO deadlines
        SELECT 0, sequence, bundle_id, environment, 'scheduled', 0, creation_date, NULL, NULL, NULL, 0
        FROM tokens WHERE sequence = ? AND reported_at IS NULL
        ON CONFLICT (is_line_item, sequence) DO NOTHING
        """
    /// Adds a marked row for an open sale that has none.
    static let addSale = """
        INSERT INTO deadlines
        SELECT 1, sequence, bundle_id, environment, 'scheduled', 0, occurred_at, NULL, NULL, NULL, 0
        FROM sales WHERE sequence = ? AND state IN ('planned', 'held') AND export_id IS NULL
        ON CONFLICT (is_line_item, sequence) DO NOTHING
        """

    /// Searches the tokens or sales whose deadline a change may move: open ones, and those that still have a row.
    struct SubjectSearch {
        let isLineItem: Bool
        let sql: String

        private init(tokens condition: String) {
            isLineItem = false
            sql = """
                SELECT tokens.sequence FROM tokens WHERE \(condition) AND (reported_at IS NULL OR EXISTS (
                    SELECT 1 FROM deadlines WHERE is_line_item = 0 AND deadlines.sequence = tokens.sequence
                ))
                """
        }

        /// Every sale that the condition names, for changes that can open a sale which had no deadline.
        private init(allSales condition: String) {
            isLineItem = true
            sql = "SELECT sales.sequence FROM sales WHERE \(condition)"
        }

        /// The open ones among the sales of a condition, and those with a stored deadline.
        private init(sales condition: String) {
            isLineItem = true
            sql = """
                SELECT sales.sequence FROM sales WHERE \(condition) AND (
                    state IN ('planned', 'held') AND export_id IS NULL OR EXISTS (
                        SELECT 1 FROM deadlines WHERE is_line_item = 1 AND deadlines.sequence = sales.sequence
                    )
                )
                """
        }

        static let token = SubjectSearch(tokens: "bundle_id = ? AND external_purchase_id = ?")
        static let tokenOfSale = SubjectSearch(
            tokens: """
                (tokens.bundle_id, tokens.external_purchase_id) = (
                    SELECT bundle_id, external_purchase_id FROM sales
                    WHERE bundle_id = ? AND sale_id = ? AND external_purchase_id IS NOT ?
                )
                """
        )
        /// Searches another sale with the same tax country from the newest sale on, where it usually is.
        static let tokenOfNewSale = SubjectSearch(
            tokens: """
                (tokens.bundle_id, tokens.external_purchase_id) = (
                    SELECT new.bundle_id, new.external_purchase_id FROM sales AS new
                    WHERE new.bundle_id = ? AND new.sale_id = ? AND (
                        SELECT 1 FROM sales AS other INDEXED BY sales_of_token
                        WHERE other.bundle_id = new.bundle_id
                            AND other.external_purchase_id = new.external_purchase_id
                            AND other.sequence <> new.sequence AND \(country("other")) IS \(country("new"))
                        ORDER BY other.sequence DESC LIMIT 1
                    ) IS NULL
                )
                """
        )

        /// The tax country in the newest version of a sale.
        private static func country(_ sale: String) -> String {
            """
            coalesce((
                SELECT content FROM sale_versions WHERE sale_versions.bundle_id = \(sale).bundle_id
                    AND sale_versions.sale_id = \(sale).sale_id AND sale_versions.version = \(sale).version
            ), \(sale).content) ->> '$.amount.taxCountry'
            """
        }
        static let tokenOfReport = SubjectSearch(
            tokens: """
                (tokens.bundle_id, tokens.external_purchase_id) = (
                    SELECT bundle_id, external_purchase_id FROM reports
                    WHERE bundle_id = ? AND environment = ? AND request_key = ?
                )
                """
        )
        static let sale = SubjectSearch(allSales: "bundle_id = ? AND sale_id = ?")
        static let takingBack = SubjectSearch(sales: "bundle_id = ? AND takes_back = ?")
        static let salesOnToken = SubjectSearch(sales: "bundle_id = ? AND external_purchase_id = ?")
        static let salesOfReport = SubjectSearch(sales: "bundle_id = ? AND environment = ? AND request_key = ?")
        static let salesOfExport = SubjectSearch(allSales: "bundle_id = ? AND export_id = ?")
    }
}
