import ExternalPurchaseCore

/// The queries of one consistent state of a ledger.
///
/// Each query is a method in an extension, with its SQL or the statement that it names. A store passes the object to a
/// closure, which must not keep it. A transaction that writes is a ``LedgerTransaction``.
///
/// ```swift
/// let token = try await store.read { ledger throws(LedgerError) in
///     try ledger.token(id, of: bundleId)
/// }
/// ```
package class LedgerQueries {
    let connection: any SQLConnection
    /// The time and the pseudonyms of audit entries.
    package let dependencies: LedgerDependencies
    /// Rows that the closures of the transaction read or wrote, which no other transaction changes meanwhile.
    let cache: TransactionCache
    /// What the running closure has still to write.
    let unwritten: UnwrittenRows

    package init(on connection: any SQLConnection, dependencies: LedgerDependencies) {
        self.connection = connection
        self.dependencies = dependencies
        cache = TransactionCache()
        unwritten = UnwrittenRows()
    }

    fileprivate init(on connection: any SQLConnection, sharing other: LedgerTransaction) {
        self.connection = connection
        dependencies = other.dependencies
        cache = other.cache
        unwritten = other.unwritten
    }

    fileprivate init(
        on connection: any SQLConnection,
        keeping cache: TransactionCache,
        dependencies: LedgerDependencies
    ) {
        self.connection = connection
        self.dependencies = dependencies
        self.cache = cache
        unwritten = UnwrittenRows()
    }

    /// Prepares a query whose rows are decoded one after another.
    func query(_ sql: String, _ arguments: SQLArguments) -> RowQuery {
        RowQuery(connection: connection, cache: cache, sql: sql, arguments: arguments)
    }

    /// The query that closures are expected to run.
    func query(_ expected: ExpectedQuery) -> RowQuery {
        let statement = expected.statement
        return query(statement.sql, statement.arguments)
    }

    /// A query with each of some arguments.
    func queries(_ sql: String, withEach arguments: [SQLArguments]) -> RowQueries {
        RowQueries(connection: connection, cache: cache, sql: sql, arguments: arguments)
    }

    /// Returns copies of the rows of a query, for callers that query the ledger while they read them.
    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        try connection.rows(sql, arguments)
    }

    /// The newest entry of the audit log, if this transaction has read or written it.
    package var knownAuditHead: AuditHead? { cache.auditHead }
}

