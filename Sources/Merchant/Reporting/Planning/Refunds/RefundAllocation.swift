import ExternalPurchaseCore
import Ledger

/// Computes the amount of each refund of a purchase from all its known refunds (RR-23, RR-46).
///
/// - Refunds are processed by date, not by arrival. Among equal dates, stated amounts come before totals, and smaller
///   totals before larger ones.
/// - A stated amount is added to the refunded sum. A total raises the refunded sum to itself, or changes nothing if the
///   sum is already as large. Totals do not include chargebacks.
/// - A refund in a report or a manual export keeps its amount. If that amount includes refunds that arrived later, they
///   are reduced by it, the earliest first. If it is too small, because a refund before a total was corrected to less,
///   the difference is added to the next total. The reported sum therefore does not depend on the order of arrival.
/// - A refund that would exceed the remainder is left out, and the others are computed without it.
/// - The refund of an order is divided among its lines in proportion to their remainder at its date, exactly to the
///   minor unit. A retracted line has no remainder.
struct RefundAllocation: Sendable {
    /// The result for one refund.
    enum Share: Hashable, Sendable {
        /// The amount in units of the currency billed, above 0.
        case amount(Decimal)
        /// Nothing to report: a total contains the refund, or the line has no share of the order's refund.
        case contained
        /// The refund would exceed the remainder (RR-23).
        case aboveBuy
    }

    /// The result by refund, without refunds that are already reported or cannot be counted.
    private(set) var shares: [SaleId: Share] = [:]
    /// The remainder of each purchase, order and line after all counted refunds, in units of its currency.
    private(set) var left: [SaleId: Decimal] = [:]
    /// The sum by which the refunds in reports exceed what the rules give for all known refunds, by purchase or order.
    ///
    /// It is negative where reports contain less, because a refund before a total was retracted or corrected to less.
    /// Chargebacks are no part of it.
    private(set) var excess: [SaleId: Decimal] = [:]
    /// The counted refunds of each line with their amounts, in order.
    private var counted: [SaleId: [(id: SaleId, refund: Refund)]] = [:]
    private var lineOf: [SaleId: SaleId] = [:]

    /// The counted refunds of the same line before the given one, with their amounts.
    func earlier(than refund: SaleId) -> [Refund] {
        guard let line = lineOf[refund] else { return [] }
        return (counted[line] ?? []).prefix { $0.id != refund }.map(\.refund)
    }

    /// Returns the remainder of what a refund refunds: of the order for a share of its refund, else of its own line.
    ///
    /// In units of its currency.
    func left(for record: SaleRecord, of buy: SaleRecord) -> Decimal {
        left[record.partOf == nil ? buy.sale.saleId : buy.partOf ?? buy.sale.saleId] ?? 0
    }

