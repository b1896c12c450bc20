import ExternalPurchaseCore
import Ledger

extension SaleIntake {
    /// Returns an error if a sale cannot be reported, whatever arrives after it.
    ///
    /// Only what a sale itself says, and what is fixed of the sale that it refers to, is refused: the kind, the currency
    /// and its digits. How much is left of a purchase, its moment, its tax and whether it is retracted depend on
    /// refunds, chargebacks, reversals, amendments and corrections, which arrive in any order; every plan judges them
    /// anew and holds the sale meanwhile (RR-46). A sale that refers to an unknown one is held likewise.
    ///
    /// - Parameters:
    ///   - sale: the sale.
    ///   - foreign: decides the currency into which a rate must lead (RR-51).
    ///   - ledger: the ledger.
    static func refusal(
        of sale: Sale,
        foreign: ForeignCurrency,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        if let reference = sale.reference, reference.saleId == sale.saleId {
            return .invalid([FieldError(reference.path, "is the sale itself; \(reference.right)")])
        }
        switch sale.kind {
        case .purchase(let purchase): return refusal(of: [(purchase, "/amount")], foreign)
        case .order(let lines):
            return refusal(of: lines.enumerated().map { ($0.element, "/lines/\($0.offset)/amount") }, foreign)
        case .subscription(let charge): return refusal(of: [(charge.purchase, "/amount")], foreign)
        case .cancellation, .lapse: return nil
        case .chargebackReversal(let chargeback): return try refusal(ofReversalOf: chargeback, sale, in: ledger)
        case .refund(let refund): return try refusal(of: refund, sale, in: ledger)
        }
    }

    private static func refusal(
        of purchases: [(purchase: Purchase, path: String)],
        _ foreign: ForeignCurrency
    ) -> RequestError? {
        let faults = purchases.compactMap { purchase, path -> FieldError? in
            if let fault = purchase.rateTargetFault(foreign: foreign) {
                return FieldError("\(path)/exchangeRate/to", fault)
            }
            // The amounts of a held sale are converted when the missing values are known.
            guard purchase.tax != nil else { return nil }
            let isConvertible = LineMoney(purchase) != nil || purchase.needsRate && purchase.exchangeRate == nil
            return isConvertible ? nil : FieldError("\(path)/inclusive", "is too large to report")
        }
        return faults.isEmpty ? nil : .invalid(faults)
    }

    private static func refusal(
        ofReversalOf chargeback: SaleId,
        _ sale: Sale,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        guard let reversed = try ledger.sale(chargeback, of: sale.bundleId) else { return nil }
        // An imported refund may be a chargeback that is told again later.
        guard reversed.sale.refund?.isChargeback == true || reversed.sale.refund != nil && reversed.isImported else {
            return .invalid([FieldError("/reversalOf", "is no chargeback; a refund that was wrong is corrected")])
        }
        return nil
    }

    /// Returns an error if what came back is not what the chargeback took.
    ///
    /// A reversal retracts the whole chargeback. A part that came back makes it less, which only a person or the provider's
    /// events can tell of a sale that is stored.
    static func refusal(
        ofReturned command: SaleCommand,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        // A known reversal was compared, or told by the provider's events.
        guard let returned = command.returned, let id = command.sale.reversedChargeback,
            try ledger.sale(command.sale.saleId, of: command.sale.bundleId) == nil
        else { return nil }
        guard let chargeback = try ledger.sale(id, of: command.sale.bundleId)?.sale, let refund = chargeback.refund
        else {
            let message = "is no chargeback known here, with which the amount that came back is compared; send it first"
            return .invalid([FieldError("/reversalOf", message)])
        }
        let known = try ledger.refundedPurchase(of: chargeback)?.currency ?? refund.currency
        if let currency = returned.currency, let known, currency != known {
            return .invalid([FieldError("/amount/currency", "is not \(known), the currency of the chargeback")])
        }
        let currency = known.flatMap(Currency.code)
        let taken = refund.statedAmount ?? refund.inclusive
        guard let amount = returned.inclusive ?? returned.minorUnits.flatMap({ currency?.units(ofMinor: $0) }),
            amount != taken
        else { return nil }
        func text(_ amount: Decimal) -> String { known.map { Currency.text(of: amount, in: $0) } ?? "\(amount)" }
        let member = returned.inclusive == nil ? "inclusiveMinor" : "inclusive"
        let what =
            amount < taken
            ? "what came back is a part, and the chargeback is less by it" : "more came back than was taken"
        let message =
            "is \(text(amount)), and the chargeback \(id.rawValue.quoted) took \(text(taken)): \(what); amend or correct "
            + "the chargeback to what stays taken (docs/corrections.md)"
        return .invalid([FieldError("/amount/\(member)", message)])
    }