/// One transaction of a ledger, with the queries and the changes of all its closures.
///
/// Every change is a method in an extension and has its entry in the audit log. Only a purge deletes rows (OB-91).
///
/// ```swift
/// try await store.write { ledger throws(LedgerError) in
///     try ledger.insert(token)
/// }
/// ```
package final class LedgerTransaction: LedgerQueries {
    /// The request whose closure runs; nil for a closure of no request.
    var requestId: String?

    /// Returns the same transaction with its statements on another connection, such as one that fails on purpose.
    package func on(_ connection: (any SQLConnection) -> any SQLConnection) -> LedgerTransaction {
        let other = LedgerTransaction(on: connection(self.connection), sharing: self)
        other.requestId = requestId
        return other
    }

    /// Returns a transaction on another connection that begins with the rows that this one has read and shares nothing
    /// that it reads or writes.
    package func rehearsal(on connection: any SQLConnection) -> LedgerTransaction {
        LedgerTransaction(on: connection, keeping: cache.copy(), dependencies: dependencies)
    }

    /// From now on each row gets a number that its connection reserves for it; numbers that were reserved are forgotten.
    package func reserveEveryNumber() {
        cache.isEveryNumberReserved = true
        cache.numbers.removeAll()
    }

    /// Writes what the changes of closures have collected; their store calls it before the changes are kept.
    ///
    /// Those who wait for the closures are answered after the commit, so that an error here refuses them.
    package func writeCollectedRows() throws(LedgerError) {
        if let computation = unwritten.deadlineComputation {
            unwritten.deadlineComputation = nil
            try computation(self)
        }
        try markChangedDeadlines()
        try writeAuditEntries()
    }

    /// Has the deadlines that changed computed before the changes are kept, once for all closures of a group.
    ///
    /// - Parameter computation: what computes them; it replaces the one of an earlier closure.
    package func computeDeadlines(by computation: @escaping (LedgerTransaction) throws(LedgerError) -> Void) {
        unwritten.deadlineComputation = computation
    }

    /// Forgets the kept rows; a store calls it after it rolled back the changes of a closure.
    package func forgetRows() {
        cache.removeAll()
        unwritten.removeAll()
    }

    // MARK: Changes

    /// Applies a change and appends its entry to the audit log, in one step.
    ///
    /// A customer that is named for the first time gets a pseudonym, which replaces the id in every entry.
    @discardableResult
    func perform(_ change: LedgerChange) throws(LedgerError) -> Int64 {
        var pseudonyms: [CustomerId: String] = [:]
        for (customer, bundleId) in change.customers {
            if let known = try self.customer(customer, of: bundleId) {
                pseudonyms[customer] = known.pseudonym
                continue
            }
            let new = StoredCustomer(
                bundleId: bundleId,
                customerId: customer,
                pseudonym: dependencies.pseudonym(),
                firstSeen: dependencies.now()
            )
            pseudonyms[customer] = new.pseudonym
            try commit(.insertCustomer(new), pseudonyms)
        }
        return try commit(change, pseudonyms)
    }

    @discardableResult
    private func commit(
        _ change: LedgerChange,
        _ pseudonyms: [CustomerId: String]
    ) throws(LedgerError) -> Int64 {
        for scope in try deadlines(movedBy: change) { try outdateDeadlines(of: scope) }
        cache.forgetRows(changedBy: change)
        let sequence = try store(change)
        cache.keepRow(of: change, at: sequence)
        for scope in deadlines(madeBy: change, at: sequence) { try outdateDeadlines(of: scope) }
        if let (kind, content) = change.audit(naming: pseudonyms) {
            var content = JSONObject(content)
            if let requestId { content["requestId"] = .string(requestId) }
            let entry = AuditEntry(
                after: try auditHead(),
                time: dependencies.now(),
                kind: kind,
                content: .object(content)
            )
            try append(entry)
        }
        return sequence
    }

    private func store(_ change: LedgerChange) throws(LedgerError) -> Int64 {
        switch change {
        case .insertToken(let token): try insertRow(of: token)
        case .updateToken(let token): try updateRow(of: token)
        case .completeToken(let token): try completeRow(of: token)
        case .recordObservation(let observation): try insertRow(of: observation)
        case .setTokenAside(let text): try insertRow(of: text)
        case .expireQuarantinedTokens(let sequence, _, let moment):
            try deleteQuarantinedTokens(through: sequence, before: moment)
        case .insertCustomer(let customer): try insertRow(of: customer)
        case .eraseCustomer(let customer, by: _): try eraseRow(of: customer)
        case .putCheckout(let checkout): try putRow(of: checkout)
        case .recordClaim(let claim): try insertRow(of: claim)
        case .recordTap(let tap): try insertRow(of: tap)
        case .insertSale(let sale): try insertRow(of: sale)
        case .attributeSale(let attribution, let sale, let app): try updateRow(of: sale, app, attribution)
        case .addSaleVersion(let version): try insertRow(of: version)
        case .insertSaleChange(let change): try insertRow(of: change)
        case .closeSaleChange(let sequence, _, _, let closing): try closeRow(ofSaleChange: sequence, closing)
        case .setCustomer(let token, by: _, reason: _): try updateRow(of: token)
        case .insertReport(let report, let sales, let items):
            try insertRow(of: report, holding: sales, accepting: items)
        case .updateReport(let report, let items): try updateRow(of: report, accepting: items)
        case .insertNotification(let notification): try insertRow(of: notification)
        case .finishNotification(let uuid, let effect): try finishRow(of: uuid, effect)
        case .quarantineNotification(let notification): try insertRow(of: notification)
        case .countRefusal(let failure, let time): try countRow(of: failure, time)
        case .moveHistoryPosition(let scope, let position): try putRow(of: scope, position)
        case .openReview(let item): try insertRow(of: item)
        case .resolveReview(let sequence, let resolution): try resolveRow(sequence, resolution)
        case .insertCorrection(let correction): try insertRow(of: correction)
        case .updateCorrection(let correction): try updateRow(of: correction)
        case .attachReport(let report, let correction, let app): try insertRow(of: report, correction, app)
        case .insertExport(let export, let sales): try insertRow(of: export, holding: sales)
        case .submitExport(let export, let app, let manualSubmission):
            try updateSubmission(of: export, app, manualSubmission)
        case .recordAlerts(let marks, let message): try insertRows(of: marks, message)
        case .deliverAlert(let sequence, let time): try deliverRow(sequence, time)
        case .redeliver(let delivery, at: let time, by: _): try dueRow(of: delivery, time)
        case .withdrawExport(let export, let app, let withdrawal): try withdrawRow(of: export, app, withdrawal)
        case .insertInvoice(let invoice): try insertRow(of: invoice)
        case .insertPaymentEvent(let event): try insertRow(of: event)
        case .updatePaymentEvent(let event): try updateRow(of: event)
        case .putPaymentObject(let object, let provider): try putRow(of: object, provider)
        case .purge(let purge): try deleteRows(of: purge)
        case .insertKey(let key): try insertRow(of: key)
        case .revokeKey(let key, _): try updateRow(of: key)
        case .setUser(let user, by: _): try putRow(of: user)
        case .setUserRole(let user, by: _), .removeUser(let user, by: _): try putRow(of: user)
        }
    }

    // MARK: Statements

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        try connection.run(sql, arguments)
    }

    /// Runs a statement of which nothing but its success is needed.
    func perform(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) {
        try connection.perform(sql, withEach: [arguments])
    }

    /// Runs an insertion and returns the row's sequence number.
    func insert(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int64 {
        try connection.insert(sql, arguments, returning: "sequence")
    }

    /// Runs a change that must affect exactly one row.
    @discardableResult
    func change(
        _ sql: String,
        _ arguments: SQLArguments,
        otherwise reason: String
    ) throws(LedgerError) -> Int64 {
        if try run(sql, arguments) != 1 { throw .conflict(reason) }
        return 0
    }
}