    /// Allocates the refunds among the given sales.
    ///
    /// - Parameters:
    ///   - records: purchases and refunds; orders with all their lines.
    ///   - ignored: chargebacks that do not count, although a report holds them.
    init(_ records: [SaleRecord], ignoring ignored: Set<SaleId> = []) {
        guard records.contains(where: { $0.sale.refund != nil }) else { return }
        let byId = Dictionary(records.map { ($0.sale.saleId, $0) }) { first, _ in first }
        let reversed = Set(
            records.compactMap { record in
                record.sale.reversedChargeback.flatMap { byId[$0]?.isReversible(by: record) == true ? $0 : nil }
            }
        )
        var groups: [SaleId: RefundGroup] = [:]
        for record in records {
            guard let purchase = record.sale.purchase, record.partOf == nil || record.report?.state != .retracted else {
                continue
            }
            groups[record.partOf ?? record.sale.saleId, default: RefundGroup()].add(purchase, of: record)
        }
        for record in records {
            let id = record.sale.saleId
            guard let refund = record.sale.refund, let buy = byId[refund.refundOf], let purchase = buy.sale.purchase,
                !ignored.contains(id)
            else { continue }
            if record.report?.state == .retracted {
                if let whole = record.partOf { groups[buy.partOf ?? buy.sale.saleId]?.corrected.insert(whole) }
                continue
            }
            if !record.isSettled,
                reversed.contains(id) && !record.mayBeAtApple
                    || refund.defect(of: record.sale, in: buy.sale, purchase) != nil
            {
                continue
            }
            let group = buy.partOf ?? buy.sale.saleId
            if buy.partOf != nil, buy.report?.state == .retracted {
                // Another line takes the amount; without another line, the refund is held as one of a retracted sale.
                if record.partOf != nil, !record.isSettled, groups[group] != nil { shares[id] = .contained }
                continue
            }
            groups[group]?.add(refund, of: record)
        }
        for (id, group) in groups where !group.isEmpty {
            let result = group.allocate()
            shares.merge(result.shares) { first, _ in first }
            left.merge(result.lines) { first, _ in first }
            left[id] = result.left
            excess[id] = result.excess
            for refund in result.order {
                guard let content = byId[refund.id]?.sale.refund else { continue }
                lineOf[refund.id] = content.refundOf
                counted[content.refundOf, default: []].append((refund.id, content.amounting(to: refund.amount)))
            }
        }
    }
}

extension SaleRecord {
    /// True for a sale in a report or a manual export, or of which Apple says that it has it.
    var isSettled: Bool { report != nil || isHandedOver || reportedAlreadyOn != nil }
}

extension Refund {
    /// The cause that excludes the refund independently of other refunds; nil if there is none.
    func defect(of sale: Sale, in buy: Sale, _ purchase: Purchase) -> HoldCause? {
        if sale.occurredAt < buy.occurredAt { return .refundBeforeBuy }
        if let currency, currency != purchase.currency { return .refundCurrencyDiffers }
        guard let digits = Currency.code(purchase.currency)?.exponent else { return nil }
        let isTooPrecise = [statedAmount, refundedTotal, tax].contains { ($0 ?? 0).exponent < -digits }
        return isTooPrecise ? .refundTooPrecise : nil
    }
}

/// The lines of one purchase or order with all their refunds.
private struct RefundGroup {
    private struct Line {
        let id: SaleId
        let sequence: Int64
        let price: Decimal
    }

    /// A refund as the caller stated it, for one line or for the complete order.
    private struct Event {
        let id: SaleId
        let at: Timestamp
        let sequence: Int64
        let isChargeback: Bool
        /// Nil for a stated amount.
        var total: Decimal?
        var amount: Decimal
        let isOfWholeOrder: Bool
        /// True for a chargeback about which Apple is asked before anything else of the purchase is sent (RR-85).
        let isAskedFirst: Bool
        /// True when a correction stated the amount of a line; then the reported amount counts.
        var isCorrected = false
        /// True when a part that was reported is retracted: what is left of it is what reports still have, even nothing.
        var hasRetractedPart = false
        /// The refund of each line, with its reported amount.
        var pieces: [SaleId: (refund: SaleId, settled: Decimal?)] = [:]

        var isSettled: Bool { hasRetractedPart || pieces.values.contains { $0.settled != nil } }
        var settledSum: Decimal { pieces.values.reduce(0) { $0 + ($1.settled ?? 0) } }

        var settled: Event {
            guard isCorrected, isSettled else { return self }
            var event = self
            (event.total, event.amount) = (nil, settledSum)
            return event
        }

        static func isBefore(_ one: Event, _ other: Event) -> Bool {
            if one.isAskedFirst != other.isAskedFirst { return one.isAskedFirst }
            let ranks = (one.total == nil ? 0 : 1, other.total == nil ? 0 : 1)
            return (one.at, ranks.0, one.total ?? 0, one.sequence, one.id)
                < (other.at, ranks.1, other.total ?? 0, other.sequence, other.id)
        }
    }

