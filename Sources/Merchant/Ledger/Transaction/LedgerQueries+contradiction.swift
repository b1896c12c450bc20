extension LedgerQueries {
    /// Compares the audit log with a head that was recorded earlier.
    ///
    /// It reads one entry; ``verifyAudit(expecting:)`` verifies the whole chain.
    ///
    /// - Returns: the contradiction as one sentence; nil if the log contains the head.
    package func contradiction(of noted: AuditHead) throws(LedgerError) -> String? {
        guard let entry = try auditEntries(LedgerPage(after: noted.sequence - 1, limit: 1)).first else {
            let last = try lastAuditEntry()?.sequence ?? 0
            return "its audit log ends at entry \(last), entry \(noted.sequence) was noted down: it is an older copy, "
                + "or its end is missing"
        }
        guard entry.sequence == noted.sequence, entry.hash == noted.hash else {
            return "entry \(noted.sequence) of its audit log is not the one that was noted down: it is another ledger"
        }
        return nil
    }
}
