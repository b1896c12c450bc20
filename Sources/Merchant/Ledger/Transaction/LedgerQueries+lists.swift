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
        var apps: Set<BundleId> = []
        for table in ["tokens", "sales", "customers"] {
            // Each app is found by one search in the table's unique index.
            let sql = """
                WITH RECURSIVE apps (id) AS (
                    SELECT min(bundle_id) FROM \(table)
                    UNION ALL
                    SELECT (SELECT min(bundle_id) FROM \(table) WHERE bundle_id > apps.id) FROM apps
                    WHERE apps.id IS NOT NULL
                )
                SELECT id FROM apps WHERE id IS NOT NULL
                """
            let found = try query(sql, []).decoded { row throws(LedgerError) in BundleId(try row.text(at: 0)) }
            apps.formUnion(found)
        }
        return apps.sorted()
    }
}
