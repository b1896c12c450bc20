import ExternalPurchaseCore
import Ledger

/// A payment as the newest state of its objects says it: what was sold, and what went back.
///
/// Everything that is reported of it is a function of this state, so that any order of arrival gives the same sales. The
/// sale of a line is `PAYMENT/LINE`; what goes back of it is `PAYMENT/REPAYMENT/LINE`,
/// or `REPAYMENT/LINE` where the provider's ids are of no other payment. What was taken back and is told again is `…~2`.
struct StatedPayment {
    struct Line {
        let id: String
        /// In minor units of the currency, tax included.
        let amount: Int64
        /// Purchase or charge; nil for what is not reported: shipping, and products that the configuration leaves out.
        let kind: Sale.Kind?
    }

    /// A refund, or what a dispute took.
    struct Repayment {
        let id: String
        let occurredAt: Timestamp
        /// In minor units, less what came back of it.
        var amount: Int64
        /// What it takes from single lines, by their ids; empty where it takes a part of everything that is left.
        var lines: [String: Int64] = [:]
        /// The tax in it, by the ids of ``lines``, where the provider states one; else it is the share of the line's tax.
        var taxes: [String: Int64] = [:]
        var isChargeback = false
        /// True where all of it came back.
        var isReturned = false
        /// The event that has its newest state, where that is not the one of the lines.
        var eventId: String?
    }

    let id: String
    let account: PaymentAccount
    let isLive: Bool
    let occurredAt: Timestamp
    let currency: Currency
    var checkoutId: CheckoutId?
    var customerId: CustomerId?
    var externalPurchaseId: ExternalPurchaseId?
    /// True where a name that only this server reads says that the payment belongs to an external purchase.
    var isNamed = false
    /// What may say so once the ledger knows it.
    var references: Set<PaymentReference> = []
    let lines: [Line]
    var repayments: [Repayment]
    /// The event that has the newest state of the lines.
    let eventId: String
    /// True where the provider's ids of repayments are those of no other payment.
    var hasGlobalIds = false

    /// The events of the newest states of what was given back, beside that one.
    var repaymentEventIds: [String] { Set(repayments.compactMap(\.eventId)).sorted() }

    /// All that was paid, in minor units.
    var given: Int64 { lines.reduce(0) { $0 &+ $1.amount } }
    /// All that went back, in minor units.
    var givenBack: Int64 { repayments.reduce(0) { $0 &+ $1.amount } }

    /// The id of a line's sale, as long as it was not taken back.
    func saleId(of line: Line) -> SaleId { SaleId(parts: [id, line.id]) }
    func saleId(of repayment: Repayment, _ line: String? = nil) -> SaleId {
        SaleId(parts: [hasGlobalIds ? nil : id, repayment.id, line].compactMap(\.self))
    }
}

/// The sales of a payment that count in the ledger, and the ids of those that were taken back.
///
/// What was taken back keeps its id: told again, it is another sale, `ID~2`, so that a state that comes and goes ends as its
/// newest version says.
private struct ToldSales {
    private let sales: [SaleId: Sale]
    private let gone: Set<SaleId>

    init(_ known: KnownPayments, in currency: Currency) {
        var sales = Dictionary(known.standing.map { ($0.saleId, $0) }) { first, _ in first }
        var gone = known.withdrawn
        for id in gone { sales[id] = nil }
        // Amounts of a refund are in the currency of its sale: in another one it is another refund.
        let foreign = sales.values.filter { $0.purchases.contains { $0.currency != currency.code } }.map(\.saleId)
        for sale in sales.values where sale.refund.map({ foreign.contains($0.refundOf) }) ?? false {
            if sales[Self.reversal(of: sale.saleId)] == nil { gone.insert(sale.saleId) }
        }
        for id in gone { sales[id] = nil }
        (self.sales, self.gone) = (sales, gone)
    }

    subscript(id: SaleId) -> Sale? { sales[id] }

    /// The sale's id, and those that are decided before it: chargebacks that were won back.
    func place(of id: SaleId) -> (id: SaleId, reversed: [SaleId]) {
        var (place, number, reversed) = (id, 1, [SaleId]())
        while true {
            if sales[Self.reversal(of: place)] != nil {
                reversed.append(place)
            } else if !gone.contains(place) {
                return (place, reversed)
            }
            number += 1
            place = SaleId("\(id)~\(number)")
        }
    }

