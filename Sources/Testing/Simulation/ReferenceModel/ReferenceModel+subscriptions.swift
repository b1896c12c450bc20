import ExternalPurchaseCore

// The expected events and paid days of subscriptions at a state of knowledge, by event date (RR-30 to RR-34).
extension ReferenceModel {
    /// The figures that a line item states about its subscription.
    struct Figures: Hashable, Sendable, CustomStringConvertible {
        var event: Action.Charge.Event
        /// The sale that started the subscription; nil for that sale itself.
        var start: Int?
        var days: Int64

        var description: String { "\(event.rawValue)\(start.map { " of s\($0)" } ?? "") after \(days) days" }

        init(event: Action.Charge.Event, start: Int?, days: Int64) {
            self.event = event
            self.start = start
            self.days = days
        }

        /// Returns nil for an item without a subscription, or with a reference to none of the shop's sales.
        init?(_ item: ReceivedLineItem) {
            let events: [SubscriptionEvent: Action.Charge.Event] = [
                .start: .start, .renewal: .renewal, .change: .change, .payment: .payment,
            ]
            guard let event = item.subscriptionEvent.flatMap({ events[$0] }),
                let days = item.subscriptionDaysOfPaidService
            else { return nil }
            var start: Int?
            if let reference = item.referenceLineItemId {
                // A start that was reported under a new id, or a line of an order, is not one of the shop's starts.
                guard reference.rawValue.first == "s", let number = Int(reference.rawValue.dropFirst()) else {
                    return nil
                }
                start = number
            }
            self.init(event: event, start: start, days: Int64(days))
        }
    }

    /// The start of a charge's subscription at a state of knowledge; nil while none is known.
    func start(of sale: Sale, knowing limit: Int) -> Sale? {
        guard case .paid(let payment) = sale.kind, let charge = payment.charge,
            let figures = rightFigures(of: charge.subscription, knowing: limit)[sale.number]
        else { return nil }
        return sales[figures.start ?? sale.number]
    }

    /// The expected figures of every reportable charge at a state of knowledge.
    ///
    /// A charge that Apple has as the start stays the start while an earlier charge cannot be reported (E14).
    func rightFigures(of subscription: Int, knowing limit: Int) -> [Int: Figures] {
        var kept: Set<Int> = []
        while true {
            let figures = figures(of: subscription, knowing: limit, keeping: kept, strayPaysNewest: true)
            let more = standingStarts(in: figures).filter { number in
                guard let start = figures[number]?.start.flatMap({ sales[$0] }) else { return false }
                return !start.isAccepted && tokens(for: start, knowing: limit).isEmpty
            }
            if kept.isSuperset(of: more) { return figures }
            kept.formUnion(more)
        }
    }

    /// The charges that Apple has as starts although they should reference a start that Apple does not have.
    private func standingStarts(in figures: [Int: Figures]) -> Set<Int> {
        Set(
            figures.filter { number, right in
                sales[number]?.figures?.event == .start
                    && right.start.map { sales[$0]?.isAccepted != true } ?? false
            }
            .keys
        )
    }

    /// The figures that a charge may state: those expected at any time since the merchant received it.
    func permissibleFigures(of sale: Sale) -> Set<Figures> {
        guard case .paid(let payment) = sale.kind, let charge = payment.charge, let first = sale.arrival else {
            return []
        }
        var found: Set<Figures> = []
        for limit in moments(of: charge.subscription, since: first) {
            for strayPaysNewest in [true, false] {
                let walked = figures(
                    of: charge.subscription,
                    knowing: limit,
                    keeping: [],
                    strayPaysNewest: strayPaysNewest
                )
                let kept = figures(
                    of: charge.subscription,
                    knowing: limit,
                    keeping: standingStarts(in: walked),
                    strayPaysNewest: strayPaysNewest
                )
                for figures in [walked[sale.number], kept[sale.number]] { if let figures { found.insert(figures) } }
            }
        }
        return found
    }

    /// The points at which the knowledge of a subscription or its refunds changed.
    private func moments(of subscription: Int, since first: Int) -> Set<Int> {
        let charges = charges(of: subscription).map(\.0)
        let given = charges.flatMap { returns[$0.number] ?? [] }
        var moments: Set<Int> = [first]
        for number in saleOrder {
            guard let sale = sales[number], let arrival = sale.arrival, arrival > first else { continue }
            let concerns =
                switch sale.kind {
                case .paid(let payment): payment.charge?.subscription == subscription
                case .givenBack: given.contains(number)
                case .ended(let ending): ending.subscription == subscription
                case .reversed(let chargeback): given.contains(chargeback)
                case .ordered: false
                }
            if concerns { moments.insert(arrival) }
        }
        return moments
    }

