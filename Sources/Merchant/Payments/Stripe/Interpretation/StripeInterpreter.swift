import ExternalPurchaseCore
package import Ledger

/// Turns events of Stripe into sales.
///
/// The result depends on the set of events only, not on their order or on repetitions. What is missing lets an event
/// wait; once a sale is in ``PaymentReading/sales``, a later event adds what the sale lacks (checkout, customer, token,
/// tax, tax country) and changes nothing else.
package struct StripeInterpreter: Sendable {
    /// The version of the interpretation, which stands beside each event that it decided; `stripe reinterpret` applies a newer one.
    package static let version: Int64 = 1

    /// The entries of the configuration whose signing secret the events have.
    let accounts: [PaymentAccount]
    /// True if an API key is configured, so that what an event leaves out is worth waiting for.
    let canFetch: Bool

    package init(accounts: [PaymentAccount], canFetch: Bool) {
        self.accounts = accounts
        self.canFetch = canFetch
    }

    /// Interprets events.
    ///
    /// Events that share a payment object (``StripeEvent/objectIds``, ``StripeFetched/objectIds(of:)``) must be given
    /// together; further events do not matter.
    ///
    /// - Parameters:
    ///   - events: the events in any order, also repeatedly.
    ///   - fetched: answers to requests of earlier readings.
    ///   - standing: the sales with ids of these objects that the ledger holds and that are not void. They keep what
    ///     they say. A difference that `charge.refunded` told stays among them, and absorbs the refunds that arrive
    ///     later with ids of their own.
    ///   - retracted: the refunds of which events had at least one line retracted; those of which a line is left stand.
    ///   - posted: the sales that name a payment of these events; its events give none.
    ///   - postedRefunds: the refunds that callers sent of these payments under Stripe's ids.
    ///   - known: what the ledger knows of the payments' references.
    package func interpret(
        _ events: [StripeEvent],
        fetched: StripeFetched = StripeFetched(),
        standing: [Sale] = [],
        retracted: Set<SaleId> = [],
        posted: [Sale] = [],
        postedRefunds: [Sale] = [],
        known references: PaymentReferences = PaymentReferences()
    ) -> PaymentReading {
        var reading = PaymentReading()
        var used: [StripeEvent] = []
        var seen: Set<String> = []
        for event in events.sorted(by: StripeEvent.areInOrder) where seen.insert(event.id).inserted {
            if event.kind == nil {
                reading.outcomes[event.id] = .notUsed(PaymentReason(.type, "no \(event.type.printable) gives a sale"))
            } else if !accounts.contains(where: { $0.account == event.account }) {
                let name = event.account.map { "the account \($0.quoted)" } ?? "the endpoint's own account"
                reading.outcomes[event.id] = .notUsed(PaymentReason(.account, "no app sells through \(name)"))
            } else if event.objectId == nil {
                reading.outcomes[event.id] = .held(PaymentReason(.member, "the object has no id"))
            } else if let isLive = event.object.objectValue?["livemode"]?.boolValue, isLive != event.isLive {
                reading.outcomes[event.id] = .held(
                    PaymentReason(
                        .environment,
                        "the event is of \(event.isLive ? "live" : "test") mode, its object of the other"
                    )
                )
            } else {
                used.append(event)
            }
        }
        let posted = Dictionary(grouping: posted.filter { $0.payment != nil }) { StripeObjectId($0.payment?.id ?? "") }
        for event in removeOldPayments(from: &used, told: references.told, posted: Set(posted.keys)) {
            let reason = PaymentReason(.beforeFrom, "the payment is older than the configuration's 'from'")
            reading.outcomes[event.id] = .notUsed(reason)
        }
        let known = Dictionary(standing.map { ($0.saleId, $0) }) { first, _ in first }
        for group in StripeGroups.connected(used, fetched: fetched) {
            reading.add(
                interpret(group: group, fetched: fetched, standing: known, retracted, posted, postedRefunds, references)
            )
        }
        reading.sort()
        return reading
    }

    private func interpret(
        group: [StripeEvent],
        fetched: StripeFetched,
        standing: [SaleId: Sale],
        _ retracted: Set<SaleId>,
        _ posted: [StripeObjectId: [Sale]],
        _ postedRefunds: [Sale],
        _ references: PaymentReferences
    ) -> PaymentReading {
        guard let first = group.first else { return PaymentReading() }
        guard group.allSatisfy({ $0.isLive == first.isLive }) else {
            // Money moved in live mode: its events count, and those of test mode do not stop them.
            let live = group.filter(\.isLive)
            var reading = interpret(
                group: live,
                fetched: fetched,
                standing: standing,
                retracted,
                posted,
                postedRefunds,
                references
            )
            let reason = PaymentReason(
                .environment,
                "events of live mode name the same objects as this one of test mode"
            )
            for event in group where !event.isLive { reading.outcomes[event.id] = .held(reason) }
            return reading
        }
        let accounts = accounts.filter { $0.account == first.account }
        var interpretation = GroupInterpretation(
            accounts: accounts,
            canFetch: canFetch,
            fetched: fetched,
            standing: standing,
            retracted: retracted,
            posted: posted,
            postedRefunds: postedRefunds,
            isLive: first.isLive,
            events: group
        )
        var reading = interpretation.read()
        reading.take(
            group,
            of: accounts,
            paid: interpretation.payments(),
            canFetch: canFetch,
            isPosted: interpretation.isPosted,
            references
        )
        return reading
    }

    /// Takes out the events of payments that are older than the configuration allows, with what was given back of them.
    ///
    /// A payment that gave a sale, or of which a caller sent one, stays: what is given back of it is owed to Apple.
    private func removeOldPayments(
        from events: inout [StripeEvent],
        told: Set<String>,
        posted: Set<StripeObjectId>
    ) -> [StripeEvent] {
        guard accounts.contains(where: { $0.from != nil }) else { return [] }
        func connected(with objects: Set<StripeObjectId>) -> Set<StripeObjectId> {
            var objects = objects
            while true {
                let more = events.map { $0.objectIds.filter(\.isOfOnePayment) }
                    .filter { !$0.isDisjoint(with: objects) }.reduce(objects) { $0.union($1) }
                guard more != objects else { return objects }
                objects = more
            }
        }
        func objects(of events: some Sequence<StripeEvent>) -> Set<StripeObjectId> {
            events.reduce(into: []) { $0.formUnion($1.objectIds.filter(\.isOfOnePayment)) }
        }
        let kept = connected(with: objects(of: events.lazy.filter { told.contains($0.id) }).union(posted))
        let old = connected(with: objects(of: events.lazy.filter { $0.isOlder(than: accounts) }).subtracting(kept))
        let removed = events.filter { !$0.objectIds.isDisjoint(with: old) && $0.objectIds.isDisjoint(with: kept) }
        events.removeAll(where: removed.contains)
        return removed
    }
}

extension StripeEvent {
    /// The order in which events are read: by time, then by id.
    static func areInOrder(_ left: StripeEvent, _ right: StripeEvent) -> Bool {
        (left.created, left.id) < (right.created, right.id)
    }
}

extension PaymentReading {
    fileprivate mutating func add(_ other: PaymentReading) {
        sales += other.sales
        withdrawals += other.withdrawals
        outcomes.merge(other.outcomes) { first, _ in first }
        payments.merge(other.payments) { first, _ in first }
        notes.merge(other.notes) { first, _ in first }
        statements += other.statements
        requests += other.requests
    }

    fileprivate mutating func sort() {
        sales.sort {
            ($0.sale.rank, $0.sale.occurredAt, $0.sale.saleId) < ($1.sale.rank, $1.sale.occurredAt, $1.sale.saleId)
        }
        withdrawals.sort { $0.saleId < $1.saleId }
        requests = Set(requests).sorted { $0.path < $1.path }
    }
}

extension Sale {
    /// A sale comes after those that it refers to.
    fileprivate var rank: Int {
        switch kind {
        case .purchase, .order, .subscription, .cancellation, .lapse: 0
        case .refund: 1
        case .chargebackReversal: 2
        }
    }
}