/// Rows that a closure writes together at its end, or before a query that needs them.
final class UnwrittenRows {
    /// Tokens and sales whose deadlines wait for computation.
    ///
    /// Their rows are marked only if the transaction lists deadlines or commits before it computed them: a mark changes
    /// as many index entries as the deadline itself.
    var changedSubjects: Set<StoredDeadline.Subject> = []
    /// What computes these deadlines; nil if nothing does in this transaction.
    var deadlineComputation: ((LedgerTransaction) throws(LedgerError) -> Void)?
    /// Entries of the audit log; the newest of them is the head in ``TransactionCache/auditHead``.
    var auditEntries: [AuditEntry] = []

    func removeAll() {
        changedSubjects.removeAll()
        deadlineComputation = nil
        auditEntries.removeAll()
    }
}

/// A query that has not been run yet.
struct RowQuery {
    fileprivate let connection: any SQLConnection
    fileprivate let cache: TransactionCache
    fileprivate let sql: String
    fileprivate let arguments: SQLArguments

    /// Runs the query and decodes each row before the next one is read.
    ///
    /// A row of a running query finds its columns by a dictionary; a copied row compares all names. The closure must
    /// not run the same query, because statements are cached by their text.
    func decoded<Value>(_ decode: (any SQLRow) throws(LedgerError) -> Value) throws(LedgerError) -> [Value] {
        if !cache.answers.isEmpty, let rows = cache.answers.rows(sql, arguments) { return try rows.decoded(decode) }
        var values: [Value] = []
        try connection.each(sql, arguments) { row throws(LedgerError) in values.append(try decode(row)) }
        return values
    }
}

/// A query that is run with each of some arguments, which the driver may send together.
struct RowQueries {
    fileprivate let connection: any SQLConnection
    fileprivate let cache: TransactionCache
    fileprivate let sql: String
    fileprivate let arguments: [SQLArguments]

    /// Runs the queries and decodes the rows of each.
    func decoded<Value>(_ decode: (any SQLRow) throws(LedgerError) -> Value) throws(LedgerError) -> [[Value]] {
        if arguments.isEmpty { return [] }
        var values = Array(repeating: [Value](), count: arguments.count)
        var asked = Array(arguments.indices)
        if !cache.answers.isEmpty {
            var unknown: [Int] = []
            for place in asked {
                if let rows = cache.answers.rows(sql, arguments[place]) {
                    values[place] = try rows.decoded(decode)
                } else {
                    unknown.append(place)
                }
            }
            asked = unknown
        }
        if asked.isEmpty { return values }
        try connection.each(sql, withEach: asked.map { arguments[$0] }) { place, row throws(LedgerError) in
            values[asked[place]].append(try decode(row))
        }
        return values
    }
}

extension Array {
    /// Maps the elements with a closure that throws a ledger error.
    func decoded<Value>(_ decode: (Element) throws(LedgerError) -> Value) throws(LedgerError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for element in self { values.append(try decode(element)) }
        return values
    }
}

extension LedgerPage {
    /// The argument of `LIMIT`, at least 0, because a negative number would mean no limit.
    var bound: Int { max(0, limit) }
    /// The sequence number to compare with.
    var place: Int64 { isNewestFirst && after == 0 ? .max : after }
    /// The comparison of a row's sequence number with ``place``.
    var sign: String { isNewestFirst ? "<" : ">" }
    /// The direction of `ORDER BY sequence`.
    var direction: String { isNewestFirst ? " DESC" : "" }
}

extension TimePage {
    var bound: Int { max(0, limit) }
    /// The time of the position; the start of the list is before every row.
    var time: Int64 { after?.time.milliseconds ?? .min }
    var sequence: Int64 { after?.sequence ?? .min }
}

extension Set where Element: RawRepresentable, Element.RawValue == String {
    /// The JSON array that `SQLRow.set` decodes, in a stable order.
    var column: String {
        // Most sets are empty.
        if isEmpty { return "[]" }
        return JSONValue.array(map(\.rawValue).sorted().map(JSONValue.string)).text
    }
}

extension JSONValue {
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