    private var lines: [Line] = []
    private var events: [SaleId: Event] = [:]
    /// Refunds with a retracted part; their amount is the part that is still reported.
    var corrected: Set<SaleId> = []
    private var digits = 2

    var isEmpty: Bool { events.isEmpty }

    mutating func add(_ purchase: Purchase, of record: SaleRecord) {
        lines.append(Line(id: record.sale.saleId, sequence: record.sequence, price: purchase.mostRefundable))
        digits = Currency.code(purchase.currency)?.exponent ?? 2
    }

    mutating func add(_ refund: Refund, of record: SaleRecord) {
        let id = record.partOf ?? record.sale.saleId
        var event =
            events[id]
            ?? Event(
                id: id,
                at: record.sale.occurredAt,
                sequence: record.sequence,
                isChargeback: refund.isChargeback,
                total: refund.refundedTotal,
                amount: refund.statedAmount ?? 0,
                isOfWholeOrder: record.partOf != nil,
                isAskedFirst: record.mayBeAtApple
            )
        if record.partOf != nil, !refund.isShare { event.isCorrected = true }
        event.pieces[refund.refundOf] = (record.sale.saleId, record.isSettled ? refund.inclusive : nil)
        events[id] = event
    }

    struct Result {
        var shares: [SaleId: RefundAllocation.Share] = [:]
        var left: Decimal = 0
        /// The remainder of each line.
        var lines: [SaleId: Decimal] = [:]
        var excess: Decimal = 0
        /// The counted refunds in order.
        var order: [(id: SaleId, amount: Decimal)] = []
    }

