import ExternalPurchaseCore
import Ledger

/// Computes the amounts of an imported refund from what the merchant tells of it: an amount for the lines of an order, or
/// a total (RR-46).
///
/// A report has converted amounts only, and several amounts in the currency billed convert to the same one.
enum ImportedShares {
    typealias Line = (row: StoredSale, sale: Sale)

    /// Returns a refund, or the lines of the refund of an order, with the amounts that follow from what is told of it.
    ///
    /// - Parameter lines: the stored refund or its lines, each as it is told now.
    /// - Returns: nil if nothing is to be computed, or if an amount does not convert to the accepted one.
    static func divided(_ lines: [Line], in ledger: LedgerQueries) throws(LedgerError) -> [Line]? {
        guard let first = lines.first?.sale, let place = first.refund?.refundOf,
            lines.allSatisfy({ $0.sale.refund.map { $0.isShare || $0.refundedTotal != nil } ?? false }),
            let buy = try ledger.sale(place, of: first.bundleId), buy.sale.purchase?.needsRate == true
        else { return nil }
        var purchases: [SaleId: (purchase: Purchase, refunds: Int64)] = [:]
        var records: [SaleRecord] = []
        let own = Set(lines.map(\.sale.saleId))
        let whole = try buy.partOf.flatMap { order throws(LedgerError) in try ledger.sale(order, of: first.bundleId) }
        for place in try whole.map({ whole throws(LedgerError) in try ledger.lines(of: whole) }) ?? [buy]
        where !place.isVoid && !place.isRetracted {
            guard let purchase = place.sale.purchase else { continue }
            let refunds = try ledger.refunds(of: place.sale.saleId, app: first.bundleId)
            purchases[place.sale.saleId] = (purchase, Int64(refunds.count))
            records.append(SaleRecord(place))
            records += refunds.filter { refund in
                refund.sale.refund != nil && !refund.isVoid && !refund.isRetracted && refund.standing == .reported
                    && !own.contains(refund.sale.saleId)
            }.map { SaleRecord($0) }
        }
        records += lines.map { line in
            SaleRecord(
                sequence: line.row.sequence,
                // The accepted tax may be more precise than a stated one.
                sale: line.sale.refund.map { line.sale.with(.refund($0.saying(tax: nil, currency: $0.currency))) }
                    ?? line.sale,
                lineItemId: line.row.lineItemId,
                partOf: line.row.partOf
            )
        }
        let allocation = RefundAllocation(records)
        var divided: [Line] = []
        for line in lines {
            guard let refund = line.sale.refund, let (purchase, refunds) = purchases[refund.refundOf],
                purchase.needsRate, case .amount(let share)? = allocation.shares[line.sale.saleId],
                let factor = purchase.milliUnitsPerUnit, let accepted = MilliUnits(rounding: refund.inclusive * factor),
                let converted = MilliUnits(rounding: share * factor)
            else { return nil }
            // The refund that uses up its line was reported with the rest of the amount.
            let roundings = allocation.left[refund.refundOf] == 0 ? refunds : 0
            guard converted.value.distance(to: accepted.value).magnitude <= roundings else { return nil }
            divided.append((line.row, line.sale.with(.refund(refund.amounting(to: share)))))
        }
        return divided
    }

    /// Computes the amounts of the refunds of a purchase, or of the lines of an order, after it is told.
    static func divide(
        refundsOf places: [StoredSale],
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        // The refund of an order has a part in many lines.
        var seen: Set<SaleId> = []
        for place in places where place.sale.purchase?.needsRate == true {
            for refund in try ledger.refunds(of: place.sale.saleId, app: place.sale.bundleId)
            where refund.standing == .reported && seen.insert(refund.partOf ?? refund.sale.saleId).inserted {
                let whole = try refund.partOf.flatMap { id throws(LedgerError) in
                    try ledger.sale(id, of: place.sale.bundleId)
                }
                try divide(whole ?? refund, now: now, in: ledger)
            }
        }
    }

    /// Computes the amounts of an accepted refund, or of its lines, from the stored purchase or order.
    static func divide(_ refund: StoredSale, now: Timestamp, in ledger: LedgerTransaction) throws(LedgerError) {
        let lines = try ledger.lines(of: refund)
        let rows = (lines.isEmpty ? [refund] : lines).filter { !$0.isRetracted }
        for (row, sale) in try divided(rows.map { ($0, $0.sale) }, in: ledger) ?? [] where row.sale != sale {
            try ledger.restate(row, as: sale, at: now)
        }
    }
}

extension LedgerTransaction {
    /// Stores the content that the merchant states of an imported sale as its next version.
    func restate(
        _ row: StoredSale,
        as sale: Sale,
        at now: Timestamp,
        reason: String? = nil
    ) throws(LedgerError) {
        try insert(
            SaleVersion(
                version: row.version + 1,
                sale: sale,
                lineItemId: row.lineItemId,
                change: row.isRetracted ? .retracted : .restated,
                saidAt: now,
                reason: reason
            )
        )
    }
}