    static func reversal(of id: SaleId) -> SaleId { SaleId("\(id)/reversal") }
}

// MARK: Reading

extension StatedPayment {
    /// What the payment means for the ledger.
    ///
    /// - Parameter others: the events whose states are older.
    func reading(_ known: KnownPayments, beside others: [String]) -> PaymentReading {
        var reading = PaymentReading()
        let (reference, reason) = reference(known, events: [eventId] + repaymentEventIds + others)
        let paid = MilliUnits(rounding: units(given) * 1_000).flatMap { amount in
            given > 0 ? PaymentEventResult.Payment(id: id, currency: currency.code, amount: amount) : nil
        }
        for event in repaymentEventIds + others {
            reading.payments[event] = PaymentState(reference: reference, payment: nil)
            let detail = "another event has a newer state of the payment"
            reading.outcomes[event] = .notUsed(PaymentReason(.known, detail))
        }
        reading.payments[eventId] = PaymentState(reference: reference, payment: paid)
        if let reason {
            for event in [eventId] + repaymentEventIds { reading.outcomes[event] = reason }
            return reading
        }
        do throws(NoSale) {
            try compareEnvironment(known)
            try read(known, into: &reading)
        } catch {
            for event in [eventId] + repaymentEventIds { reading.outcomes[event] = error.outcome }
        }
        return reading
    }

    /// What was told in one environment is not moved to the other: one of the two is a mistake of the shop.
    private func compareEnvironment(_ known: KnownPayments) throws(NoSale) {
        let own: AppStoreEnvironment = isLive ? .production : .sandbox
        guard let other = known.standing.first(where: { $0.environment.map { $0 != own } ?? false }) else { return }
        throw .held(
            .environment,
            "the payment is of \(own.rawValue) now, and \(other.saleId) was told of \(isLive ? "sandbox" : "production"): send its next "
                + "state with the environment of before, or void what was told of it"
        )
    }

    private func read(_ known: KnownPayments, into reading: inout PaymentReading) throws(NoSale) {
        let told = ToldSales(known, in: currency)
        let places = lines.map { told.place(of: saleId(of: $0)).id }
        let isPosted = !known.posted.isEmpty && !places.contains { told[$0] != nil }
        var purchases: [Sale] = []
        var repaid: [Sale] = []
        if isPosted {
            for repayment in repayments {
                guard let sale = known.posted.first else { continue }
                repaid += sales(of: repayment, repayment.amount, saleId(of: repayment), sale.saleId, told)
            }
        } else {
            purchases = zip(lines, places).compactMap { line, id in line.kind.map { sale(id, occurredAt, $0) } }
            for (repayment, shares) in try shares() {
                for ((line, place), amount) in zip(zip(lines, places), shares) where line.kind != nil {
                    let tax = repayment.taxes[line.id].map(units)
                    repaid += sales(of: repayment, amount, tax: tax, saleId(of: repayment, line.id), place, told)
                }
            }
        }
        let wanted = purchases + repaid
        for sale in wanted where !(1...SaleId.maximumLength).contains(sale.saleId.rawValue.unicodeScalars.count) {
            let most = SaleId.maximumLength
            throw .held(.saleId, "the saleId would have more than \(most) characters: \(sale.saleId.rawValue.quoted)")
        }
        let events = [eventId] + repaymentEventIds
        reading.sales = wanted.map { sale in
            let restated = told[sale.saleId]?.restating(as: sale)
            let isChanged = restated.map { $0.kind != told[sale.saleId]?.kind } ?? false
            return PaymentSale(
                sale: restated ?? sale,
                isLive: isLive,
                restatement: isChanged ? .stated : nil,
                eventIds: events
            )
        }
        // What goes back of a sale is taken back before the sale is.
        let ids = Set(wanted.map(\.saleId))
        let gone = known.standing.filter { !ids.contains($0.saleId) && !known.withdrawn.contains($0.saleId) }
        reading.withdrawals = gone.sorted { ($1.depth, $0.saleId) < ($0.depth, $1.saleId) }
            .map { PaymentWithdrawal(saleId: $0.saleId, reason: .stated, eventIds: events) }
        let kept = try reportedParts()
        let sold = purchases.map(\.saleId) + gone.filter { !$0.purchases.isEmpty }.map(\.saleId)
        reading.statements = [
            PaymentStatement(
                id: id,
                currency: currency.code,
                saleIds: isPosted ? known.posted.map(\.saleId) : sold,
                given: units(given),
                givenBack: units(givenBack),
                beside: isPosted ? 0 : units(given &- kept.given),
                reportedBack: isPosted ? units(givenBack) : units(kept.back)
            )
        ]
        set(wanted, isPosted: isPosted, in: &reading)
    }

