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
            let figures = figures(of: subscription, knowing: limit, keeping: kept)
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
            let walked = figures(of: charge.subscription, knowing: limit, keeping: [])
            let kept = figures(of: charge.subscription, knowing: limit, keeping: standingStarts(in: walked))
            for figures in [walked[sale.number], kept[sale.number]] { if let figures { found.insert(figures) } }
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

    /// The time that one charge is for.
    private struct Span {
        var number: Int
        var charge: Action.Charge
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
    private func figures(
        of subscription: Int,
        knowing limit: Int,
        keeping kept: Set<Int>
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
                spans.append(Span(number: sale.number, charge: charge))
            }
        }
        return figures
    }

    private func days(of spans: [Span], until stops: [Timestamp], before sale: Sale, knowing limit: Int) -> Int64 {
        // Milliseconds at which paid time begins and ends; the time between is paid while more began than ended.
        var borders: [(at: Int64, change: Int)] = []
        for span in spans where isKept(span.number, at: sale.at, knowing: limit) {
            let start = SimulatedWorld.start + .milliseconds(span.charge.start)
            var end = min(SimulatedWorld.start + .milliseconds(span.charge.end), sale.at)
            for stop in stops where stop > start { end = min(end, stop) }
            guard start < end else { continue }
            borders += [(start.milliseconds, 1), (end.milliseconds, -1)]
        }
        borders.sort { ($0.at, -$0.change) < ($1.at, -$1.change) }
        var (days, depth, began) = (Int64(0), 0, Int64(0))
        for border in borders {
            if depth == 0 { began = border.at }
            depth += border.change
            if depth == 0 { days += (border.at - began) / 86_400_000 }
        }
        return days
    }

    /// Whether a part of a charge is not refunded at a given time.
    private func isKept(_ number: Int, at moment: Timestamp, knowing limit: Int) -> Bool {
        guard let paid = sales[number], case .paid(let payment) = paid.kind, payment.price > 0 else { return false }
        let told = (returns[number] ?? []).compactMap { sales[$0] }.filter { $0.arrival.map { $0 <= limit } ?? false }
        let back = fitting(told, in: payment.price, knowing: limit).reduce(Int64(0)) { sum, given in
            guard case .givenBack(_, let money, _) = given.kind, given.at <= moment,
                !isReversed(given.number, before: moment, knowing: limit)
            else { return sum }
            return sum + money.minor
        }
        return back < payment.price
    }

    /// The refunds of a sale without those that give back more than is left: what Apple has first, then by date (RR-23).
    ///
    /// Those that were won back take no room.
    private func fitting(_ told: [Sale], in price: Int64, knowing limit: Int) -> [Sale] {
        var left = price
        return told.sorted { one, other in
            let ranks = [one, other].map { $0.isAccepted && !$0.isRetracted ? 0 : 1 }
            return (ranks[0], one.at, one.number) < (ranks[1], other.at, other.number)
        }.filter { given in
            guard case .givenBack(_, let money, _) = given.kind else { return false }
            if isReversed(given.number, knowing: limit) { return true }
            guard money.minor <= left else { return false }
            left -= money.minor
            return true
        }
    }
}
