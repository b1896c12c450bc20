package import ExternalPurchaseCore

/// A query that a closure will probably run: a database behind a network answers those of all waiting closures at once.
///
/// All rows of its answer have one text in one of their columns, such as the customer of their sales, so that an answer counts
/// until a row with this text is stored.
package enum ExpectedQuery: Hashable, Sendable {
    /// The first page of sales of a customer, a subscription, a payment or an order; others are not asked ahead.
    case sales(SaleQuery, LedgerPage)
    case sale(ofLineItem: LineItemId, of: BundleId)
    case storedSale(SaleId, of: BundleId)
    case refunds(of: SaleId, app: BundleId)
    case changes(of: SaleId, app: BundleId)
    case reviewItems(about: ReviewSubject, app: BundleId)
    case tokens(CustomerTokenQuery, of: CustomerId, app: BundleId)
    case accepted(LineItemId, in: ReportingScope)
    /// The events that wait for a token of a checkout, or a customer.
    case events(with: PaymentReference, of: PaymentProvider)
    case event(PaymentEventId, of: PaymentProvider)
    case eventsAbout(Set<PaymentObjectName>, of: PaymentProvider)

    /// What all rows of an answer have.
    enum Key: Hashable {
        case customerOfSales(CustomerId)
        case subscription(String)
        case payment(PaymentObjectName)
        case whole(SaleId)
        case takenBack(SaleId)
        case changesOf(SaleId)
        case reviewAbout(ReviewSubject)
        case lineItem(LineItemId)
        case customerOfTokens(CustomerId)
        case accepted(LineItemId)
        case objectOfEvents(PaymentObjectName)

        var isOfSales: Bool {
            switch self {
            case .customerOfSales, .subscription, .payment, .whole, .takenBack, .lineItem: true
            case .customerOfTokens, .accepted, .objectOfEvents, .changesOf, .reviewAbout: false
            }
        }
    }

    /// Whether the query is asked ahead.
    var isForeseen: Bool {
        switch self {
        case .event, .eventsAbout, .storedSale: true
        default: key != nil
        }
    }

    /// Nil for events and single sales, which the transaction keeps by their ids, and for queries that are not asked ahead.
    var key: Key? {
        switch self {
        case .sales(let query, _):
            switch query {
            case .customer(let id, _), .pendingOfCustomer(let id, _), .heldOfCustomer(let id, _): .customerOfSales(id)
            case .subscription(let id, _): .subscription(id)
            case .payment(let id, _): .payment(id)
            case .lines(let id, _): .whole(id)
            case .token, .pendingOnToken, .pendingOfCheckout, .naming, .changing, .takingBackSubscription, .state,
                .given, .replaced:
                nil
            }
        case .sale(let item, _): .lineItem(item)
        case .changes(let sale, _): .changesOf(sale)
        case .reviewItems(let subject, _): .reviewAbout(subject)
        case .refunds(let sale, _): .takenBack(sale)
        case .tokens(.customLink, let customer, _): .customerOfTokens(customer)
        case .tokens: nil
        case .accepted(let item, _): .accepted(item)
        case .events(let reference, _): .objectOfEvents(reference.name)
        case .event, .eventsAbout, .storedSale: nil
        }
    }

    var statement: SQLQuery {
        switch self {
        case .sales(let query, let page): query.statement(page)
        case .storedSale(let id, let app): SQLQuery(Query.sale, [app.rawValue, id.rawValue])
        case .changes(let sale, let app): SQLQuery(Query.changesOfSale, [app.rawValue, sale.rawValue])
        case .reviewItems(let subject, let app):
            SQLQuery(Query.reviewAbout, [app.rawValue, subject.columns.kind, subject.columns.id])
        case .sale(let item, let app): SQLQuery(Query.saleOfLineItem, [app.rawValue, item.rawValue])
        case .refunds(let sale, let app): SQLQuery(Query.refunds, [app.rawValue, sale.rawValue])
        case .tokens(let query, let customer, let app): query.statement(of: customer, app)
        case .accepted(let item, let scope):
            SQLQuery(Query.newestAccepted, [scope.bundleId.rawValue, scope.environment.rawValue, item.rawValue])
        case .events(let reference, let provider):
            SQLQuery(Query.paymentEventsToReopen, [provider.rawValue, reference.name.rawValue])
        case .event(let id, let provider): SQLQuery(Query.paymentEvent, [provider.rawValue, id.rawValue])
        case .eventsAbout(let objects, let provider):
            SQLQuery(
                Query.paymentEventsOfObjects,
                [provider.rawValue, JSONValue.array(objects.sorted().map { .string($0.rawValue) }).text]
            )
        }
    }
}

