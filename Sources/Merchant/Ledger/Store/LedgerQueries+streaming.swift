package import ExternalPurchaseCore

// Every row of a kind, within one consistent state; one page at a time is in memory.
extension LedgerQueries {
    package func eachToken(_ body: (StoredToken) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try tokens(page) }, \.sequence, body)
    }

    package func eachCustomer(_ body: (StoredCustomer) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try customers(page) }, \.sequence, body)
    }

    package func eachTap(_ body: (LinkTap) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try taps(page) }, \.sequence, body)
    }

    package func eachSale(_ body: (StoredSale) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try sales(page) }, \.sequence, body)
    }

    package func eachReport(_ body: (StoredReport) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try reports(page) }, \.sequence, body)
    }

    package func eachNotification(_ body: (StoredNotification) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try notifications(page) }, \.sequence, body)
    }

    package func eachPaymentEvent(_ body: (StoredPaymentEvent) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try paymentEvents(matching: ListFilter(), page) }, \.sequence, body)
    }

    package func eachCorrection(_ body: (StoredCorrection) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try corrections(page) }, \.sequence, body)
    }

    package func eachManualExport(_ body: (ManualExport) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try manualExports(page) }, \.sequence, body)
    }

    package func eachAuditEntry(_ body: (AuditEntry) throws(LedgerError) -> Void) throws(LedgerError) {
        try each({ page throws(LedgerError) in try auditEntries(page) }, \.sequence, body)
    }

    /// Line items created in a time range, excluding its end, sorted by that date.
    package func eachLineItem(
        in scope: ReportingScope,
        createdFrom: Timestamp,
        until: Timestamp,
        _ body: (LineItemVersion) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var page = TimePage(limit: Self.pageSize)
        while true {
            let rows = try lineItems(in: scope, createdFrom: createdFrom, until: until, page)
            for row in rows { try body(row) }
            guard let last = rows.last, let date = last.item.creationDate else { return }
            page.after = TimePage.Position(time: Timestamp(milliseconds: date), sequence: last.sequence)
        }
    }

    private static var pageSize: Int { 500 }

    package func eachOpenReviewItem(
        _ body: (ReviewItem) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try each({ page throws(LedgerError) in try openReviewItems(page) }, \.sequence, body)
    }

    private func each<Row>(
        _ fetch: (LedgerPage) throws(LedgerError) -> [Row],
        _ sequence: (Row) -> Int64,
        _ body: (Row) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var page = LedgerPage(limit: Self.pageSize)
        while true {
            let rows = try fetch(page)
            for row in rows { try body(row) }
            guard let last = rows.last else { return }
            page.after = sequence(last)
        }
    }
}
