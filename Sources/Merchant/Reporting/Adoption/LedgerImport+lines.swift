import ExternalPurchaseCore
import Ledger

/// Finds the orders, refunds of orders and replaced line items among what another system reported.
extension LedgerImport.Taking {
    /// A line item as a line of a sale.
    struct Line {
        let whole: SaleId
        let sale: Sale
    }

    /// Why a line does not fit the sale that the merchant sent.
    struct LineProblem: Error, CustomStringConvertible {
        let description: String
    }

    /// The stored purchase that an accepted refund refers to.
    func purchase(refundedBy item: ReceivedLineItem, _ bundleId: BundleId) throws(LedgerError) -> StoredSale? {
        guard let reference = item.referenceLineItemId,
            let id = try ledger.sale(ofLineItem: reference, of: bundleId)
        else { return nil }
        return try ledger.sale(id, of: bundleId)
    }

    // MARK: Lines

    /// Returns the place of a new line item in an order or in the refund of one; nil for a sale of its own.
    ///
    /// The order is stored before its first line.
    mutating func line(
        of item: ReceivedLineItem,
        as imported: Sale,
        on token: ExternalPurchaseId
    ) throws(LedgerError) -> Result<Line?, LineProblem> {
        guard let id = item.lineItemId, let (group, number) = lines.group(of: id, on: token) else {
            return .success(nil)
        }
        if group.isOrder { return .success(try orderLine(number, group, imported)) }
        return group.isRefund ? try refundLine(number, group, item, imported) : .success(nil)
    }

    private mutating func orderLine(
        _ number: Int,
        _ group: ImportedLines.Group,
        _ imported: Sale
    ) throws(LedgerError) -> Line? {
        let line = Line(whole: group.whole, sale: imported)
        if madeWholes.contains(group.whole) { return line }
        let purchases = group.ordered.compactMap { ImportedSale.purchase(of: $0) }
        guard number == 1, purchases.count == group.items.count,
            try ledger.isFree(group.whole, of: imported.bundleId)
        else { return nil }
        try store(group.whole, .order(purchases), like: imported)
        return line
    }

    private mutating func refundLine(
        _ number: Int,
        _ group: ImportedLines.Group,
        _ item: ReceivedLineItem,
        _ imported: Sale
    ) throws(LedgerError) -> Result<Line?, LineProblem> {
        let bundleId = imported.bundleId
        guard let refund = imported.refund, let order = try purchase(refundedBy: item, bundleId)?.partOf else {
            return .success(nil)
        }
        let places = try ledger.sales(.lines(order, of: bundleId), LedgerPage(limit: 1_000)).map(\.sale.saleId)
        guard places.indices.contains(number - 1), places[number - 1] == refund.refundOf else { return .success(nil) }
        var sum: Decimal = 0
        // Each share that was computed back may be off by the rounding of its conversion.
        var slack: Decimal = 0
        for item in group.ordered {
            guard let place = try purchase(refundedBy: item, bundleId), place.partOf == order,
                let share = ImportedSale.refund(of: item, buy: place.sale)
            else { return .success(nil) }
            sum += share.inclusive
            slack += place.sale.purchase?.conversionSlack ?? 0
        }
        var whole = try ledger.sale(group.whole, of: bundleId)
        if whole == nil, try ledger.isFree(group.whole, of: bundleId) {
            whole = try store(group.whole, .refund(Refund(refundOf: order, inclusive: sum)), like: imported)
        }
        guard let whole, !whole.isRetracted, whole.requestIdentifier == nil, whole.sale.refund?.refundOf == order,
            !whole.isImported || madeWholes.contains(group.whole),
            case .refund(let share)? = whole.sale.share(of: refund.refundOf)
        else { return .success(nil) }
        if let stated = whole.sale.refund?.statedAmount, abs(stated - sum) > slack {
            return .failure(
                LineProblem(
                    description: "sale \(group.whole) is stored with other figures: amount.inclusive \(stated) against "
                        + "the accepted \(sum)"
                )
            )
        }
        if !whole.isImported {
            told.insert(AppSale(saleId: group.whole, bundleId: bundleId))
        }
        let sale = whole.sale.line(imported.saleId, .refund(share.amounting(to: refund.inclusive)))
        return .success(Line(whole: group.whole, sale: sale))
    }