    /// The differences between the final figures at Apple and the expected ones.
    func figureFaults() -> [String] {
        let subscriptions = Set(
            sales.values.compactMap { sale in
                if case .paid(let payment) = sale.kind { payment.charge?.subscription } else { nil }
            }
        )
        return subscriptions.sorted().flatMap { subscription in
            let right = rightFigures(of: subscription, knowing: knowledge)
            return charges(of: subscription).map(\.0).compactMap { sale -> String? in
                guard sale.isAccepted, let figures = sale.figures, figures != right[sale.number] else { return nil }
                let words = right[sale.number].map { "\($0)" } ?? "that no start is known"
                return "s\(sale.number) stands as \(figures), right is \(words)"
            }
        }
    }

    // MARK: Computation

    private struct Span {
        var number: Int
        var charge: Action.Charge
        /// The charges that pay for the period.
        var payments: [Int]
    }

    private enum Event {
        case charge(Sale, Action.Charge)
        case end(Action.Ending, at: Timestamp)

        var at: Timestamp {
            switch self {
            case .charge(let sale, _): sale.at
            case .end(_, let at): at
            }
        }

        var rank: Int { if case .end = self { 0 } else { 1 } }
    }

    private func events(of subscription: Int, knowing limit: Int) -> [Event] {
        var events: [Event] = []
        for number in saleOrder {
            guard let sale = sales[number], let arrival = sale.arrival, arrival <= limit else { continue }
            switch sale.kind {
            case .paid(let payment):
                if let charge = payment.charge, charge.subscription == subscription {
                    events.append(.charge(sale, charge))
                }
            case .ended(let ending):
                if ending.subscription == subscription { events.append(.end(ending, at: sale.at)) }
            case .givenBack, .reversed, .ordered: break
            }
        }
        return events.enumerated().sorted { left, right in
            (left.element.at, left.element.rank, left.offset) < (right.element.at, right.element.rank, right.offset)
        }
        .map(\.element)
    }

    /// Computes the figures of a subscription at a state of knowledge.
    ///
    /// - Parameters:
    ///   - kept: charges that count as starts regardless of earlier ones.
    ///   - strayPaysNewest: whether a charge inside an unknown period pays for the newest one.
    private func figures(
        of subscription: Int,
        knowing limit: Int,
        keeping kept: Set<Int>,
        strayPaysNewest: Bool
    ) -> [Int: Figures] {
        var figures: [Int: Figures] = [:]
        var start: Int?
        var spans: [Span] = []
        var stops: [Timestamp] = []
        var over: Timestamp?
        for event in events(of: subscription, knowing: limit) {
            switch event {
            case .end(let ending, let at):
                let effect = ending.effectiveAt.map { SimulatedWorld.start.advanced(by: .milliseconds($0)) } ?? at
                stops.append(effect)
                if !ending.isLapse { over = effect }
            case .charge(let sale, let charge):
                let begin = SimulatedWorld.start + .milliseconds(charge.start)
                // The shop states changes and charges inside a period; other events follow from the order.
                let stated: Action.Charge.Event? =
                    charge.event == .change || charge.event == .payment ? charge.event : nil
                if start == nil, stated != nil { continue }
                let isAnew = stated != .payment && over.map { begin > $0 } ?? false
                if start == nil || isAnew || kept.contains(sale.number) {
                    start = sale.number
                    spans = []
                    stops = []
                    over = nil
                    figures[sale.number] = Figures(event: .start, start: nil, days: 0)
                } else {
                    if stated != .payment { over = nil }
                    if stated == .change { stops.append(sale.at) }
                    let days = days(of: spans, until: stops, before: sale, knowing: limit)
                    figures[sale.number] = Figures(event: stated ?? .renewal, start: start, days: days)
                }
                if stated == .payment {
                    let own = spans.lastIndex { $0.charge.start == charge.start }
                    let paid = own ?? (strayPaysNewest ? spans.indices.last : nil)
                    if let paid { spans[paid].payments.append(sale.number) }
                } else {
                    spans.append(Span(number: sale.number, charge: charge, payments: [sale.number]))
                }
            }
        }
        return figures
    }

    private func days(of spans: [Span], until stops: [Timestamp], before sale: Sale, knowing limit: Int) -> Int64 {
        spans.reduce(0) { sum, span in
            guard span.payments.contains(where: { isKept($0, at: sale.at, knowing: limit) }) else { return sum }
            let start = SimulatedWorld.start + .milliseconds(span.charge.start)
            var end = min(SimulatedWorld.start + .milliseconds(span.charge.end), sale.at)
            for stop in stops where stop > start { end = min(end, stop) }
            return sum + max(.zero, start.duration(to: end)).wholeDays
        }
    }

    /// Whether a part of a charge is not refunded at a given time.
    private func isKept(_ number: Int, at moment: Timestamp, knowing limit: Int) -> Bool {
        guard let paid = sales[number], case .paid(let payment) = paid.kind, payment.price > 0 else { return false }
        let back = (returns[number] ?? []).compactMap { sales[$0] }.reduce(Int64(0)) { sum, given in
            guard case .givenBack(_, let money, _) = given.kind, given.at <= moment,
                given.arrival.map({ $0 <= limit }) ?? false,
                !isReversed(given.number, before: moment, knowing: limit)
            else { return sum }
            return sum + money.minor
        }
        return back < payment.price
    }
}
