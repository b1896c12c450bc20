import ExternalPurchaseCore
import Synchronization

/// A ledger that lives as long as the process, for tests and demonstrations.
package final class MemoryLedgerStore: LedgerStore {
    private let state = Mutex(MemoryLedger())

    package init() {}

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerReading) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let transaction = MemoryTransaction(state.withLock { $0 })
        return try body(transaction)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        // The lock is held for the whole closure: transactions follow one another as in a database.
        let result: Result<Value, LedgerError> = state.withLock { state in
            let transaction = MemoryTransaction(state)
            do throws(LedgerError) {
                let value = try body(transaction)
                state = transaction.ledger
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

private struct MemoryLedger: Sendable {
    var tokens: [StoredToken] = []
    var aside: [TokenSetAside] = []
    var checkouts: [BundleId: [CheckoutId: Checkout]] = [:]
    var sales: [StoredSale] = []
    var reports: [StoredReport] = []
    /// Versions by scope and id, the newest last.
    var accepted: [ReportingScope: [LineItemId: [AcceptedVersion]]] = [:]
}

/// Sequences are places in the arrays, because nothing is ever deleted.
private final class MemoryTransaction: LedgerTransaction {
    var ledger: MemoryLedger

    init(_ ledger: MemoryLedger) {
        self.ledger = ledger
    }

    // MARK: Tokens

    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) -> StoredToken? {
        ledger.tokens.first { $0.token.externalPurchaseId == id && $0.token.bundleId == bundleId }
    }

    func tokens(withId id: ExternalPurchaseId) -> [StoredToken] {
        ledger.tokens.filter { $0.token.externalPurchaseId == id }
    }

    func tokens(of customer: CustomerId, app bundleId: BundleId) -> [StoredToken] {
        ledger.tokens.filter { $0.customerId == customer && $0.token.bundleId == bundleId }
    }

    func tokens(_ page: LedgerPage) -> [StoredToken] { slice(ledger.tokens, page) }

    func tokensSetAside(_ page: LedgerPage) -> [TokenSetAside] { slice(ledger.aside, page) }

    func insert(_ token: StoredToken) throws(LedgerError) -> StoredToken {
        guard self.token(token.token.externalPurchaseId, of: token.token.bundleId) == nil else {
            throw .conflict("the app has a token of that id")
        }
        var token = token
        token.sequence = Int64(ledger.tokens.count + 1)
        ledger.tokens.append(token)
        return token
    }

    func update(_ token: StoredToken) throws(LedgerError) {
        let id = token.token.externalPurchaseId
        guard
            let index = ledger.tokens.firstIndex(where: {
                $0.token.externalPurchaseId == id && $0.token.bundleId == token.token.bundleId
            })
        else { throw .conflict("no such token") }
        ledger.tokens[index].state = token.state
        ledger.tokens[index].customerId = token.customerId
        ledger.tokens[index].flags = token.flags
    }

    func setAside(_ text: TokenSetAside) {
        guard !ledger.aside.contains(where: { $0.text.utf8.elementsEqual(text.text.utf8) && $0.reason == text.reason })
        else { return }
        var text = text
        text.sequence = Int64(ledger.aside.count + 1)
        ledger.aside.append(text)
    }

    func checkout(_ id: CheckoutId, of bundleId: BundleId) -> Checkout? { ledger.checkouts[bundleId]?[id] }

    func put(_ checkout: Checkout) throws(LedgerError) {
        if let id = checkout.externalPurchaseId, token(id, of: checkout.bundleId) == nil {
            throw .conflict("the token of the checkout is not stored")
        }
        ledger.checkouts[checkout.bundleId, default: [:]][checkout.checkoutId] = checkout
    }

    // MARK: Sales

    func sale(_ id: SaleId, of bundleId: BundleId) -> StoredSale? {
        ledger.sales.first { $0.sale.saleId == id && $0.sale.bundleId == bundleId }
    }

    func sales(_ page: LedgerPage) -> [StoredSale] { slice(ledger.sales, page) }

    func refunds(of buy: SaleId, app bundleId: BundleId) -> [StoredSale] {
        ledger.sales.filter { $0.sale.refund?.refundOf == buy && $0.sale.bundleId == bundleId }
    }

    func heldSales(_ page: LedgerPage) -> [StoredSale] {
        let held = ledger.sales.lazy.filter {
            $0.attribution.state == .held && $0.requestIdentifier == nil && $0.sequence > page.after
        }
        return Array(held.prefix(page.limit))
    }

    func plannedSales(on token: ExternalPurchaseId, of bundleId: BundleId, limit: Int) -> [StoredSale] {
        let planned = ledger.sales.lazy.filter {
            $0.isWaiting && $0.attribution.externalPurchaseId == token && $0.sale.bundleId == bundleId
        }
        return Array(planned.prefix(limit))
    }

    func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        soldUntil: Timestamp,
        limit: Int
    ) -> [ExternalPurchaseId] {
        let blocked = Set(
            ledger.reports.lazy.filter { $0.scope == scope && $0.state != .accepted }.map(\.externalPurchaseId)
        )
        var found: [ExternalPurchaseId] = []
        for sale in ledger.sales where sale.isWaiting && sale.sale.bundleId == scope.bundleId {
            guard let id = sale.attribution.externalPurchaseId, id.environment == scope.environment,
                !blocked.contains(id), !found.contains(id),
                let token = token(id, of: scope.bundleId), token.token.tokenCreationDate <= madeUntil,
                sale.receivedAt <= soldUntil
            else { continue }
            found.append(id)
            if found.count == limit { break }
        }
        return found
    }

    func insert(_ sale: StoredSale) throws(LedgerError) -> StoredSale {
        guard self.sale(sale.sale.saleId, of: sale.sale.bundleId) == nil else {
            throw .conflict("the app has a sale of that id")
        }
        try check(sale.attribution, bundleId: sale.sale.bundleId)
        var sale = sale
        sale.sequence = Int64(ledger.sales.count + 1)
        sale.requestIdentifier = nil
        ledger.sales.append(sale)
        return sale
    }

    func update(_ attribution: Attribution, of sale: SaleId, app bundleId: BundleId) throws(LedgerError) {
        try check(attribution, bundleId: bundleId)
        let index = try index(ofUnreported: sale, bundleId: bundleId)
        ledger.sales[index].attribution = attribution
    }

    private func check(_ attribution: Attribution, bundleId: BundleId) throws(LedgerError) {
        if attribution.state == .planned, attribution.externalPurchaseId == nil {
            throw .conflict("a planned sale needs a token")
        }
        if let id = attribution.externalPurchaseId, token(id, of: bundleId) == nil {
            throw .conflict("the token of the sale is not stored")
        }
    }

    private func index(ofUnreported sale: SaleId, bundleId: BundleId) throws(LedgerError) -> Int {
        let index = ledger.sales.firstIndex { $0.sale.saleId == sale && $0.sale.bundleId == bundleId }
        guard let index, ledger.sales[index].requestIdentifier == nil else {
            throw .conflict("no such sale without a report")
        }
        return index
    }

    // MARK: Reports

    func report(_ id: RequestIdentifier, in scope: ReportingScope) -> StoredReport? {
        ledger.reports.first { $0.requestIdentifier == id && $0.scope == scope }
    }

    func reports(_ page: LedgerPage) -> [StoredReport] { slice(ledger.reports, page) }

    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) -> [StoredReport] {
        Array(ledger.reports.lazy.filter { $0.scope == scope && state.contains($0.state) }.prefix(limit))
    }

    func sales(in report: RequestIdentifier, of scope: ReportingScope) -> [StoredSale] {
        ledger.sales.filter {
            $0.requestIdentifier == report && $0.sale.bundleId == scope.bundleId
                && $0.attribution.externalPurchaseId?.environment == scope.environment
        }
    }

    func insert(_ report: StoredReport, holding sales: [SaleId]) throws(LedgerError) -> StoredReport {
        guard self.report(report.requestIdentifier, in: report.scope) == nil else {
            throw .conflict("the request identifier is used")
        }
        guard token(report.externalPurchaseId, of: report.scope.bundleId) != nil else {
            throw .conflict("the token of the report is not stored")
        }
        for sale in sales {
            let index = try index(ofUnreported: sale, bundleId: report.scope.bundleId)
            guard ledger.sales[index].isWaiting,
                ledger.sales[index].attribution.externalPurchaseId == report.externalPurchaseId
            else { throw .conflict("the sale is not planned on the token of the report") }
            ledger.sales[index].requestIdentifier = report.requestIdentifier
        }
        var report = report
        report.sequence = Int64(ledger.reports.count + 1)
        ledger.reports.append(report)
        return report
    }

    func update(_ report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError) {
        let index = ledger.reports.firstIndex {
            $0.requestIdentifier == report.requestIdentifier && $0.scope == report.scope
        }
        guard let index, ledger.reports[index].state != .accepted else {
            throw .conflict("no such report that is not accepted")
        }
        ledger.reports[index].state = report.state
        ledger.reports[index].changedAt = report.changedAt
        ledger.reports[index].attempts = report.attempts
        ledger.reports[index].answer = report.answer
        ledger.reports[index].errors = report.errors
        for item in items {
            guard let id = item.lineItemId else { throw .conflict("an accepted item has no id") }
            let version = AcceptedVersion(item: item, externalPurchaseId: report.externalPurchaseId)
            ledger.accepted[report.scope, default: [:]][id, default: []].append(version)
        }
    }

    // MARK: Accepted history

    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) -> Bool {
        ledger.reports.contains {
            $0.scope == scope && $0.externalPurchaseId == token && $0.state == .accepted && $0.status == .lineItem
        }
    }

    func newestAccepted(_ ids: Set<LineItemId>, in scope: ReportingScope) -> [LineItemId: AcceptedVersion] {
        let newest = (ledger.accepted[scope] ?? [:]).compactMapValues(\.last)
        return newest.filter { id, version in
            ids.contains(id) || version.item.referenceLineItemId.map(ids.contains) ?? false
        }
    }

    private func slice<Row>(_ rows: [Row], _ page: LedgerPage) -> [Row] {
        Array(rows.dropFirst(Int(clamping: max(0, page.after))).prefix(max(0, page.limit)))
    }
}

extension StoredSale {
    fileprivate var isWaiting: Bool { attribution.state == .planned && requestIdentifier == nil }
}
