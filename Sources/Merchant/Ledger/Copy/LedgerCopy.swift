/// The result of a run of a copy.
package struct LedgerCopySummary: Hashable, Sendable {
    /// The number of rows of the ledger.
    package var rows = 0
    /// The number of rows that were deleted or written by this run.
    package var changes = 0
    /// The newest entry of the audit log of a finished copy; nil for an unfinished one and an empty log.
    package var head: AuditHead?
    package var isFinished = false

    package init() {}
}

/// Copies the tables of a ledger into those of another one, whose constraints between tables are off.
package struct LedgerCopy {
    private let source: any SQLConnection
    private let target: any SQLConnection
    private let tables: [CopiedTable]

    /// - Throws: ``LedgerError/inaccessible(_:)`` when the target lacks a table or column of the source.
    package init(
        from source: any SQLConnection,
        _ tables: [CopiedTable],
        to target: any SQLConnection,
        _ targetTables: [CopiedTable]
    ) throws(LedgerError) {
        (self.source, self.target, self.tables) = (source, target, tables)
        for table in tables {
            guard let other = targetTables.first(where: { $0.name == table.name }) else {
                throw .inaccessible("the target has no table \(table.name); both ledgers must be of this version")
            }
            guard Set(other.columns) == Set(table.columns), !table.key.isEmpty, Set(other.key) == Set(table.key) else {
                throw .inaccessible("the tables \(table.name) differ; both ledgers must be of this version")
            }
        }
    }

    /// Makes the target equal to the source.
    ///
    /// - Parameters:
    ///   - transaction: runs a closure in a transaction of the target.
    ///   - progress: called with the fraction of the rows that are equal, from 0 to 1.
    package func run(
        transaction: (() throws(LedgerError) -> Void) throws(LedgerError) -> Void,
        progress: (Double) -> Void
    ) throws(LedgerError) -> LedgerCopySummary {
        var summary = LedgerCopySummary()
        for table in tables { summary.rows += try table.count(on: source) }
        let total = Double(max(1, summary.rows))
        var before = 0
        for table in tables {
            var count = 0
            func copy() throws(LedgerError) -> Int {
                try table.copy(from: source, to: target, transaction: transaction) { done in
                    count = done
                    progress(min(1, Double(before + done) / total))
                }
            }
            do throws(LedgerError) {
                do throws(LedgerError) {
                    summary.changes += try copy()
                } catch .conflict {
                    // Rows that exchanged a unique value between two runs: the table is copied anew.
                    try transaction { () throws(LedgerError) in try table.clear(on: target) }
                    summary.changes += try copy()
                }
            } catch {
                throw error.naming(table)
            }
            before += count
        }
        return summary
    }

    /// Compares the number of rows and the content of every table, and follows the hash chain of the copied audit log.
    ///
    /// - Returns: the newest entry of the audit log; nil for an empty one.
    /// - Throws: ``LedgerError/corrupt(_:)`` naming the table that differs or the broken entry.
    package func verify(progress: (Double) -> Void) throws(LedgerError) -> AuditHead? {
        for (index, table) in tables.enumerated() {
            let (wanted, found) = (try table.content(on: source), try table.content(on: target))
            guard wanted == found else {
                throw .corrupt(
                    wanted.rows == found.rows
                        ? "the content of the copied table \(table.name) differs"
                        : "the copied table \(table.name) has \(found.rows) rows instead of \(wanted.rows)"
                )
            }
            progress(Double(index + 1) / Double(tables.count))
        }
        let verdict = try LedgerQueries(on: target, dependencies: .live).verifyAudit(expecting: nil)
        if let broken = verdict.broken {
            throw .corrupt("the audit log is broken at entry \(broken.sequence): \(broken.reason)")
        }
        return verdict.head
    }
}

extension LedgerError {
    /// The same error with the name of the table whose rows could not be copied.
    fileprivate func naming(_ table: CopiedTable) -> LedgerError {
        switch self {
        case .conflict(let detail): .conflict("table \(table.name): \(detail)")
        case .failed(let detail): .failed("table \(table.name): \(detail)")
        default: self
        }
    }
}