/// Answers to queries that were asked before a closure asks.
struct ExpectedAnswers {
    private var answers: [SQLQuery: [any SQLRow]] = [:]
    private var queries: [ExpectedQuery.Key: Set<SQLQuery>] = [:]

    var isEmpty: Bool { answers.isEmpty }

    func rows(_ sql: String, _ arguments: SQLArguments) -> [any SQLRow]? { answers[SQLQuery(sql, arguments)] }

    func has(_ query: ExpectedQuery) -> Bool { answers[query.statement] != nil }

    mutating func keep(_ rows: [any SQLRow], of query: ExpectedQuery) {
        guard let key = query.key else { return }
        answers[query.statement] = rows
        queries[key, default: []].insert(query.statement)
    }

    mutating func forget(_ keys: [ExpectedQuery.Key]) {
        if answers.isEmpty { return }
        for key in keys {
            for query in queries.removeValue(forKey: key) ?? [] { answers[query] = nil }
        }
    }

    mutating func removeAll() {
        answers.removeAll()
        queries.removeAll()
    }

    /// Forgets what a change may make untrue, before it is applied.
    ///
    /// - Parameter inserted: a sale that the transaction inserted, in its only version, by its id and app.
    mutating func forget(changedBy change: LedgerChange, inserted: (SaleId, BundleId) -> StoredSale?) {
        if answers.isEmpty { return }
        switch change {
        case .insertToken(let token): forget(token.customerId.map { [.customerOfTokens($0)] } ?? [])
        case .updateToken, .completeToken, .setCustomer:
            forget(queries.keys.filter { if case .customerOfTokens = $0 { true } else { false } })
        case .insertSale(let sale): forget(sale.keys)
        case .attributeSale(_, let id, let app):
            forget(inserted(id, app)?.keys ?? queries.keys.filter(\.isOfSales))
        case .addSaleVersion: forget(queries.keys.filter(\.isOfSales))
        case .insertPaymentEvent(let event), .updatePaymentEvent(let event):
            // What an event is connected with later is no reference.
            forget(event.objects.map { .objectOfEvents($0) })
        case .insertSaleChange(let change): forget([.changesOf(change.saleId)])
        case .closeSaleChange(_, of: let sale, _, _): forget([.changesOf(sale)])
        case .openReview(let item): forget([.reviewAbout(item.subject)])
        case .resolveReview:
            // It names the row alone.
            forget(queries.keys.filter { if case .reviewAbout = $0 { true } else { false } })
        case .insertCustomer, .putCheckout, .recordClaim, .recordTap, .recordObservation, .setTokenAside,
            .putPaymentObject, .redeliver:
            break
        default: removeAll()
        }
    }
}

extension StoredSale {
    /// The keys by which ``ExpectedQuery`` finds the sale.
    fileprivate var keys: [ExpectedQuery.Key] {
        var keys: [ExpectedQuery.Key] = [.lineItem(lineItemId)]
        if let id = sale.customerId { keys.append(.customerOfSales(id)) }
        if let id = sale.subscriptionName { keys.append(.subscription(id)) }
        if let id = sale.takenBack { keys.append(.takenBack(id)) }
        if let id = partOf { keys.append(.whole(id)) }
        if let id = sale.payment?.id { keys.append(.payment(PaymentObjectName(id))) }
        return keys
    }
}