    /// Returns an error if less was refunded of a purchase than a known refund states as the total.
    ///
    /// A total raises what is refunded and never lowers it: that a refund failed is a correction of the refund that told it.
    static func refusal(
        ofRefunded command: SaleCommand,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        guard let stated = command.refundedSoFar else { return nil }
        let sale = command.sale
        let totals = try ledger.refunds(of: sale.saleId, app: sale.bundleId).compactMap { known -> (SaleId, Decimal)? in
            guard !known.isVoid, known.standing != .retracted, let total = known.sale.refund?.refundedTotal else {
                return nil
            }
            return (known.sale.saleId, total)
        }
        guard let (id, total) = totals.max(by: { ($0.1, $0.0) < ($1.1, $1.0) }), total > stated else { return nil }
        let code = sale.purchase?.currency ?? sale.lines?.first?.currency ?? ""
        let message =
            "is \(Currency.text(of: stated, in: code)), and the refund \(id.rawValue.quoted) states "
            + "\(Currency.text(of: total, in: code)): if a refund failed, void or correct that one (docs/corrections.md); an older "
            + "statement changes nothing"
        return .invalid([FieldError("/refundedTotal", message)])
    }

    private static func refusal(
        of refund: Refund,
        _ sale: Sale,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        guard let buy = try ledger.sale(refund.refundOf, of: sale.bundleId) else { return nil }
        guard let purchase = buy.sale.purchase ?? buy.sale.lines?.first else {
            let what = buy.sale.refund == nil ? "moves no money" : "is a refund itself"
            return .invalid([FieldError("/refundOf", "\(what); name the purchase")])
        }
        var faults: [FieldError] = []
        let path = refund.refundedTotal == nil ? "/amount/inclusive" : "/refundedTotal"
        if let currency = refund.currency, currency != purchase.currency {
            faults.append(FieldError("/amount/currency", "is not \(purchase.currency), the currency of the purchase"))
        }
        let digits = Currency.code(purchase.currency)?.exponent ?? 0
        for (path, value) in [(path, refund.refundedTotal ?? refund.inclusive), ("/amount/tax", refund.tax ?? 0)]
        where value.exponent < -digits {
            faults.append(
                FieldError(path, "has more than \(digits) digits after the point, which \(purchase.currency) lacks")
            )
        }
        if refund.tax != nil, buy.sale.lines != nil {
            let message = "is not possible for a sale of several lines; leave it out or refund the lines by their ids"
            faults.append(FieldError("/amount/tax", message))
        }
        return faults.isEmpty ? nil : .invalid(faults)
    }
}

extension Sale {
    /// The sale that a refund, chargeback or reversal takes back, its field, and what belongs there.
    fileprivate var reference: (saleId: SaleId, path: String, right: String)? {
        switch kind {
        case .refund(let refund): (refund.refundOf, "/refundOf", "name the purchase")
        case .chargebackReversal(let chargeback): (chargeback, "/reversalOf", "name the chargeback")
        case .purchase, .order, .subscription, .cancellation, .lapse: nil
        }
    }
}

extension Sale {
    /// Returns the sale with the amounts of its refund in units of a currency.
    ///
    /// - Parameters:
    ///   - minor: the amounts in minor units; nil if they are in units already.
    ///   - buy: the refunded purchase, or a line of it; nil if it is not known.
    /// - Throws: ``RequestError/invalid(_:)`` for minor units without a known currency.
    func withUnits(_ minor: RefundMinorUnits?, of buy: Purchase?) throws(RequestError) -> Sale {
        guard let refund else { return self }
        guard let minor else { return buy.map { with(.refund(refund.knowing(currency: $0.currency))) } ?? self }
        guard let buy else {
            let message = "is missing; minor units need it while the purchase is not known here"
            throw .invalid([FieldError("/amount/currency", message)])
        }
        guard let currency = Currency.code(buy.currency) else { return self }
        let whole = refund.with(minor, of: currency)
        if let tax = whole.tax, tax > whole.inclusive {
            throw .invalid([FieldError("/amount/tax", "is more than the amount with tax")])
        }
        return with(.refund(whole))
    }