    func allocate() -> Result {
        let lines = lines.sorted { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
        let ordered = events.values.map { event in
            var event = event
            if corrected.contains(event.id) { (event.isCorrected, event.hasRetractedPart) = (true, true) }
            return event.settled
        }.sorted(by: Event.isBefore)
        var excluded: Set<SaleId> = []
        while true {
            var attempt = Attempt(lines: lines, digits: digits, excluded: excluded)
            guard let tooMuch = attempt.run(ordered) else { return attempt.result }
            excluded.insert(tooMuch)
        }
    }

    /// One computation without the refunds that were found to be too large.
    private struct Attempt {
        let lines: [Line]
        let digits: Int
        let excluded: Set<SaleId>
        var result = Result()

        private struct Wish {
            let event: Event
            let amount: Decimal
            /// The remainder of each line at the time of the refund.
            let left: [SaleId: Decimal]
        }

        init(lines: [Line], digits: Int, excluded: Set<SaleId>) {
            self.lines = lines
            self.digits = digits
            self.excluded = excluded
        }

        /// - Returns: the first refund that gives back more than is left; nil when all fit.
        mutating func run(_ ordered: [Event]) -> SaleId? {
            for event in ordered where excluded.contains(event.id) {
                for piece in event.pieces.values { result.shares[piece.refund] = .aboveBuy }
            }
            let counted = ordered.filter { !excluded.contains($0.id) }
            var sent: [SaleId: Decimal] = [:]
            for event in counted {
                for (line, piece) in event.pieces { sent[line, default: 0] += piece.settled ?? 0 }
            }
            var (wishes, excess) = wishes(of: counted, beside: sent)
            result.excess = excess
            wishes.removeAll { wish in
                guard wish.event.isSettled else { return false }
                // Lines without a part in the report of an order's refund do not get one later.
                for piece in wish.event.pieces.values where piece.settled == nil {
                    result.shares[piece.refund] = .contained
                }
                return true
            }
            for wish in wishes {
                let event = wish.event
                var amount = wish.amount
                if !event.isChargeback, excess > 0 {
                    let contained = min(amount, excess)
                    amount -= contained
                    excess -= contained
                }
                let places = lines(of: event)
                let rooms = places.map { max(0, $0.price - (sent[$0.id] ?? 0)) }
                if event.total != nil, excess < 0 {
                    let missing = max(0, min(-excess, rooms.reduce(0, +) - amount))
                    amount += missing
                    excess += missing
                }
                if amount > rooms.reduce(0, +) { return event.id }
                let parts = parts(of: amount, at: places.map { wish.left[$0.id] ?? 0 }, within: rooms)
                for (place, part) in zip(places, parts) {
                    sent[place.id, default: 0] += part
                    guard let piece = event.pieces[place.id] else { continue }
                    result.shares[piece.refund] = part > 0 ? .amount(part) : .contained
                }
            }
            for event in counted {
                for piece in event.pieces.values {
                    var amount = piece.settled
                    if case .amount(let part)? = result.shares[piece.refund] { amount = part }
                    if let amount, amount > 0 { result.order.append((piece.refund, amount)) }
                }
            }
            for line in lines { result.lines[line.id] = max(0, line.price - (sent[line.id] ?? 0)) }
            result.left = result.lines.values.reduce(0, +)
            return nil
        }

        private func lines(of event: Event) -> [Line] {
            event.isOfWholeOrder ? lines : lines.filter { event.pieces[$0.id] != nil }
        }

        /// The amount of each refund by the rules alone, and the sum by which reports exceed it.
        ///
        /// The excess is negative where reports contain too little.
        ///
        /// - Parameter settled: what reports hold of each line.
        private func wishes(
            of events: [Event],
            beside settled: [SaleId: Decimal]
        ) -> (wishes: [Wish], excess: Decimal) {
            var sent = settled
            var wishes: [Wish] = []
            var excess: Decimal = 0
            var taken: [SaleId: Decimal] = [:]
            var refunded: [SaleId: Decimal] = [:]
            for event in events {
                let places = lines(of: event)
                let before = places.reduce(Decimal(0)) { $0 + (refunded[$1.id] ?? 0) }
                let amount = event.total.map { max(0, $0 - before) } ?? event.amount
                let left = places.map { max(0, $0.price - (taken[$0.id] ?? 0)) }
                var parts: [Decimal]
                if event.isSettled {
                    parts = places.map { event.pieces[$0.id]?.settled ?? 0 }
                    if parts.reduce(0, +) != amount { parts = split(amount, by: parts) }
                    if !event.isChargeback { excess += event.settledSum - amount }
                } else {
                    // A later refund in a report leaves less of a line than there was at the time of this one.
                    let rooms = places.map { max(0, $0.price - (sent[$0.id] ?? 0)) }
                    parts =
                        amount > rooms.reduce(0, +)
                        ? split(amount, by: left.contains { $0 > 0 } ? left : places.map(\.price))
                        : self.parts(of: amount, at: left, within: rooms)
                    for (place, part) in zip(places, parts) { sent[place.id, default: 0] += part }
                }
                wishes.append(
                    Wish(
                        event: event,
                        amount: amount,
                        left: Dictionary(uniqueKeysWithValues: zip(places.map(\.id), left))
                    )
                )
                for (place, part) in zip(places, parts) {
                    taken[place.id, default: 0] += part
                    if !event.isChargeback { refunded[place.id, default: 0] += part }
                }
            }
            return (wishes, excess)
        }

        /// Divides an amount by the lines' remainders at its time; no part exceeds the unreported amount of its line.
        private func parts(of amount: Decimal, at left: [Decimal], within rooms: [Decimal]) -> [Decimal] {
            let weights = zip(left, rooms).map { min($0, $1) }
            let wanted = split(amount, by: weights.contains { $0 > 0 } ? weights : rooms)
            let parts = zip(wanted, rooms).map { min($0, $1) }
            let rest = amount - parts.reduce(0, +)
            guard rest > 0 else { return parts }
            let more = split(rest, by: zip(rooms, parts).map { $0 - $1 })
            return zip(parts, more).map { $0 + $1 }
        }

        private func split(_ amount: Decimal, by weights: [Decimal]) -> [Decimal] {
            weights.count == 1 ? [amount] : MinorUnitShares.split(amount, by: weights, digits: digits)
        }
    }
}
