/// The result of verifying the complete chain.
package struct AuditVerdict: Hashable, Sendable {
    /// How many entries are in order, counted from the first.
    package let intact: Int64
    /// The newest entry in order; what to note down elsewhere, because a chain cannot show that its end was cut off.
    package let head: AuditHead?
    /// The first entry that is not in order.
    package let broken: AuditBreak?

    package init(intact: Int64, head: AuditHead?, broken: AuditBreak?) {
        self.intact = intact
        self.head = head
        self.broken = broken
    }
}

/// The newest entry of a chain at some moment.
package struct AuditHead: Hashable, Sendable {
    package let sequence: Int64
    package let hash: [UInt8]

    package init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }
}

/// Where and how a chain is broken.
package struct AuditBreak: Hashable, Sendable {
    package let sequence: Int64
    /// One sentence for the operator.
    package let reason: String

    package init(sequence: Int64, reason: String) {
        self.sequence = sequence
        self.reason = reason
    }
}

extension LedgerQueries {
    /// Follows the chain from its first entry, page by page, up to the first one that is broken.
    ///
    /// - Parameter noted: a head that was noted down earlier; the chain must still hold it.
    package func verifyAudit(expecting noted: AuditHead? = nil) throws(LedgerError) -> AuditVerdict {
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
        }
        if let noted, noted.sequence > head?.sequence ?? 0 {
            let next = (head?.sequence ?? 0) + 1
            return verdict("the log ends before entry \(noted.sequence), which was noted down", at: next)
        }
        return verdict(nil)
    }
}
