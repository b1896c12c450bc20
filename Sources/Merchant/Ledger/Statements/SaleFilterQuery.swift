import ExternalPurchaseCore

/// The statement of a filtered list of sales.
///
/// It finds rows by the index of the most selective condition, in order of arrival. ``SaleFilter/matches(_:)`` then
/// selects the exact matches.
struct SaleFilterQuery: Sendable {
    private(set) var conditions = ["sales.bundle_id = ?"]
    private(set) var arguments: [SQLValue]
    private(set) var index: String?
    private let bundleId: String

    init(_ filter: SaleFilter) {
        bundleId = filter.bundleId.rawValue
        arguments = [bundleId.sqlValue]
        if let token = filter.externalPurchaseId {
            add("sales.external_purchase_id = ?", token.rawValue, by: "sales_of_token")
        }
        if let customer = filter.customerId { add("sales.customer_id = ?", customer.rawValue, by: "sales_of_customer") }
        if let checkout = filter.checkoutId { add("sales.checkout_id = ?", checkout.rawValue, by: "sales_of_checkout") }
        if let flag = filter.flag {
            let (condition, index) = Self.condition(of: flag)
            conditions.append(condition)
            add("EXISTS (SELECT 1 FROM json_each(sales.flags) WHERE value = ?)", flag.rawValue, by: index)
        }
        if let product = filter.productId { add("sales.product_id = ?", product, by: "sales_of_product") }
        if let kind = filter.kind {
            add("coalesce(sales.retyped, sales.content ->> '$.type') = ?", kind, by: "sales_of_type")
        }
        if let environment = filter.environment {
            // Few sales have no token or one of the sandbox.
            if environment == .sandbox {
                add("coalesce(sales.environment, 'sandbox') = 'sandbox'", by: "sales_in_sandbox")
            }
            // PostgreSQL takes half of the sales to match a CASE, and hardly any to match the comparison of an expression.
            add(
                "iif(sales.environment IS NULL, \(Query.environmentOfSale) = ?, sales.environment = ?)",
                environment.rawValue,
                by: nil
            )
            arguments.append(environment.rawValue.sqlValue)
        }
        add(filter.state)
        add(filter.standing)
        addSpan(of: filter)
        let index = index ?? "sales_of_app"
        if SchemaPart.ordersOfApps.contains(index) { conditions[0] = "sales.bundle_id || '' = ?" }
        self.index = index
    }

    /// Adds the span of time, whose sales are found first where no other index finds fewer: their numbers are sorted, not the rows.
    private mutating func addSpan(of filter: SaleFilter) {
        let isFirst = index.map(SchemaPart.ordersOfApps.contains) ?? true
        let ends = [(filter.from, ">="), (filter.until, "<")].compactMap { time, sign in time.map { ($0, sign) } }
        guard isFirst, !ends.isEmpty else {
            for (time, sign) in ends { add("sales.occurred_at \(sign) ?", time.milliseconds, by: nil) }
            return
        }
        let span = ends.map { "AND its.occurred_at \($0.1) ?" }.joined(separator: " ")
        conditions.append(
            """
            sales.sequence IN (/* ARRAY( */
                SELECT its.sequence FROM sales AS its INDEXED BY sales_by_moment WHERE its.bundle_id = ? \(span)
            /* ) */)
            """
        )
        arguments += [filter.bundleId.rawValue.sqlValue] + ends.map(\.0.milliseconds.sqlValue)
        index = Self.key
    }

    private mutating func add(_ condition: String, _ value: (any SQLValueConvertible)? = nil, by index: String?) {
        conditions.append(condition)
        if let value { arguments.append(value.sqlValue) }
        self.index = self.index ?? index
    }

    private mutating func add(_ state: SaleFilter.State?) {
        switch state {
        // Most sales match, so that the order of arrival finds a page as soon.
        case .planned?: add("sales.state = 'planned'", by: nil)
        case .held?: add("sales.state = 'held' AND sales.state <> 'planned'", by: "sales_not_planned")
        case .recorded?: add(Self.recorded, by: "sales_not_planned")
        case .void?: add("sales.is_retracted = 1 AND sales.request_key IS NULL", by: "sales_retracted")
        case nil: break
        }
    }

    private mutating func add(_ standing: SaleStanding?) {
        let isFree = "sales.request_key IS NULL AND sales.export_id IS NULL"
        switch standing {
        case .planned?: add("sales.state = 'planned' AND \(isFree)", by: "sales_by_state")
        case .held?: add("sales.state = 'held' AND \(isFree)", by: "sales_by_state")
        case .recorded?: add("\(Self.recorded) AND \(isFree)", by: "sales_not_planned")
        case .inReport?: add(Self.inReport, bundleId, by: Self.key)
        case .retracted?: add("sales.is_retracted = 1 AND sales.request_key IS NOT NULL", by: "sales_retracted")
        case .void?: add("sales.is_retracted = 1 AND \(isFree)", by: "sales_retracted")
        // Most sales match.
        case .reported?: add("sales.request_key IS NOT NULL", by: nil)
        case .handedOver?: add("sales.export_id IS NOT NULL", by: "sales_handed_over")
        case nil: break
        }
    }

    /// Stands for the primary key, which SQLite uses where it is told to use no index.
    private static let key = "sequence"

    /// Most recorded sales are orders that their lines represent; the index has the others.
    private static let recorded = "sales.state = 'recorded' AND sales.state <> 'planned'"

    /// The condition of the index that has the sales with a flag.
    private static func condition(of flag: SaleFlag) -> (sql: String, index: String) {
        switch flag {
        case .imported: ("sales.origin = 'imported'", "sales_imported")
        case .reviewClosed, .sentApart, .newSubscription:
            (
                "(sales.review = 'closed' OR sales.dispatch = 'apart' OR sales.subscription_decision = 'newSubscription')",
                "sales_decided"
            )
        // A note may have the name of a cause.
        case _
        where HoldCause(rawValue: flag.rawValue) != nil && !SaleNote.known.map(\.rawValue).contains(flag.rawValue):
            ("sales.hold_causes <> '[]'", "sales_with_causes")
        default: ("(sales.notes <> '[]' OR sales.hold_causes <> '[]')", "sales_noted")
        }
    }

    /// The sales in a report that Apple has not accepted.
    private static let inReport = """
        sales.sequence IN (/* ARRAY( */
            SELECT its.sequence FROM reports AS sent INDEXED BY reports_open JOIN sales AS its INDEXED BY sales_of_report
                ON its.bundle_id = sent.bundle_id AND its.environment = sent.environment
                    AND its.request_key = sent.request_key
            WHERE sent.bundle_id = ? AND sent.state <> 'accepted'
        /* ) */)
        """

    func sql(_ page: LedgerPage) -> String {
        let isByKey = index == Self.key
        let source = Query.selectSales(isByKey ? "NOT INDEXED" : "INDEXED BY \(index ?? "sales_of_app")")
        let place = isByKey ? "sequence" : Query.place
        // An order is represented by its lines.
        return """
            \(source) WHERE \(conditions.joined(separator: " AND ")) AND sales.has_lines = 0
                AND sales.\(place) \(page.sign) ?
            ORDER BY sales.\(place)\(page.direction) LIMIT ?
            """
    }
}

extension LedgerQueries {
    package func sales(matching filter: SaleFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        let query = SaleFilterQuery(filter)
        return try self.query(
            query.sql(page),
            SQLArguments(query.arguments + [page.place.sqlValue, page.bound.sqlValue])
        )
        .decoded(SaleRow.record)
    }
}
