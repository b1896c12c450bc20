import ExternalPurchaseCore
import Ledger
import Payments

/// The connected events of one event, and what they mean.
struct StripeGroup {
    var events: [StoredPaymentEvent] = []
    var fetched = StripeFetched()
    var reading = StripeReading()
    /// The references that the ledger knew before.
    var known: Set<PaymentReference> = []

    var references: Set<PaymentReference> {
        Set(events.flatMap(\.objects).compactMap(PaymentReference.init(name:)))
    }
}

/// Reads stored events of Stripe together with those that they are connected with.
struct StripeGroupReader: Sendable {
    let settings: StripeSettings
    /// The time for which a payment waits for the token of its checkout.
    let tokenWait: Duration
    let now: Timestamp

    /// Collects connected events and fetched objects until no more of them are connected.
    func group(
        of event: StoredPaymentEvent,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> StripeGroup {
        var group = StripeGroup(events: [event])
        var objects = event.paymentObjects
        let apps = settings.appsOfEndpoint(event.apps)
        while true {
            group.events = try ledger.paymentEvents(about: objects, of: .stripe)
                .filter { !apps.isDisjoint(with: $0.apps) }
                .filter { $0.result.state != .dismissed || $0.eventId == event.eventId }
            if group.events.isEmpty { group.events = [event] }
            let connected = group.events.reduce(into: objects) { $0.formUnion($1.paymentObjects) }
            if connected != objects {
                objects = connected
                continue
            }
            group.known = try knownReferences(of: group, in: ledger)
            group.reading = try interpret(group, in: ledger)
            var isComplete = true
            for request in group.reading.requests where group.fetched.answers[request] == nil {
                let name = settings.storedName(of: request, for: event.apps)
                guard let object = try ledger.fetchedPaymentObject(name, of: .stripe) else { continue }
                group.fetched.answers[request] = object.content.arrayValue ?? []
                objects.formUnion(group.fetched.objectIds(of: request).map(\.rawValue))
                isComplete = false
            }
            if isComplete { return group }
        }
    }

    private func interpret(_ group: StripeGroup, in ledger: LedgerQueries) throws(LedgerError) -> StripeReading {
        var events: [StripeEvent] = []
        var standing: [Sale] = []
        var ids: Set<SaleId> = []
        var retracted: Set<SaleId> = []
        for stored in group.events {
            do throws(StripeEventError) {
                events.append(try StripeEvent(json: stored.content, isStored: true))
            } catch {
                throw .corrupt("the payment event \(stored.eventId) cannot be read: \(error)")
            }
            ids.formUnion(stored.result.sales)
        }
        for id in ids.sorted() {
            guard let sale = try sale(id, of: group, in: ledger), !sale.isVoid else { continue }
            if sale.sale.refund != nil {
                let lines = try ledger.lines(of: sale)
                for part in [sale] + lines where part.isRetracted {
                    if try isRetractedByEvents(part, in: ledger) { retracted.insert(sale.sale.saleId) }
                }
                // A refund that a correction retracted gives nothing back, nor does one of an order line by line.
                if sale.standing == .retracted || !lines.isEmpty && lines.allSatisfy(\.isRetracted) { continue }
            }
            standing.append(sale.sale)
        }
        let entries = entries(of: group)
        return StripeInterpreter(
            accounts: entries.map(\.account),
            canFetch: entries.contains { $0.api != nil }
        ).interpret(
            events,
            fetched: group.fetched,
            standing: standing,
            retracted: retracted,
            posted: try posted(for: group, in: ledger),
            known: StripeReferences(
                known: group.known,
                told: Set(group.events.lazy.filter { !$0.result.sales.isEmpty }.map(\.eventId.rawValue)),
                now: now,
                receivedAt: group.events.map(\.receivedAt).max() ?? now,
                wait: tokenWait
            )
        )
    }

    /// Whether a sale was retracted because of events, which a person may have confirmed, and not by a person's own wish.
    private func isRetractedByEvents(_ sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) -> Bool {
        for version in try ledger.versions(of: sale.sale.saleId, app: sale.sale.bundleId)
        where version.change == .retracted {
            guard let id = version.correctionId else { continue }
            if try ledger.correction(id, of: sale.sale.bundleId)?.requestedBy == StripeApplication.author {
                return true
            }
        }
        return false
    }

    /// The sales that callers sent for the payments of a group.
    private func posted(for group: StripeGroup, in ledger: LedgerQueries) throws(LedgerError) -> [Sale] {
        var sales: [Sale] = []
        // Who sells for one app of a shared account says nothing of payments that name another one.
        let named = Set(group.events.compactMap(\.bundleId))
        let apps = named.isEmpty ? Set(group.events.flatMap(\.apps)) : named
        for id in Set(group.events.flatMap(\.paymentObjects)).sorted() {
            for app in apps.sorted() {
                for sale in try ledger.sales(.payment(id, of: app), LedgerPage(limit: 100))
                where sale.sale.payment == PaymentLink(provider: .stripe, id: id) && sale.countsForPayment {
                    sales.append(sale.sale)
                }
            }
        }
        return sales
    }

    /// The checkouts of a group that a token named, and the customers with a payment of an external purchase.
    private func knownReferences(
        of group: StripeGroup,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Set<PaymentReference> {
        let apps = settings.appsOfEndpoint(Array(Set(group.events.flatMap(\.apps))))
        var known: Set<PaymentReference> = []
        for reference in group.references {
            switch reference {
            case .checkout(let id):
                for app in apps.sorted() where try ledger.checkout(id, of: app)?.externalPurchaseId != nil {
                    known.insert(reference)
                }
            case .customer:
                if try ledger.isReferenced(reference, of: .stripe, apps: apps) { known.insert(reference) }
            }
        }
        return known
    }

    func entries(of group: StripeGroup) -> [StripeSettings.Entry] {
        settings.entries(of: Set(group.events.flatMap(\.apps)).sorted())
    }

    /// The sale of an id that an event of the group gave.
    func sale(
        _ id: SaleId,
        of group: StripeGroup,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> StoredSale? {
        for app in Set(group.events.flatMap(\.apps)).sorted() {
            if let sale = try ledger.sale(id, of: app) { return sale }
        }
        return nil
    }
}
