package import ExternalPurchaseCore

/// The rows of an app that belong to a time range, with those that they refer to; a selection holds their numbers only.
package struct RecordSelection: Sendable {
    /// Tokens made in the range, and those of selected sales and of reports written, changed or answered in it.
    package fileprivate(set) var tokens = RowNumbers()
    /// The customers of selected tokens and sales.
    package fileprivate(set) var customers = RowNumbers()
    /// Visits in the range, and those with a selected token.
    package fileprivate(set) var taps = RowNumbers()
    /// Sales that occurred in the range.
    package fileprivate(set) var sales = RowNumbers()
    /// Reports on selected tokens.
    package fileprivate(set) var reports = RowNumbers()
    /// Notifications received in the range, and those about selected tokens.
    package fileprivate(set) var notifications = RowNumbers()
    /// Payment events made in the range, and those about selected sales.
    package fileprivate(set) var paymentEvents = RowNumbers()
}

extension LedgerQueries {
    /// Selects rows of an app by columns of numbers and times, without reading the rows.
    package func selection(
        of bundleId: BundleId,
        in span: Range<Timestamp>
    ) throws(LedgerError) -> RecordSelection {
        let app = bundleId.rawValue
        var selection = RecordSelection()
        try connection.scan(
            Query.salesOfSpan,
            [app, span.lowerBound.milliseconds, span.upperBound.milliseconds]
        ) { row throws(LedgerError) in
            selection.sales.insert(try row.integer(at: 0))
            if let token = row.optionalInteger(at: 1) { selection.tokens.insert(token) }
            if let customer = row.optionalInteger(at: 2) { selection.customers.insert(customer) }
            return true
        }
        try connection.scan(Query.tokensOfReports, [app]) { row throws(LedgerError) in
            if row.isIn(span), let token = row.optionalInteger(at: 1) { selection.tokens.insert(token) }
            return true
        }
        try connection.scan(Query.customersOfTokens, [app]) { row throws(LedgerError) in
            let token = try row.integer(at: 0)
            if row.isIn(span) { selection.tokens.insert(token) }
            if selection.tokens.contains(token), let customer = row.optionalInteger(at: 1) {
                selection.customers.insert(customer)
            }
            return true
        }
        selection.reports = try numbers(Query.tokensOfReports, app, span, referringTo: selection.tokens)
        selection.taps = try numbers(Query.tokensOfTaps, app, span, referringTo: selection.tokens)
        selection.notifications = try numbers(Query.tokensOfNotifications, app, span, referringTo: selection.tokens)
        selection.paymentEvents = try numbers(Query.salesOfPaymentEvents, app, span, referringTo: selection.sales)
        return selection
    }

    /// The numbers of the rows of a time range, and of those that refer to one of some rows.
    private func numbers(
        _ sql: String,
        _ app: String,
        _ span: Range<Timestamp>,
        referringTo others: RowNumbers
    ) throws(LedgerError) -> RowNumbers {
        var numbers = RowNumbers()
        try connection.scan(sql, [app]) { row throws(LedgerError) in
            let isReferring = row.optionalInteger(at: 1).map { others.contains($0) } ?? false
            if isReferring || row.isIn(span) { numbers.insert(try row.integer(at: 0)) }
            return true
        }
        return numbers
    }
}

extension SQLRow {
    /// Whether one of the times from the third to the fifth column is in a time range.
    fileprivate func isIn(_ span: Range<Timestamp>) -> Bool {
        (2...4).contains { column in
            optionalInteger(at: column).map { span.contains(Timestamp(milliseconds: $0)) } ?? false
        }
    }
}

// The rows with the given numbers, in ascending order.
extension LedgerQueries {
    package func tokens(at numbers: [Int64]) throws(LedgerError) -> [StoredToken] {
        try query(Query.rows(of: "tokens"), Query.list(numbers)).decoded(TokenRow.record)
    }

    package func customers(at numbers: [Int64]) throws(LedgerError) -> [StoredCustomer] {
        try query(Query.rows(of: "customers"), Query.list(numbers)).decoded(CustomerRow.record)
    }

    package func taps(at numbers: [Int64]) throws(LedgerError) -> [LinkTap] {
        try query(Query.rows(of: "link_taps"), Query.list(numbers)).decoded(LinkTapRow.record)
    }

    package func sales(at numbers: [Int64]) throws(LedgerError) -> [StoredSale] {
        try query(Query.salesAtNumbers, Query.list(numbers)).decoded(SaleRow.record)
    }

    /// Every version of the sales with the given numbers, in the order of the sales, the arrival first.
    package func versions(ofSalesAt numbers: [Int64]) throws(LedgerError) -> [SaleVersion] {
        try query(Query.versionsOfSales, Query.list(numbers)).decoded(SaleVersionRow.record)
    }

    package func reports(at numbers: [Int64]) throws(LedgerError) -> [StoredReport] {
        try query(Query.rows(of: "reports"), Query.list(numbers)).decoded(ReportRow.record)
    }

    package func notifications(at numbers: [Int64]) throws(LedgerError) -> [StoredNotification] {
        try query(Query.rows(of: "notifications"), Query.list(numbers)).decoded(NotificationRow.record)
    }

    package func paymentEvents(at numbers: [Int64]) throws(LedgerError) -> [StoredPaymentEvent] {
        try query(Query.rows(of: "payment_events"), Query.list(numbers)).decoded(PaymentEventRow.record)
    }
}
