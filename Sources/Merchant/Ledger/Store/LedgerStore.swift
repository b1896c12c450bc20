package import ExternalPurchaseCore

/// Stores tokens, sales and reports; every method commits completely or not at all.
///
/// A transaction is a closure, so that validating a report against the history and writing it are one step. The steps
/// are defined once for all stores. Types outside this package cannot conform.
package protocol LedgerStore: Sendable {
    /// Runs a closure on a consistent state.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Commits the changes of a closure durably before returning; rolls them back when the closure throws.
    ///
    /// Closures run one at a time. A closure runs at most once and must not wait for anything.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Commits a closure like ``write(_:)``.
    ///
    /// - Parameters:
    ///   - rows: the rows that the closure will probably read; a store may read those of all waiting closures at once.
    ///   - body: the closure, which may read other rows as well.
    func write<Value: Sendable>(
        expecting rows: ExpectedRows?,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Removes all remains of a deleted text from the store's files (OB-92).
    ///
    /// - Throws: ``LedgerError/busy`` while another process reads the old content; a retry may succeed.
    func removeTraces(of text: String) async throws(LedgerError)

    /// Tells the store of a head that was read from it. A store whose server may come back with an older copy refuses
    /// writes to a ledger without it.
    func note(_ head: AuditHead)

    /// Makes a real commit without changes, to check whether the next one can be stored.
    func checkWritable() async throws(LedgerError)

    /// The free space of the volume with the store's files, in bytes; nil for a store without such a limit.
    var freeBytes: Int64? { get }

    /// Whether several servers may have the ledger open at once, so that they need leases (SA-76).
    var isShared: Bool { get }
}

/// Rows of an app, by their keys.
package struct ExpectedRows: Hashable, Sendable {
    package let bundleId: BundleId
    package let tokens: Set<ExternalPurchaseId>
    package let checkouts: Set<CheckoutId>
    package let customers: Set<CustomerId>
    package let sales: Set<SaleId>
    /// Further queries, of any app.
    package let queries: Set<ExpectedQuery>

    package init(
        bundleId: BundleId,
        tokens: Set<ExternalPurchaseId>,
        checkouts: Set<CheckoutId>,
        customers: Set<CustomerId> = [],
        sales: Set<SaleId> = [],
        queries: Set<ExpectedQuery> = []
    ) {
        self.bundleId = bundleId
        self.tokens = tokens
        self.checkouts = checkouts
        self.customers = customers
        self.sales = sales
        self.queries = queries
    }

    /// The number of rows and queries.
    var count: Int { tokens.count + checkouts.count + customers.count + sales.count + queries.count }
}

extension LedgerStore {
    /// Reads nothing before the closure.
    package func write<Value: Sendable>(
        expecting rows: ExpectedRows?,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await write(body)
    }

    /// Does nothing: the store is the same for as long as it is open.
    package func note(_ head: AuditHead) {}

    /// Commits an empty transaction.
    package func checkWritable() async throws(LedgerError) {
        try await write { _ throws(LedgerError) in }
    }

    /// No limit.
    package var freeBytes: Int64? { nil }

    /// One server at a time.
    package var isShared: Bool { false }

    /// A store without files has nothing to remove.
    package func removeTraces(of text: String) async throws(LedgerError) {}
}

/// One page of a list in order of arrival, or newest first.
package struct LedgerPage: Hashable, Sendable {
    /// Returns the rows that follow this sequence number in the order of the list; 0 starts at the first one.
    package var after: Int64
    package var limit: Int
    /// True for a list that starts with the newest row.
    ///
    /// Lists with a filter and the list of given sales honour it; the lists that the server works through do not.
    package var isNewestFirst: Bool

    package init(after: Int64 = 0, limit: Int = 100, isNewestFirst: Bool = false) {
        self.after = after
        self.limit = limit
        self.isNewestFirst = isNewestFirst
    }

    /// Whether a row belongs to the list after ``after``.
    package func includes(_ sequence: Int64) -> Bool {
        isNewestFirst ? after == 0 || sequence < after : sequence > after
    }

    /// Whether one row stands before another one in the list.
    package func precedes(_ first: Int64, _ second: Int64) -> Bool {
        isNewestFirst ? first > second : first < second
    }
}

/// One page of a list sorted by time, then by arrival.
package struct TimePage: Hashable, Sendable {
    /// The position of a row in such a list.
    package struct Position: Hashable, Sendable, Comparable {
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

    /// Returns rows after this position; nil starts at the first row.
    package var after: Position?
    package var limit: Int

    package init(after: Position? = nil, limit: Int = 100) {
        self.after = after
        self.limit = limit
    }
}
