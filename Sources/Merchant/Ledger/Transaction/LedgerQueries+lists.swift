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
