package import ExternalPurchaseCore

// Lists without a filter, in order of arrival.
extension LedgerQueries {
    package func tokens(_ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try tokens(matching: ListFilter(), page)
    }

    package func reports(_ page: LedgerPage) throws(LedgerError) -> [StoredReport] {
        try reports(matching: ListFilter(), page)
    }

    package func notifications(_ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try notifications(matching: ListFilter(), page)
    }

    package func corrections(_ page: LedgerPage) throws(LedgerError) -> [StoredCorrection] {
        try corrections(matching: ListFilter(), page)
    }

    package func manualExports(_ page: LedgerPage) throws(LedgerError) -> [ManualExport] {
        try manualExports(matching: ListFilter(), page)
    }

    package func auditEntries(_ page: LedgerPage) throws(LedgerError) -> [AuditEntry] {
        try auditEntries(matching: ListFilter(), page)
    }

    package func reviewItems(_ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try reviewItems(matching: ListFilter(), page)
    }
}

extension LedgerQueries {
    /// The apps of which there are tokens, sales or customers, in ascending order.
    package func apps() throws(LedgerError) -> [BundleId] {
        // Each app is found by one search in the unique index of a table.
        let tables = ["tokens", "sales", "customers"]
        let apps = tables.map { table in
            """
            apps_of_\(table) (id) AS (
                SELECT min(bundle_id) FROM \(table)
                UNION ALL
                SELECT (SELECT min(bundle_id) FROM \(table) WHERE bundle_id > known.id) FROM apps_of_\(table) AS known
                WHERE known.id IS NOT NULL
            )
            """
        }
        let found = tables.map { "SELECT id FROM apps_of_\($0) WHERE id IS NOT NULL" }
        let sql = "WITH RECURSIVE \(apps.joined(separator: ", ")) \(found.joined(separator: " UNION "))"
        return try query(sql, []).decoded { row throws(LedgerError) in BundleId(try row.text(at: 0)) }.sorted()
    }
}
