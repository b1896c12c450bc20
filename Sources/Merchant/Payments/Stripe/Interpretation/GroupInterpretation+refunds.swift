import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads the refunds of every payment.
    ///
    /// A refund counts once: under its own id, or in the difference that `charge.refunded` told before its own event
    /// arrived.
    mutating func readRefunds() {
        for var payment in refundedPayments() {
            guard payment.isAlive else {
                for (refund, events) in payment.refunds { close(refund, events) }
                continue
            }
            do throws(NoSale) {
                let purchases = try purchases(charge: payment.charge, intent: payment.intent)
                payment.add(postedRefunds, of: purchases)
                read(payment, of: purchases)
            } catch {
                for (refund, events) in payment.refunds where !close(refund, events) {
                    set(error.outcome, for: events)
                }
                for total in payment.totals { set(error.outcome, for: total.events) }
            }
        }
    }

    /// Sets the outcome of a refund that has not given money back.
    ///
    /// - Returns: false for a refund that has.
    @discardableResult
    private mutating func close(_ refund: StripeRefund, _ events: [StripeEvent]) -> Bool {
        switch refund.state {
        case .succeeded:
            return false
        case .pending:
            let reason = PaymentReason(.refundPending, "the refund has not given the money back yet")
            set(.waiting(reason, isAlert: false), for: events)
        case .failed:
            set(.notUsed(PaymentReason(.refundFailed, "the refund failed or was canceled")), for: events)
            let saleIds = standingSaleIds(of: refund.id.rawValue)
            for saleId in saleIds { withdraw(saleId, .refundFailed, by: events) }
            if saleIds.isEmpty, refund.succeededOnce {
                withdraw(SaleId(refund.id.rawValue), .refundFailed, by: events)
            }
        }
        return true
    }

    private mutating func read(_ payment: PaymentRefunds, of purchases: [Sale]) {
        guard let currency = payment.refunds.first?.refund.currency ?? payment.totals.first?.currency else { return }
        var differences = StandingDifference.all(of: payment.charge, in: standing, currency)
        if purchases.contains(where: { unreported[$0.saleId] ?? 0 > 0 }) {
            addOtherParts(to: &differences, of: payment)
        }
        let capacity = differences.reduce(0) { $0 &+ $1.amount }
        var own: [(refund: StripeRefund, events: [StripeEvent])] = []
        var absorbed: [(refund: StripeRefund, events: [StripeEvent])] = []
        var covered: Int64 = 0
        let told = payment.totals.filter { !standingSaleIds(of: $0.saleId).isEmpty }.map(\.lastTold).max()
        for (refund, events) in payment.refunds {
            let isStanding = events.isEmpty || !standingSaleIds(of: refund.id.rawValue).isEmpty
            // What had failed before the sum was told is not in it.
            let isBefore = refund.state == .failed && told.map { refund.changedAt < $0 } ?? false
            if !isStanding, !isBefore, refund.amount <= capacity - covered {
                covered += refund.amount
                absorbed.append((refund, events))
            } else {
                own.append((refund, events))
            }
        }
        var replaced: Set<SaleId> = []
        var behind: [(refund: StripeRefund, events: [StripeEvent])] = []
        let failed = absorbed.filter { $0.refund.state == .failed }.flatMap(\.events)
        if !failed.isEmpty {
            // The difference is wrong now: the refunds that it contained count by themselves, once it counts no more.
            // Reported beside it, more would be given back than the customer got.
            for difference in differences {
                withdraw(difference.sale.saleId, .refundFailed, by: failed)
                replaced.insert(difference.sale.saleId)
            }
            own += absorbed.filter { $0.refund.state == .failed }
            behind = absorbed.filter { $0.refund.state != .failed }
            let reason = PaymentReason(
                .correction,
                "\(replaced.map(\.rawValue).sorted().joined(separator: ", ")) contains it and a refund that failed, and is "
                    + "taken back first"
            )
            for (_, events) in behind { set(.waiting(reason, isAlert: false), for: events) }
            (absorbed, differences) = ([], [])
        }
        let isPartLeft = differences.contains { retracted.contains($0.sale.saleId) }
        if failed.isEmpty, isPartLeft || payment.isToldTwice(by: own.map(\.refund), beside: capacity) {
            // The difference was told before a refund was known that is more than it, or whose predecessor had failed, or a
            // part of it is taken back already. The refunds tell everything by themselves, once it is taken back.
            let names = differences.map(\.sale.saleId.rawValue).joined(separator: ", ")
            let new = own.filter { refund, _ in
                refund.state == .succeeded && standingSaleIds(of: refund.id.rawValue).isEmpty
            }
            let ids = Set(new.map(\.refund.id))
            behind = new + absorbed
            own.removeAll { ids.contains($0.refund.id) }
            let reason = PaymentReason(.correction, "\(names) contains a part of it, and is taken back first")
            for (_, events) in behind { set(.waiting(reason, isAlert: false), for: events) }
            // A sum that was read with less of an authorisation had another name.
            let told = Set(payment.totals.map { SaleId($0.saleId) })
            for difference in differences where !told.contains(difference.name) {
                withdraw(difference.sale.saleId, .toldByRefund, by: payment.totals.flatMap(\.events))
            }
            (absorbed, differences) = ([], [])
        }
        for difference in differences { _ = try? emit(difference.sale) }
        for (_, events) in absorbed { set(.used(differences.map(\.sale.saleId)), for: events) }
        read(own, of: purchases)
        read(
            payment.totals,
            told: differences.reduce(0) { $0 &+ $1.amount },
            named: (own + behind).map(\.refund),
            standing: Set(differences.map(\.sale.saleId)),
            replaced: replaced,
            of: purchases
        )
    }

    /// Adds what differences gave back of shipping, which the ledger's sales of them do not have: what their sums were more than the
    /// refunds that were known then.
    private mutating func addOtherParts(to differences: inout [StandingDifference], of payment: PaymentRefunds) {
        var told: Int64 = 0
        for total in payment.totals {
            let saleIds = Set(standingSaleIds(of: total.saleId))
            let places = differences.indices.filter { saleIds.contains(differences[$0].sale.saleId) }
            guard let first = places.first else { continue }
            let named = payment.refunds.filter { refund, _ in
                refund.created <= total.lastTold && !standingSaleIds(of: refund.id.rawValue).isEmpty
            }
            let whole = max(0, named.reduce(total.amount &- told) { $0 &- $1.refund.amount })
            wholeAmounts[total.saleId] = whole
            told &+= whole
            for place in places { differences[place].amount = place == first ? whole : 0 }
        }
    }

    /// Reads the refunds that count under their own ids.
    private mutating func read(_ refunds: [(refund: StripeRefund, events: [StripeEvent])], of purchases: [Sale]) {
        for (refund, events) in refunds where !events.isEmpty && !close(refund, events) {
            do throws(NoSale) {
                let drafts = try givingBack(
                    refund.id.rawValue,
                    amount: refund.amount,
                    refund.currency,
                    of: purchases,
                    at: refund.created
                )
                for draft in drafts { try emit(draft) }
                set(.used(drafts.map(\.saleId)), for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    /// Reads the sums, the smaller ones first: each gives what is more than everything before.
    ///
    /// A sum contains no refund that was created after its event.
    ///
    /// - Parameters:
    ///   - told: the sum of the differences that the ledger holds.
    ///   - named: the refunds that count under their own ids, pending and failed ones included.
    ///   - replaced: differences whose content counts by itself now.
    private mutating func read(
        _ totals: [PaymentRefunds.Total],
        told: Int64,
        named: [StripeRefund],
        standing: Set<SaleId>,
        replaced: Set<SaleId>,
        of purchases: [Sale]
    ) {
        var told = told
        for total in totals {
            let saleIds = standingSaleIds(of: total.saleId)
            if !saleIds.isEmpty, standing.isSuperset(of: saleIds) {
                set(.used(saleIds), for: total.events)
                continue
            }
            guard let event = total.events.first else { continue }
            // A sum contains no refund that had failed before.
            let counted = named.reduce(told) { sum, refund in
                let isContained =
                    refund.created <= event.created && (refund.state != .failed || refund.changedAt >= event.created)
                return isContained ? sum &+ refund.amount : sum
            }
            // In the customer's currency each refund is rounded by itself, and so is the sum.
            let rounding = total.isPresented ? Int64(named.count) * total.currency.coin : 0
            guard total.amount > counted, counted == 0 || total.amount - counted > rounding else {
                for saleId in saleIds + [SaleId(total.saleId)] where !replaced.contains(saleId) {
                    withdraw(saleId, .toldByRefund, by: total.events)
                }
                set(.notUsed(PaymentReason(.known, "the events of the refunds tell them")), for: total.events)
                continue
            }
            guard replaced.isDisjoint(with: saleIds) else {
                let reason = PaymentReason(
                    .amount,
                    "a refund that \(total.saleId) contained failed; of \(total.amount - counted) no event is known"
                )
                set(.held(reason), for: total.events)
                continue
            }
            guard retracted.isDisjoint(with: saleIds + [SaleId(total.saleId)]) else {
                // An id that was taken back tells nothing again: the refund's own event does.
                for saleId in saleIds { withdraw(saleId, .toldByRefund, by: total.events) }
                let reason = PaymentReason(
                    .correction,
                    "\(total.saleId) is taken back; of \(total.amount - counted) the refund's own event is awaited"
                )
                set(saleIds.isEmpty ? .waiting(reason, isAlert: false) : .notUsed(reason), for: total.events)
                continue
            }
            wholeAmounts[total.saleId] = total.amount - counted
            do throws(NoSale) {
                let drafts = try givingBack(
                    total.saleId,
                    amount: total.amount - counted,
                    total.currency,
                    of: purchases,
                    at: event.created
                )
                for draft in drafts { try emit(draft) }
                set(.used(drafts.map(\.saleId)), for: total.events)
                told &+= total.amount &- counted
            } catch {
                set(error.outcome, for: total.events)
            }
        }
    }

    /// The standing sales of a refund: under its id, or under `/1`, `/2` and so on where it concerns several sales, of which
    /// some may have been withdrawn.
    func standingSaleIds(of name: String) -> [SaleId] {
        if standing[SaleId(name)] != nil { return [SaleId(name)] }
        let parts = standing.keys.compactMap { saleId -> (place: Int, saleId: SaleId)? in
            guard saleId.rawValue.hasPrefix("\(name)/"), standing[saleId]?.refund != nil,
                let place = Int(saleId.rawValue.dropFirst(name.count + 1))
            else { return nil }
            return (place, saleId)
        }
        return parts.sorted { $0.place < $1.place }.map(\.saleId)
    }
}

extension GroupInterpretation {
    /// The payments of which something was given back; what cannot be read is held.
    private mutating func refundedPayments() -> [PaymentRefunds] {
        var payments: [StripeObjectId: PaymentRefunds] = [:]
        for (id, events) in objects(.refund) {
            do throws(NoSale) {
                guard let object = events.first.flatMap({ StripeObject($0.object) }),
                    let refund = try StripeRefund(id: id, events: events)
                else { continue }
                let (charge, intent) = (object.id("charge"), object.id("payment_intent"))
                guard let key = key(charge: charge, intent: intent) else {
                    throw NoSale.notUsed(.notOurs, "the refund is of no payment")
                }
                payments[key, default: PaymentRefunds()].add(charge, intent)
                payments[key]?.refunds.append((refund, events))
            } catch {
                set(error.outcome, for: events)
            }
        }
        for (id, events) in objects(.refundedCharge) {
            let (totals, held) = totals(of: id, events)
            for (event, outcome) in held { set(outcome, for: [event]) }
            guard !totals.isEmpty, let object = events.first.flatMap({ StripeObject($0.object) }) else { continue }
            let intent = object.id("payment_intent")
            guard let key = key(charge: id, intent: intent) else { continue }
            payments[key, default: PaymentRefunds()].add(id, intent)
            payments[key]?.totals += totals
        }
        return payments.sorted { $0.key < $1.key }.map { _, payment in
            var payment = payment
            payment.sort()
            return payment
        }
    }

    /// Refunds name the charge, the intent or both: the intent stands for the payment where it is known.
    private func key(charge: StripeObjectId?, intent: StripeObjectId?) -> StripeObjectId? {
        intent ?? charge.flatMap { links.intentOfCharge[$0] } ?? charge
    }

    private func totals(
        of charge: StripeObjectId,
        _ events: [StripeEvent]
    ) -> (totals: [PaymentRefunds.Total], held: [(StripeEvent, PaymentOutcome)]) {
        var byAmount: [Int64: [StripeEvent]] = [:]
        var currencies: [Int64: StripeCurrency] = [:]
        var presented: Set<Int64> = []
        var held: [(StripeEvent, PaymentOutcome)] = []
        for event in events {
            guard let object = StripeObject(event.object) else { continue }
            do throws(NoSale) {
                let (amount, currency) = try object.refunded(without: releases.released(in: object, event, links))
                currencies[amount] = currency
                if object["presentment_details"] != nil { presented.insert(amount) }
                byAmount[amount, default: []].append(event)
            } catch {
                held.append((event, error.outcome))
            }
        }
        let totals = byAmount.compactMap { amount, events in
            currencies[amount].map {
                PaymentRefunds.Total(
                    charge: charge,
                    amount: amount,
                    currency: $0,
                    isPresented: presented.contains(amount),
                    events: events
                )
            }
        }
        return (totals, held)
    }
}

extension PaymentRefunds {
    fileprivate mutating func add(_ charge: StripeObjectId?, _ intent: StripeObjectId?) {
        self.charge = self.charge ?? charge
        self.intent = self.intent ?? intent
    }
}