    /// Stores a sale of several lines, which itself is not reported.
    @discardableResult
    private mutating func store(
        _ id: SaleId,
        _ kind: Sale.Kind,
        like line: Sale
    ) throws(LedgerError) -> StoredSale {
        madeWholes.insert(id)
        return try ledger.insert(
            StoredSale(
                sale: line.line(id, kind),
                lineItemId: LineItemId(id.rawValue),
                receivedAt: now,
                attribution: Attribution(
                    state: .recorded,
                    externalPurchaseId: line.externalPurchaseId,
                    origin: .imported
                )
            )
        )
    }

    // MARK: Replaced line items

    /// Returns the retracted sale whose line item a new one replaces, such as `order-1` of `order-1.2` (RR-81).
    ///
    /// What this ledger retracted itself is replaced by an item of the same content only: another one may be a sale of the
    /// merchant that is named so.
    func original(of imported: Sale, in scope: ReportingScope) throws(LedgerError) -> StoredSale? {
        let id = imported.saleId.rawValue
        guard let point = id.lastIndex(of: "."), let number = Int(id[id.index(after: point)...]), number >= 2,
            String(number) == id[id.index(after: point)...],
            let stored = try ledger.sale(SaleId(String(id[..<point])), of: imported.bundleId), stored.isRetracted
        else { return nil }
        if !stored.isImported, try isRetractedHere(stored, in: scope), !stored.sale.isContent(of: imported) {
            return nil
        }
        return switch (stored.sale.kind, imported.kind) {
        case (.purchase, .purchase), (.subscription, .subscription), (.refund, .refund): stored
        default: nil
        }
    }

    /// Whether a report that this ledger sent retracted the line item of a sale.
    private func isRetractedHere(_ sale: StoredSale, in scope: ReportingScope) throws(LedgerError) -> Bool {
        guard let version = try ledger.newestAccepted([sale.lineItemId], in: scope)[sale.lineItemId],
            version.item.erroneouslySubmitted == true, let report = version.requestIdentifier
        else { return false }
        return try ledger.report(report, in: scope)?.isImported == false
    }

    // MARK: Told refunds

    /// Computes the shares of a refund of an order, compares one that was told as a total with what Apple accepted, and
    /// stores what is missing.
    ///
    /// - Returns: an error message; nil if Apple accepted no more than the total.
    mutating func settle(_ total: AppSale) throws(LedgerError) -> String? {
        guard let stored = try ledger.sale(total.saleId, of: total.bundleId) else { return nil }
        try ImportedShares.divide(stored, now: now, in: ledger)
        guard let sum = stored.sale.refund?.refundedTotal else { return nil }
        let found = ImportedTotal(sum, of: stored)
        switch try found.verdict(in: ledger) {
        case .equal, .known: return nil
        case .less(let accepted):
            return "is stored with other figures: refundedTotal \(sum) against the accepted \(accepted)"
        case .more:
            if try found.isStored(in: ledger) { return nil }
            let id = try found.store(now: now, in: ledger)
            touched[total.bundleId, default: []].insert(.sale(id))
            return nil
        }
    }
}

extension Sale {
    /// Whether an imported sale has the product and the reported money of this one.
    fileprivate func isContent(of imported: Sale) -> Bool {
        if let mine = purchase, let its = imported.purchase {
            return mine.productId.hasSameScalars(as: its.productId) && mine.quantity == its.quantity
                && mine.currency == its.currency
                && LineMoney(mine) == LineMoney(its)
        }
        guard let mine = refund, let its = imported.refund else { return false }
        return mine.refundOf == its.refundOf && mine.inclusive == its.inclusive
    }
}
