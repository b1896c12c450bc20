package import ExternalPurchaseCore

/// Where tokens, sales and reports are kept: every method commits wholly or not at all.
///
/// A transaction is a closure, so that judging a report against the history and writing it are one step; what the
/// steps are is decided in one place, for every store alike. Closed to conformances outside this package.
package protocol LedgerStore: Sendable {
    /// Reads a consistent state.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Commits what the closure did, durably before the return; rolls it back when the closure throws.
    ///
    /// One closure runs at a time. It may run only once and must not wait for anything.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Makes sure that a text which stands in no row any more stands nowhere in the store's files (OB-92).
    ///
    /// - Throws: ``LedgerError/busy`` while another process reads what is to go; trying again may help.
    func removeTraces(of text: String) async throws(LedgerError)

    /// Makes a real commit that changes nothing, to learn whether the next one would be stored.
    func checkWritable() async throws(LedgerError)

    /// The space that is left where the store keeps its files, in bytes; nil where there is no such limit.
    var freeBytes: Int64? { get }
}

extension LedgerStore {
    /// A commit of nothing.
    package func checkWritable() async throws(LedgerError) {
        try await write { _ throws(LedgerError) in }
    }

    /// No limit is known.
    package var freeBytes: Int64? { nil }

    /// A store without files keeps no traces.
    package func removeTraces(of text: String) async throws(LedgerError) {}
}

/// What can be asked of a ledger, by domain.
package protocol LedgerQueries: TokenQueries, CustomerQueries, SaleQueries, ReportQueries, LineItemQueries,
    NotificationQueries, ReviewQueries, CorrectionQueries, ManualExportQueries, AuditQueries, InvoiceQueries,
    RetentionQueries, AlertReading, CountsQueries, DeadlineQueries
{}

/// What a store does to its rows; everyone else uses the named methods in the extensions.
///
/// Nothing is deleted but by a purge (OB-91). The two requirements are what a store implements: their arguments can be made in this
/// module only, so that nothing is changed without its entry in the audit log.
package protocol LedgerTransaction: LedgerQueries, DeadlineWriting {
    var dependencies: LedgerDependencies { get }
    /// Makes one change and returns the sequence of the row it inserted or, where the ledger has that row, found.
    func apply(_ change: AuditedChange) throws(LedgerError) -> Int64
    /// Appends to the audit log.
    func append(_ entry: AuditEntry) throws(LedgerError)
}

/// One page of a list in the order of arrival.
package struct LedgerPage: Hashable, Sendable {
    /// Rows after this sequence; 0 begins at the first.
    package var after: Int64
    package var limit: Int

    package init(after: Int64 = 0, limit: Int = 100) {
        self.after = after
        self.limit = limit
    }
}

/// One page of a list in the order of a time, equal times in the order of arrival.
package struct TimePage: Hashable, Sendable {
    /// The place of a row in such a list.
    package struct Place: Hashable, Sendable, Comparable {
        package let time: Timestamp
        package let sequence: Int64

        package init(time: Timestamp, sequence: Int64) {
            self.time = time
            self.sequence = sequence
        }

        package static func < (left: Self, right: Self) -> Bool {
            (left.time, left.sequence) < (right.time, right.sequence)
        }
    }

    /// Rows after this place; nil begins at the first.
    package var after: Place?
    package var limit: Int

    package init(after: Place? = nil, limit: Int = 100) {
        self.after = after
        self.limit = limit
    }
}
