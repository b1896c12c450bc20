import ExternalPurchaseCore
package import Ledger
package import Payments

/// The connected events of one event, and what they mean.
struct PaymentGroup {
    var events: [StoredPaymentEvent]
    let source: any PaymentSource
    var reading = PaymentReading()
    /// The references that the ledger knew before.
    var known: Set<PaymentReference> = []

    var provider: PaymentProvider { source.provider }

    var references: Set<PaymentReference> {
        Set(events.flatMap(\.objects).compactMap(PaymentReference.init(name:)))
    }
}

/// Reads stored events together with those that they are connected with.
struct PaymentGroupReader: Sendable {
    let sources: PaymentSources
    /// The time for which a payment waits for the token of its checkout.
    let tokenWait: Duration
    let now: Timestamp

    /// What is probably read to apply an event, nil for one of no app.
    static func expectedRows(of event: StoredPaymentEvent) -> ExpectedRows? {
        guard let bundleId = event.bundleId ?? event.apps.first else { return nil }
        let objects = event.paymentObjects
        var queries: Set<ExpectedQuery> = [
            .event(event.eventId, of: event.provider), .eventsAbout(objects, of: event.provider),
        ]
        for id in objects { queries.insert(.eventsAbout([id], of: event.provider)) }
        for app in event.bundleId.map({ [$0] }) ?? event.apps {
            for id in objects {
                queries.insert(.sales(.payment(id, of: app), postedPage))
                // The sale of a payment mostly has the id of one of its objects.
                let sale = SaleId(id.rawValue)
                queries.insert(.storedSale(sale, of: app))
                queries.formUnion(SaleCommand.queries(of: sale, app: app))
            }
            if let customer = event.customerId { queries.insert(CustomerPeriods.query(of: customer, app: app)) }
        }
        var checkouts: Set<CheckoutId> = []
        for case .checkout(let id) in event.objects.compactMap(PaymentReference.init(name:)) { checkouts.insert(id) }
        return ExpectedRows(bundleId: bundleId, tokens: [], checkouts: checkouts, queries: queries)
    }

    /// The sales of a payment that are read.
    private static let postedPage = LedgerPage(limit: 100)

