import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SaleIntake {
    /// Returns an error if a sale contradicts stored sales or cannot be reported.
    ///
    /// For example, its amount is too large for a line item, or a refund exceeds its purchase. A sale that refers to an
    /// unknown one is accepted; the planner holds it and validates it when the other one arrives.
    static func refusal(of sale: Sale, in ledger: any LedgerTransaction) throws(LedgerError) -> RequestError? {
        switch sale.kind {
        case .purchase(let purchase): return refusal(of: [(purchase, "/amount/inclusive")])
        case .order(let lines):
            return refusal(of: lines.enumerated().map { ($0.element, "/lines/\($0.offset)/amount/inclusive") })
        case .subscription(let charge): return refusal(of: [(charge.purchase, "/amount/inclusive")])
        case .cancellation, .lapse: return nil
        case .chargebackReversal(let chargeback): return try refusal(ofReversalOf: chargeback, sale, in: ledger)
        case .refund(let refund): return try refusal(of: refund, sale, in: ledger)
        }
    }

    private static func refusal(of purchases: [(purchase: Purchase, path: String)]) -> RequestError? {
        let faults = purchases.compactMap { purchase, path -> FieldError? in
            // The amounts of a held sale are converted when the missing values are known.
            guard purchase.tax != nil else { return nil }
            let isConvertible = LineMoney(purchase) != nil || purchase.needsRate && purchase.exchangeRate == nil
            return isConvertible ? nil : FieldError(path, "is too large to report")
        }
        return faults.isEmpty ? nil : .invalid(faults)
    }

    private static func refusal(
        ofReversalOf chargeback: SaleId,
        _ sale: Sale,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        guard let reversed = try ledger.sale(chargeback, of: sale.bundleId) else { return nil }
        guard reversed.sale.refund?.isChargeback == true else {
            return .invalid([FieldError("/reversalOf", "is no chargeback; a refund that was wrong is corrected")])
        }
        if sale.occurredAt < reversed.sale.occurredAt {
            let message = "is before the chargeback, at \(reversed.sale.occurredAt)"
            return .invalid([FieldError("/occurredAt", message)])
        }
        return nil
    }

    private static func refusal(
        of refund: Refund,
        _ sale: Sale,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        guard let buy = try ledger.sale(refund.refundOf, of: sale.bundleId) else { return nil }
        guard let purchase = buy.sale.purchase ?? buy.sale.lines?.first else {
            let what = buy.sale.refund == nil ? "moves no money" : "is a refund itself"
            return .invalid([FieldError("/refundOf", "\(what); name the purchase")])
        }
        // A refund of a voided purchase is stored, held and flagged.
        if buy.isRetracted, !buy.isVoid {
            return .invalid([FieldError("/refundOf", "was retracted: it never happened, as a correction says")])
        }
        var faults: [FieldError] = []
        let isTotal = refund.refundedTotal != nil
        let path = isTotal ? "/refundedTotal" : "/amount/inclusive"
        if let currency = refund.currency, currency != purchase.currency {
            faults.append(FieldError("/amount/currency", "is not \(purchase.currency), the currency of the purchase"))
        }
        if sale.occurredAt < buy.sale.occurredAt {
            faults.append(FieldError("/occurredAt", "is before the purchase, at \(buy.sale.occurredAt)"))
        }
        let digits = Currency.code(purchase.currency)?.exponent ?? 0
        for (path, value) in [(path, refund.refundedTotal ?? refund.inclusive), ("/amount/tax", refund.tax ?? 0)]
        where value.exponent < -digits {
            faults.append(
                FieldError(path, "has more than \(digits) digits after the point, which \(purchase.currency) lacks")
            )
        }
        guard faults.isEmpty else { return .invalid(faults) }
        if refund.tax != nil, buy.sale.lines != nil {
            let message = "is not possible for a sale of several lines; leave it out or refund the lines by their ids"
            return .invalid([FieldError("/amount/tax", message)])
        }
        let keys: [PlanningKey] = [.sale(refund.refundOf)]
        let part = try ConnectedRecords.part(touching: keys, of: sale.bundleId, extent: .touched, in: ledger)
        // Amounts of reversed chargebacks can be refunded again, and an amended refund replaces its earlier amount.
        let wonBack = Set(part.universe.sales.compactMap(\.sale.reversedChargeback))
        let others = part.universe.sales.filter { $0.sale.saleId != sale.saleId && $0.partOf != sale.saleId }
        let candidates = part.candidates(of: refund, sale)
        let allocation = RefundAllocation(others + candidates, ignoring: wonBack)
        let shares = candidates.map { allocation.shares[$0.sale.saleId] }
        if shares.contains(.aboveBuy) {
            let left = allocation.left[buy.partOf ?? buy.sale.saleId] ?? 0
            let what = buy.sale.lines == nil && buy.partOf == nil ? "the purchase" : "the purchase or its line"
            faults.append(FieldError(path, "is more than the \(left) \(purchase.currency) left of \(what)"))
        } else if shares == [.amount(refund.inclusive)],
            let deviation = RefundTax.deviation(
                of: refund,
                from: purchase,
                after: allocation.earlier(than: sale.saleId)
            )
        {
            faults.append(FieldError("/amount/tax", deviation.description))
        }
        return faults.isEmpty ? nil : .invalid(faults)
    }
}

extension ConnectedRecords.Part {
    /// Returns the records that a new refund would become.
    fileprivate func candidates(of refund: Refund, _ sale: Sale) -> [SaleRecord] {
        let next = (sales.values.map(\.sequence).max() ?? 0) + 1
        guard let lines = lines[refund.refundOf] else { return [SaleRecord(sequence: next, sale: sale)] }
        return lines.enumerated().compactMap { offset, line in
            sale.share(of: line).map { kind in
                SaleRecord(
                    sequence: next,
                    sale: sale.line(SaleId("\(sale.saleId)/\(offset + 1)"), kind),
                    partOf: sale.saleId
                )
            }
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
    func isSame(as other: Sale, in ledger: any LedgerQueries) throws(LedgerError) -> Bool {
        if self == other { return true }
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
        let ids = [sale.saleId.rawValue] + (numbers?.map { "\(sale.saleId)/\($0)" } ?? [])
        for id in ids where !own.contains(SaleId(id)) {
            let owner = try self.sale(ofLineItem: LineItemId(id), of: sale.bundleId)
            if let owner, owner != sale.saleId {
                return "\(id) is the id of a line item of sale \(owner); take another saleId"
            }
            if id != sale.saleId.rawValue, try self.sale(SaleId(id), of: sale.bundleId) != nil {
                return "\(id), the id of a line item of this sale, is another sale; take another saleId"
            }
        }
        return nil
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
        in ledger: any LedgerQueries
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