    private func set(_ sales: [Sale], isPosted: Bool, in reading: inout PaymentReading) {
        for repayment in repayments {
            guard let event = repayment.eventId else { continue }
            let name = saleId(of: repayment).rawValue
            let own = sales.filter { $0.takenBack != nil && ($0.saleId.rawValue + "/").hasPrefix(name + "/") }
            reading.outcomes[event] =
                own.isEmpty
                ? .notUsed(PaymentReason(.known, "nothing of it is to be told")) : .used(own.map(\.saleId))
        }
        guard sales.isEmpty, reading.withdrawals.isEmpty else {
            reading.outcomes[eventId] = .used(sales.map(\.saleId))
            if let country = sales.compactMap(\.purchase).first(where: { $0.tax == nil })?.taxCountry {
                reading.notes[eventId] = "no tax is stated; the configuration lacks taxRates: {\(country): \"…\"}"
            }
            return
        }
        let reason =
            isPosted
            ? PaymentReason(.known, "a sale of the shop's own names the payment")
            : given == 0
                ? PaymentReason(.nothingPaid, "nothing was paid")
                : PaymentReason(.unreported, "the configuration leaves out everything that the payment sold")
        reading.outcomes[eventId] = .notUsed(reason)
    }

    private func sale(_ id: SaleId, _ moment: Timestamp, _ kind: Sale.Kind) -> Sale {
        Sale(
            saleId: id,
            bundleId: account.bundleId,
            occurredAt: moment,
            customerId: kind.isRepayment ? nil : customerId,
            checkoutId: kind.isRepayment ? nil : checkoutId,
            externalPurchaseId: kind.isRepayment ? nil : externalPurchaseId,
            kind: kind
        )
    }

    /// What a repayment takes from one sale.
    private func sales(
        of repayment: Repayment,
        _ amount: Int64,
        tax: Decimal? = nil,
        _ id: SaleId,
        _ purchase: SaleId,
        _ told: ToldSales
    ) -> [Sale] {
        // Nothing goes back before it was paid.
        let moment = max(occurredAt, repayment.occurredAt)
        let (id, reversed) = told.place(of: id)
        // What was won back stays so; what is taken after all is another chargeback.
        var sales = reversed.flatMap { [told[$0], told[ToldSales.reversal(of: $0)]].compactMap(\.self) }
        if !repayment.isReturned {
            guard amount > 0 else { return sales }
            let refund = Refund(
                refundOf: purchase,
                inclusive: units(amount),
                tax: tax,
                isChargeback: repayment.isChargeback
            )
            sales.append(sale(id, moment, .refund(refund)))
        } else if let chargeback = told[id] {
            // One that was never told needs no reversal.
            sales += [chargeback, sale(ToldSales.reversal(of: id), moment, .chargebackReversal(of: id))]
        }
        return sales
    }
}

extension Sale.Kind {
    fileprivate var isRepayment: Bool {
        switch self {
        case .refund, .chargebackReversal: true
        case .purchase, .order, .subscription, .cancellation, .lapse: false
        }
    }
}

extension Sale {
    /// How many sales stand below it.
    fileprivate var depth: Int { reversedChargeback != nil ? 2 : refund != nil ? 1 : 0 }
}

// MARK: Amounts

extension StatedPayment {
    func units(_ amount: Int64) -> Decimal {
        Decimal(amount) * Decimal(sign: .plus, exponent: -currency.exponent, significand: 1)
    }

