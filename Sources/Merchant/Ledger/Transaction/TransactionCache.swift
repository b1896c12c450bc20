import ExternalPurchaseCore

/// Rows that one transaction reads many times.
///
/// No other transaction changes them meanwhile: writers run one at a time, and a reader sees one state. The closures of
/// a group share them. Without them a new token takes nine more queries, each a round trip in PostgreSQL.
final class TransactionCache {
    /// The newest audit entry; nil if it was not read yet or there is none.
    var auditHead: AuditHead?
    /// The newest rules of deadlines; nil if they were not read yet or there are none.
    var deadlineRules: StoredDeadlineRules?
    /// Tokens that were read or inserted; nil if there is none.
    private(set) var tokens: [Key<ExternalPurchaseId>: StoredToken?] = [:]
    /// Checkouts that were read or written; nil if there is none.
    private(set) var checkouts: [Key<CheckoutId>: Checkout?] = [:]
    /// Customers that were read or inserted; nil if there is none.
    private(set) var customers: [Key<CustomerId>: StoredCustomer?] = [:]
    /// Sales that were read by their id or inserted; nil if there is none.
    private(set) var sales: [Key<SaleId>: StoredSale?] = [:]
    /// Tokens that were inserted and that no sale, report or observation names yet, because all of them reference a
    /// stored token.
    private(set) var unreferencedTokens: Set<Key<ExternalPurchaseId>> = []
    /// The same tokens by their sequence number.
    private(set) var unreferencedTokensBySequence: [Int64: StoredToken] = [:]
    /// Payment events that were read or stored.
    var paymentEvents = KnownPaymentEvents()
    /// Answers to queries that were asked ahead.
    var answers = ExpectedAnswers()
    /// Sales that were inserted and have one version.
    private var insertedSales: Set<Key<SaleId>> = []
    /// The lines that were inserted, by their order.
    private var insertedLines: [Key<SaleId>: [Key<SaleId>]] = [:]
    /// Numbers for the next rows of a table, descending; see ``SQLConnection/reserveNumbers(_:of:_:)``.
    var numbers: [String: [Int64]] = [:]
    /// How many rows of a table were inserted, about.
    var insertions: [String: Int] = [:]
    /// Whether every row gets a reserved number, so that no insertion waits for its own.
    var isEveryNumberReserved = false
    /// Whether a search found no deadline that is marked for computation, and none was marked since.
    var isNoDeadlineMarked = false

    /// Returns a cache with the same rows, which changes alone from then on.
    func copy() -> TransactionCache {
        let copy = TransactionCache()
        (copy.auditHead, copy.deadlineRules) = (auditHead, deadlineRules)
        (copy.tokens, copy.checkouts, copy.customers, copy.sales) = (tokens, checkouts, customers, sales)
        (copy.unreferencedTokens, copy.unreferencedTokensBySequence) = (
            unreferencedTokens, unreferencedTokensBySequence
        )
        (copy.answers, copy.paymentEvents) = (answers, paymentEvents)
        (copy.insertedSales, copy.insertedLines) = (insertedSales, insertedLines)
        copy.capacity = capacity
        copy.isEveryNumberReserved = isEveryNumberReserved
        copy.isNoDeadlineMarked = isNoDeadlineMarked
        return copy
    }

    /// The key of a row within its app.
    struct Key<Id: Hashable>: Hashable {
        let bundleId: BundleId
        let id: Id
    }

    /// The largest number of rows of a table, so that a long read does not collect a ledger in memory.
    private var capacity = 512

    /// Keeps what is read ahead for the closures of a group until they have run.
    func makeRoom(for rows: Int) {
        capacity = max(capacity, 2 * rows)
        paymentEvents.makeRoom(for: rows)
    }

    func keep(_ token: StoredToken?, at key: Key<ExternalPurchaseId>) {
        if tokens.count >= capacity { tokens.removeAll(keepingCapacity: true) }
        tokens[key] = .some(token)
    }

    func keep(_ checkout: Checkout?, at key: Key<CheckoutId>) {
        if checkouts.count >= capacity { checkouts.removeAll(keepingCapacity: true) }
        checkouts[key] = .some(checkout)
    }

    func keep(_ customer: StoredCustomer?, at key: Key<CustomerId>) {
        if customers.count >= capacity { customers.removeAll(keepingCapacity: true) }
        customers[key] = .some(customer)
    }

    func keep(_ sale: StoredSale?, at key: Key<SaleId>) {
        if sales.count >= capacity { sales.removeAll(keepingCapacity: true) }
        sales[key] = .some(sale)
    }

    /// The sale, if it was read or inserted.
    func sale(_ id: SaleId, of bundleId: BundleId) -> StoredSale? {
        sales[Key(bundleId: bundleId, id: id)].flatMap(\.self)
    }

    /// Whether the transaction inserted the sale, and changed nothing but its attribution since.
    func isInserted(_ id: SaleId, of bundleId: BundleId) -> Bool {
        insertedSales.contains(Key(bundleId: bundleId, id: id))
    }

    /// Whether a line of the sale was inserted.
    func hasLines(_ whole: SaleId, of bundleId: BundleId) -> Bool {
        insertedLines[Key(bundleId: bundleId, id: whole)] != nil
    }

