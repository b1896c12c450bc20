/// The result of verifying the complete chain.
package struct AuditVerdict: Hashable, Sendable {
    /// The number of valid entries before the first broken one.
    package let intact: Int64
    /// The newest valid entry; nil for an empty log.
    ///
    /// The operator should note it elsewhere, because a chain cannot prove that its end was not cut off.
    package let head: AuditHead?
    /// The first broken entry; nil if the chain is valid.
    package let broken: AuditBreak?
}

/// The newest entry of a chain at a given time.
package struct AuditHead: Hashable, Sendable {
    package let sequence: Int64
    package let hash: [UInt8]

    package init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }
}

/// The position and cause of a break in the chain.
package struct AuditBreak: Hashable, Sendable {
    package let sequence: Int64
    /// The cause in one sentence, for the operator.
    package let reason: String
}

extension LedgerQueries {
    /// Verifies the chain page by page, from the first entry up to the first broken one.
    ///
    /// - Parameters:
    ///   - noted: a head that was noted earlier; the chain must still contain it.
    ///   - progress: called with the number of entries that were verified.
    package func verifyAudit(
        expecting noted: AuditHead? = nil,
        progress: (Int64) -> Void = { _ in }
    ) throws(LedgerError) -> AuditVerdict {
        var head: AuditHead?
        func verdict(_ reason: String?, at sequence: Int64 = 0) -> AuditVerdict {
            AuditVerdict(
                intact: head?.sequence ?? 0,
                head: head,
                broken: reason.map { AuditBreak(sequence: sequence, reason: $0) }
            )
        }
        var page = LedgerPage(after: 0, limit: 500)
        while true {
            let entries = try auditEntries(page)
            for entry in entries {
                let expected = (head?.sequence ?? 0) + 1
                if entry.sequence != expected {
                    return verdict("entry \(expected) is missing", at: expected)
                }
                if !entry.isChained(to: head?.hash ?? AuditEntry.beginning) {
                    return verdict("entry \(expected) is not what was written", at: expected)
                }
                if let noted, noted.sequence == entry.sequence, noted.hash != entry.hash {
                    return verdict("entry \(expected) is not the one that was noted down", at: expected)
                }
                head = AuditHead(sequence: entry.sequence, hash: entry.hash)
            }
            guard let last = entries.last else { break }
            page.after = last.sequence
            progress(last.sequence)
        }
        if let noted, noted.sequence > head?.sequence ?? 0 {
            let next = (head?.sequence ?? 0) + 1
            return verdict("the log ends before entry \(noted.sequence), which was noted down", at: next)
        }
        return verdict(nil)
    }
}