    /// What each repayment takes from each line, in minor units.
    ///
    /// What names lines takes from them; the rest is shared by what is left of each, in whole minor units, the largest remainder
    /// first.
    func shares() throws(NoSale) -> [(Repayment, [Int64])] {
        var left = lines.map(\.amount)
        var shared: [(Repayment, [Int64])] = []
        for repayment in repayments where !repayment.lines.isEmpty || repayment.amount == 0 {
            let own = lines.map { repayment.lines[$0.id] ?? 0 }
            for index in own.indices { left[index] = left[index] &- own[index] }
            shared.append((repayment, own))
        }
        let rest = repayments.filter { $0.lines.isEmpty && $0.amount > 0 }
            .sorted { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) }
        for repayment in rest {
            guard left.allSatisfy({ $0 >= 0 }), repayment.amount <= left.reduce(0, &+) else {
                throw .held(.statement, excess)
            }
            let own = try repayment.amount.shared(by: left, of: repayment.id)
            for index in own.indices { left[index] = left[index] &- own[index] }
            shared.append((repayment, own))
        }
        if left.contains(where: { $0 < 0 }) { throw .held(.statement, excess) }
        return shared
    }

    /// What is left of each line, in minor units.
    func left() throws(NoSale) -> [Int64] {
        try shares().reduce(lines.map(\.amount)) { left, repaid in zip(left, repaid.1).map { $0 &- $1 } }
    }

    /// Adds a part of what another payment gives back of this one.
    mutating func giveBack(_ amount: Int64, of line: String, _ id: String, _ moment: Timestamp, _ eventId: String) {
        guard let index = repayments.firstIndex(where: { $0.id == id }) else {
            let repayment = Repayment(
                id: id,
                occurredAt: moment,
                amount: amount,
                lines: [line: amount],
                eventId: eventId
            )
            return repayments.append(repayment)
        }
        repayments[index].amount += amount
        repayments[index].lines[line, default: 0] += amount
    }

    private var excess: String {
        let (back, paid) = (
            Currency.text(of: units(givenBack), in: currency.code), Currency.text(of: units(given), in: currency.code)
        )
        return
            "refunds and disputes give back \(currency.code) \(back) of \(paid) that were paid, or more of a line than it cost"
    }

    private func reportedParts() throws(NoSale) -> (given: Int64, back: Int64) {
        let isReported = lines.map { $0.kind != nil }
        let given = zip(lines, isReported).reduce(Int64(0)) { $0 &+ ($1.1 ? $1.0.amount : 0) }
        var back: Int64 = 0
        for (_, shares) in try shares() {
            for (share, isReported) in zip(shares, isReported) where isReported { back = back &+ share }
        }
        return (given, back)
    }
}

// MARK: Which payments are taken

extension StatedPayment {
    /// Whether the payment belongs to an external purchase, and the outcome of its events if they are not used.
    private func reference(
        _ known: KnownPayments,
        events: [String]
    ) -> (PaymentEventResult.Reference, PaymentOutcome?) {
        let references = known.references
        let isTold = events.contains(where: references.told.contains)
        let isTaken =
            account.take == .all || isNamed || isTold || !known.posted.isEmpty || known.isOfKnownCustomer
            || !self.references.isDisjoint(with: references.known)
        if isTaken {
            let isOld = account.from.map { occurredAt < $0 } ?? false
            guard isOld, !isTold, known.posted.isEmpty else { return (.referenced, nil) }
            let detail = "the payment is older than the configuration's 'from'"
            return (.referenced, .notUsed(PaymentReason(.beforeFrom, detail)))
        }
        let name =
            checkoutId.map { "no token named the checkout \($0.rawValue.quoted)" }
            ?? customerId.map { _ in "no token of the customer is known" }
        if let name, references.isInTime { return (.waiting, .waiting(PaymentReason(.token, name), isAlert: false)) }
        let detail = (name.map { "\($0); " } ?? "") + "nothing says that the payment belongs to an external purchase"
        return (.unreferenced, .notUsed(PaymentReason(.unreferenced, detail)))
    }
}