    /// Collects connected events and fetched objects until no more of them are connected.
    ///
    /// - Returns: nil where the configuration has no entry of the event's provider.
    func group(
        of event: StoredPaymentEvent,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> PaymentGroup? {
        guard let source = sources[event.provider] else { return nil }
        var group = PaymentGroup(events: [event], source: source)
        var objects = event.paymentObjects
        let apps = source.appsOfEndpoint(event.apps)
        while true {
            group.events = try ledger.paymentEvents(about: objects, of: source.provider)
                .filter { !apps.isDisjoint(with: $0.apps) }
                .filter { $0.result.state != .dismissed || $0.eventId == event.eventId }
            if group.events.isEmpty { group.events = [event] }
            let connected = group.events.reduce(into: objects) { $0.formUnion($1.paymentObjects) }
            if connected != objects {
                objects = connected
                continue
            }
            group.known = try knownReferences(of: group, in: ledger)
            group.reading = try source.interpret(group.events, known(of: group, in: ledger)) {
                request throws(LedgerError) in
                let name = source.storedName(of: request, for: event.apps)
                guard let object = try ledger.fetchedPaymentObject(name, of: source.provider) else { return nil }
                return object.content.arrayValue ?? []
            }
            let found = group.reading.connections.values.reduce(into: objects) { $0.formUnion($1) }
            if found == objects { return group }
            objects = found
        }
    }

    private func known(of group: PaymentGroup, in ledger: LedgerQueries) throws(LedgerError) -> KnownPayments {
        var known = KnownPayments()
        for id in Set(group.events.flatMap(\.result.sales)).sorted() {
            guard let sale = try sale(id, of: group, in: ledger) else { continue }
            if try isWithdrawn(sale, in: ledger) { known.withdrawn.insert(id) }
            if sale.isVoid { continue }
            if sale.sale.refund != nil {
                let lines = try ledger.lines(of: sale)
                for part in [sale] + lines where part.isRetracted {
                    if try isWithdrawn(part, in: ledger) { known.retracted.insert(id) }
                }
                // A refund that a correction retracted gives nothing back, nor does one of an order line by line.
                if sale.standing == .retracted || !lines.isEmpty && lines.allSatisfy(\.isRetracted) { continue }
            }
            known.standing.append(sale.sale)
        }
        known.posted = try posted(for: group, in: ledger)
        // An event that is part of a caller's sale names it too; the sale may have the payment's own id.
        let posted = Set(known.posted.map(\.saleId))
        known.standing.removeAll { posted.contains($0.saleId) }
        known.postedRefunds = try postedRefunds(of: known.standing + known.posted, for: group, in: ledger)
        for event in group.events where !known.isOfKnownCustomer {
            guard let customer = event.customerId else { continue }
            for app in event.apps where try !ledger.tokens(of: customer, app: app).isEmpty {
                known.isOfKnownCustomer = true
            }
        }
        known.references = PaymentReferences(
            known: group.known,
            told: Set(group.events.lazy.filter { !$0.result.sales.isEmpty }.map(\.eventId.rawValue)),
            now: now,
            receivedAt: group.events.map(\.receivedAt).max() ?? now,
            wait: tokenWait
        )
        return known
    }

    /// Whether the events of a payment took a sale back, and no person.
    private func isWithdrawn(_ sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) -> Bool {
        guard sale.isVoid || sale.standing == .retracted, sale.sale.reversedChargeback == nil,
            let last = try ledger.versions(of: sale.sale.saleId, app: sale.sale.bundleId).last
        else { return false }
        let correction = try last.correctionId.flatMap { id throws(LedgerError) in
            try ledger.correction(id, of: sale.sale.bundleId)
        }
        return (last.by ?? correction?.requestedBy).map(PaymentProvider.authors.contains) ?? false
    }

    /// The sales that callers sent for the payments of a group.
    private func posted(for group: PaymentGroup, in ledger: LedgerQueries) throws(LedgerError) -> [Sale] {
        var sales: [Sale] = []
        // Who sells for one app of a shared account says nothing of payments that name another one.
        let named = Set(group.events.compactMap(\.bundleId))
        let apps = named.isEmpty ? Set(group.events.flatMap(\.apps)) : named
        for id in Set(group.events.flatMap(\.paymentObjects)).sorted() {
            for app in apps.sorted() {
                for sale in try ledger.sales(.payment(id, of: app), Self.postedPage)
                where sale.sale.payment == PaymentLink(provider: group.provider, id: id.rawValue)
                    && sale.countsForPayment
                {
                    sales.append(sale.sale)
                }
            }
        }
        return sales
    }

    /// The refunds that callers sent of sales, where a sum that an event tells has them too.
    private func postedRefunds(
        of sales: [Sale],
        for group: PaymentGroup,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [Sale] {
        guard group.events.contains(where: { $0.type == "charge.refunded" }) else { return [] }
        let told = Set(group.events.flatMap(\.result.sales))
        var refunds: [Sale] = []
        for (app, sales) in Dictionary(grouping: sales.filter { !$0.purchases.isEmpty }, by: \.bundleId) {
            let buys = sales.flatMap { sale in
                [sale.saleId] + (sale.lines ?? []).indices.map { SaleId("\(sale.saleId)/\($0 + 1)") }
            }
            refunds += try ledger.refunds(ofEach: buys, app: app)
                .filter { PaymentObjectName($0.sale.saleId.rawValue).isStripeRefund && !told.contains($0.sale.saleId) }
                .filter { $0.countsForPayment && $0.sale.refund?.isChargeback == false }
                .map(\.sale)
        }
        return refunds.sorted { $0.saleId < $1.saleId }
    }

    /// The checkouts of a group that a token named, and the customers with a payment of an external purchase.
    private func knownReferences(
        of group: PaymentGroup,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Set<PaymentReference> {
        let apps = group.source.appsOfEndpoint(Array(Set(group.events.flatMap(\.apps))))
        var known: Set<PaymentReference> = []
        for reference in group.references {
            switch reference {
            case .checkout(let id):
                for app in apps.sorted() where try ledger.checkout(id, of: app)?.externalPurchaseId != nil {
                    known.insert(reference)
                }
            case .customer:
                if try ledger.isReferenced(reference, of: group.provider, apps: apps) { known.insert(reference) }
            }
        }
        return known
    }

    /// The sale of an id that an event of the group gave.
    func sale(
        _ id: SaleId,
        of group: PaymentGroup,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> StoredSale? {
        for app in Set(group.events.flatMap(\.apps)).sorted() {
            if let sale = try ledger.sale(id, of: app) { return sale }
        }
        return nil
    }
}

/// The payment providers of the configuration.
package struct PaymentSources: Sendable {
    private let sources: [PaymentProvider: any PaymentSource]

    package init(_ sources: [any PaymentSource]) {
        self.sources = Dictionary(sources.map { ($0.provider, $0) }) { first, _ in first }
    }

    package subscript(provider: PaymentProvider) -> (any PaymentSource)? { sources[provider] }

    package var isEmpty: Bool { sources.isEmpty }

    /// The apps whose payments are received.
    var apps: Set<BundleId> { Set(sources.values.flatMap { $0.accounts.map(\.bundleId) }) }
}

extension PaymentProvider {
    /// The name in messages, and as the author of the changes that its events cause.
    package var title: String {
        switch self {
        case .stripe: "Stripe"
        case .paddle: "Paddle"
        case .custom: "custom payments"
        }
    }

    /// The authors of changes that no person made.
    package static let authors = Set(allCases.map(\.title))
}