    /// Returns whether a sale from a caller has the same content as this stored one.
    func isSame(as other: Sale, in ledger: LedgerQueries) throws(LedgerError) -> Bool {
        if self == other || withoutRateTargets == other { return true }
        guard let mine = asGiven.refund, let its = other.refund else { return false }
        guard let buy = try ledger.refundedPurchase(of: self) else { return asGiven == other }
        return with(.refund(mine.knowing(currency: buy.currency)))
            == other.with(.refund(its.knowing(currency: buy.currency)))
    }
}

extension LedgerQueries {
    /// Returns the purchase that a refund names, of an order its first line; nil if it is not known.
    func refundedPurchase(of sale: Sale) throws(LedgerError) -> Purchase? {
        guard let refund = sale.refund else { return nil }
        let buy = try self.sale(refund.refundOf, of: sale.bundleId)?.sale
        return buy?.purchase ?? buy?.lines?.first
    }

    /// Returns a message if another sale uses an identifier that a line item of the sale would get.
    ///
    /// - Parameters:
    ///   - sale: the sale.
    ///   - own: the present and former lines of the sale.
    /// - Returns: nil if all identifiers are free.
    func otherSale(withLineItemOf sale: Sale, besides own: Set<SaleId> = []) throws(LedgerError) -> String? {
        let numbers = sale.lines.map { 1...$0.count }
        let ids = [sale.saleId] + (numbers?.map { sale.saleId.line($0) } ?? [])
        for id in ids where !own.contains(id) {
            let owner = try self.sale(ofLineItem: LineItemId(id.rawValue), of: sale.bundleId)
            if let owner, owner != sale.saleId {
                // Under another saleId it would be reported a second time.
                let isImported = try self.sale(owner, of: sale.bundleId)?.isImported ?? false
                return isImported
                    ? "\(id) was imported as accepted by Apple, as sale \(owner), and is not reported again; what is "
                        + "missing of \(sale.saleId) is a sale with a saleId of its own"
                    : "\(id) is the id of a line item of sale \(owner); take another saleId"
            }
            if id != sale.saleId, try self.sale(id, of: sale.bundleId) != nil {
                return "\(id), the id of a line item of this sale, is another sale; take another saleId"
            }
        }
        return nil
    }

    /// Returns whether neither a sale nor a line item uses an identifier.
    func isFree(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> Bool {
        let owner = try sale(ofLineItem: LineItemId(id.rawValue), of: bundleId)
        let sale = try sale(id, of: bundleId)
        return owner == nil && sale == nil
    }

    /// Returns the lines of a sale in order; empty if the sale has no line rows.
    func lines(of sale: StoredSale) throws(LedgerError) -> [StoredSale] {
        guard sale.sale.lines != nil || sale.sale.takenBack != nil, sale.attribution.state == .recorded else {
            return []
        }
        let page = LedgerPage(limit: 1_000)
        let lines = try sales(.lines(sale.sale.saleId, of: sale.sale.bundleId), page)
        return sale.isVoid ? lines : lines.filter { !$0.isVoid }
    }
}

extension StoredSale {
    /// Returns the receipt for the sender of the sale.
    func receipt(
        isNew: Bool,
        tiesCheckout: Bool = false,
        isWaiting: Bool = false,
        isChanged: Bool = false,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> SaleReceipt {
        var lines: [StoredSale] = []
        for line in try ledger.lines(of: self) { lines.append(try line.whereItIs(in: ledger)) }
        return SaleReceipt(
            sale: try whereItIs(in: ledger),
            isNew: isNew,
            tiesCheckout: tiesCheckout,
            isWaiting: isWaiting,
            isChanged: isChanged,
            lines: lines
        )
    }
}