    /// Returns the lines of a sale that was inserted, in their order; nil unless all of them are known.
    func lines(of sale: Key<SaleId>) -> [StoredSale]? {
        guard insertedSales.contains(sale) else { return nil }
        let keys = insertedLines[sale] ?? []
        let lines = keys.compactMap { sales[$0].flatMap(\.self) }
        return lines.count == keys.count ? lines : nil
    }

    /// Forgets the rows that a change may modify, before it is applied.
    ///
    /// Triggers modify tokens with reports, and an erasure modifies every table, so only changes that certainly leave
    /// the other rows alone keep them. A sale may name any token. A sale's row is read with its report and its newest version.
    func forgetRows(changedBy change: LedgerChange) {
        answers.forget(changedBy: change) { id, bundleId in
            let key = Key(bundleId: bundleId, id: id)
            return insertedSales.contains(key) ? sales[key].flatMap(\.self) : nil
        }
        switch change {
        case .insertToken(let token):
            tokens[Key(bundleId: token.token.bundleId, id: token.token.externalPurchaseId)] = nil
        case .putCheckout(let checkout):
            checkouts[Key(bundleId: checkout.bundleId, id: checkout.checkoutId)] = nil
        case .updateToken(let token), .completeToken(let token), .setCustomer(let token, _, _):
            tokens[Key(bundleId: token.token.bundleId, id: token.token.externalPurchaseId)] = nil
        case .insertSale(let sale):
            sales[Key(bundleId: sale.sale.bundleId, id: sale.sale.saleId)] = nil
            forgetUnreferencedTokens()
        case .attributeSale(let attribution, let sale, let bundleId):
            let key = Key(bundleId: bundleId, id: sale)
            if insertedSales.contains(key), var known = sales[key].flatMap(\.self) {
                // Nothing else of its row changes with it.
                known.attribution = attribution
                sales[key] = known
            } else {
                sales[key] = nil
            }
            forgetUnreferencedTokens()
        case .addSaleVersion(let version):
            insertedSales.remove(Key(bundleId: version.sale.bundleId, id: version.sale.saleId))
            sales[Key(bundleId: version.sale.bundleId, id: version.sale.saleId)] = nil
            forgetUnreferencedTokens()
        case .recordObservation:
            forgetUnreferencedTokens()
        case .insertCustomer, .recordClaim, .recordTap, .setTokenAside, .insertSaleChange, .closeSaleChange,
            .openReview, .resolveReview, .insertPaymentEvent, .updatePaymentEvent, .putPaymentObject, .redeliver:
            break
        case .eraseCustomer, .purge:
            customers.removeAll()
            forgetRecords()
        default:
            forgetRecords()
        }
    }

    /// Keeps ascending numbers, which are above those that are kept.
    func keep(_ new: [Int64], of table: String) {
        numbers[table] = new.reversed() + (numbers[table] ?? [])
    }

    /// Forgets every row.
    func removeAll() {
        auditHead = nil
        deadlineRules = nil
        isNoDeadlineMarked = false
        numbers.removeAll()
        answers.removeAll()
        customers.removeAll()
        forgetRecords()
    }

    private func forgetRecords() {
        tokens.removeAll(keepingCapacity: true)
        checkouts.removeAll(keepingCapacity: true)
        sales.removeAll(keepingCapacity: true)
        paymentEvents.removeAll()
        insertedSales.removeAll(keepingCapacity: true)
        insertedLines.removeAll(keepingCapacity: true)
        forgetUnreferencedTokens()
    }

    private func forgetUnreferencedTokens() {
        unreferencedTokens.removeAll(keepingCapacity: true)
        unreferencedTokensBySequence.removeAll(keepingCapacity: true)
    }

    /// Keeps the row that a change has written.
    func keepRow(of change: LedgerChange, at sequence: Int64) {
        switch change {
        case .insertToken(var token):
            token.sequence = sequence
            let key = Key(bundleId: token.token.bundleId, id: token.token.externalPurchaseId)
            keep(token, at: key)
            if unreferencedTokens.count >= capacity { forgetUnreferencedTokens() }
            unreferencedTokens.insert(key)
            unreferencedTokensBySequence[sequence] = token
        case .updateToken(let token):
            let key = Key(bundleId: token.token.bundleId, id: token.token.externalPurchaseId)
            keep(token, at: key)
            if unreferencedTokens.contains(key) { unreferencedTokensBySequence[token.sequence] = token }
        case .completeToken(let token), .setCustomer(let token, _, _):
            unreferencedTokens.remove(Key(bundleId: token.token.bundleId, id: token.token.externalPurchaseId))
            unreferencedTokensBySequence[token.sequence] = nil
        case .putCheckout(let checkout):
            keep(checkout, at: Key(bundleId: checkout.bundleId, id: checkout.checkoutId))
        case .insertSale(let sale):
            let key = Key(bundleId: sale.sale.bundleId, id: sale.sale.saleId)
            if let whole = sale.partOf {
                insertedLines[Key(bundleId: key.bundleId, id: whole), default: []].append(key)
            }
            if let record = SaleRow.inserted(sale, at: sequence) {
                keep(record, at: key)
                insertedSales.insert(key)
            }
        case .insertPaymentEvent(var event):
            event.sequence = sequence
            paymentEvents.note(event)
        case .updatePaymentEvent(let event):
            paymentEvents.note(event)
        case .insertCustomer(var customer):
            customer.sequence = sequence
            keep(customer, at: Key(bundleId: customer.bundleId, id: customer.customerId))
        default:
            break
        }
    }
}
