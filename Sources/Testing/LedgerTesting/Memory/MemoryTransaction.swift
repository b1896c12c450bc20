import ExternalPurchaseCore
import Ledger

/// One transaction with exclusive access to the rows; every change records how to undo it.
final class MemoryTransaction: LedgerTransaction {
    private(set) var ledger: MemoryLedger
    let dependencies: LedgerDependencies
    private var undo: [(inout MemoryLedger) -> Void] = []

    init(_ ledger: MemoryLedger, _ dependencies: LedgerDependencies) {
        self.ledger = ledger
        self.dependencies = dependencies
    }

    func rollBack() {
        for step in undo.reversed() { step(&ledger) }
        undo = []
    }

    func apply(_ step: AuditedChange) throws(LedgerError) -> Int64 {
        switch step.change {
        case .insertToken(let token): return try add(token)
        case .updateToken(let token): try change(token)
        case .completeToken(let token): try complete(token)
        case .recordObservation(let observation): return try add(observation)
        case .setTokenAside(let text): return add(text)
        case .expireQuarantinedTokens(let sequence, _, _): removeQuarantinedTokens(through: sequence)
        case .insertCustomer(let customer): return try add(customer)
        case .eraseCustomer(let customer, by: _): try erase(customer)
        case .putCheckout(let checkout): try change(checkout)
        case .recordClaim(let claim): return try add(claim)
        case .recordTap(let tap): return try add(tap)
        case .insertSale(let sale): return try add(sale)
        case .attributeSale(let attribution, let sale, let app): try change(attribution, of: sale, app)
        case .addSaleVersion(let version): try add(version)
        case .insertSaleChange(let change): return try add(change)
        case .closeSaleChange(let sequence, _, _, let closing): try closeSaleChange(sequence, closing)
        case .setCustomer(let token, by: _, reason: _): try change(token)
        case .insertReport(let report, let sales, let items):
            return try add(report, holding: sales, accepting: items)
        case .updateReport(let report, let items): try change(report, accepting: items)
        case .insertNotification(let notification): return try add(notification)
        case .finishNotification(let uuid, let effect): try finish(uuid, with: effect)
        case .quarantineNotification(let notification): return add(notification)
        case .countRefusal(let failure, let time): count(failure, time)
        case .moveHistoryPosition(let scope, let position): set(\.historyPositions, scope, position)
        case .openReview(let item): return add(item)
        case .resolveReview(let sequence, let resolution): try close(sequence, with: resolution)
        case .insertCorrection(let correction): return try add(correction)
        case .updateCorrection(let correction): try change(correction)
        case .attachReport(let report, let correction, let app): try add(report, correction, app)
        case .insertExport(let export, let sales): return try add(export, holding: sales)
        case .submitExport(let export, let app, let manualSubmission): try change(export, app, manualSubmission)
        case .recordAlerts(let marks, let message): return try add(marks, message)
        case .deliverAlert(let sequence, let time): try deliver(sequence, time)
        case .withdrawExport(let export, let app, let withdrawal): try withdraw(export, app, withdrawal)
        case .insertInvoice(let invoice): return try add(invoice)
        case .insertPaymentEvent(let event): return try add(event)
        case .updatePaymentEvent(let event): try change(event)
        case .putPaymentObject(let object, let provider): put(object, provider)
        case .purge: throw Self.nothingToPurge
        case .insertKey(let key): return try add(key)
        case .revokeKey(let key, let revocation): try revoke(key, revocation)
        case .setUser(let user, by: _), .removeUser(let user, by: _): return try put(user)
        }
        return 0
    }

    func append(_ entry: AuditEntry) throws(LedgerError) {
        guard entry.sequence == Int64(ledger.audit.count + 1) else {
            throw .conflict("an entry of the audit log follows the newest one")
        }
        append(entry, to: \.audit)
    }

    func auditEntries(matching filter: ListFilter, _ page: LedgerPage) -> [AuditEntry] {
        slice(ledger.audit, page) { AuditEntry.listFields.matches($0, filter) }
    }

    func lastAuditEntry() -> AuditEntry? { ledger.audit.last }
    func auditHead() -> AuditHead? { ledger.audit.last?.head }

    // MARK: Changes with undo

    /// Appends a row and returns its sequence number.
    @discardableResult
    func append<Row>(_ row: Row, to path: WritableKeyPath<MemoryLedger, [Row]>) -> Int64 {
        ledger[keyPath: path].append(row)
        undo.append { $0[keyPath: path].removeLast() }
        return Int64(ledger[keyPath: path].count)
    }

    func replace<Row>(_ place: Int, in path: WritableKeyPath<MemoryLedger, [Row]>, by row: Row) {
        let old = ledger[keyPath: path][place]
        ledger[keyPath: path][place] = row
        undo.append { $0[keyPath: path][place] = old }
    }

    func set<Value>(_ path: WritableKeyPath<MemoryLedger, Value>, to value: Value) {
        let old = ledger[keyPath: path]
        ledger[keyPath: path] = value
        undo.append { $0[keyPath: path] = old }
    }

    func set<Key, Value>(_ path: WritableKeyPath<MemoryLedger, [Key: Value]>, _ key: Key, _ value: Value?) {
        let old = ledger[keyPath: path][key]
        ledger[keyPath: path][key] = value
        undo.append { $0[keyPath: path][key] = old }
    }

    func add<Key, Value>(_ value: Value, to path: WritableKeyPath<MemoryLedger, [Key: [Value]]>, under key: Key) {
        ledger[keyPath: path][key, default: []].append(value)
        undo.append { ledger in
            ledger[keyPath: path][key]?.removeLast()
            if ledger[keyPath: path][key]?.isEmpty == true { ledger[keyPath: path][key] = nil }
        }
    }

    // MARK: Pages

    func slice<Row>(_ rows: [Row], _ page: LedgerPage) -> [Row] {
        slice(rows, page) { _ in true }
    }

    /// A page of the rows that meet a condition; the row at an index has the following sequence number.
    func slice<Row>(_ rows: [Row], _ page: LedgerPage, where isIncluded: (Row) -> Bool) -> [Row] {
        let (place, limit) = (Int(clamping: max(0, page.after)), max(0, page.limit))
        if page.isNewestFirst {
            let earlier = place == 0 ? rows[...] : rows.prefix(place - 1)
            return Array(earlier.reversed().lazy.filter(isIncluded).prefix(limit))
        }
        return Array(rows.dropFirst(place).lazy.filter(isIncluded).prefix(limit))
    }

    /// A page of the rows that meet a condition, sorted by time.
    func slice<Row>(
        _ rows: [Row],
        _ page: TimePage,
        by place: (Row) -> TimePage.Position,
        where isIncluded: (Row) -> Bool
    ) -> [Row] {
        let found = rows.filter { row in
            isIncluded(row) && page.after.map { place(row) > $0 } ?? true
        }
        return Array(found.sorted { place($0) < place($1) }.prefix(max(0, page.limit)))
    }
}
