import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ConnectedRecords.Part {
    /// The rows of lines that are not stored yet: those of an order, and those of a refund, chargeback or reversal of an
    /// order, which may have arrived before it.
    ///
    /// - Parameter isFree: whether no sale and no line item has an id.
    func missingLines(
        isFree: (SaleId) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> [StoredSale] {
        var lines = lines
        // A line that was voided keeps its id and its number.
        var all = lines
        for stored in sales.values.sorted(by: { $0.sequence < $1.sequence }) where stored.partOf != nil {
            if let whole = stored.partOf, stored.isVoid { all[whole, default: []].append(stored.sale.saleId) }
        }
        var contents = sales.mapValues(\.sale)
        var missing: [StoredSale] = []
        // An order before its refunds, a chargeback before its reversal, whichever came first.
        let ordered = sales.values.sorted {
            ($0.sale.rankAmongLines, $0.sequence) < ($1.sale.rankAmongLines, $1.sequence)
        }
        for stored in ordered
        where stored.partOf == nil && !stored.isRetracted && stored.requestIdentifier == nil {
            let sale = stored.sale
            let known = (all[sale.saleId] ?? []).compactMap { contents[$0] }
            var wanted: [(number: Int, kind: Sale.Kind)] = []
            if let products = sale.lines {
                wanted = products.enumerated().dropFirst(known.count).map { ($0.offset + 1, .purchase($0.element)) }
            } else if let referred = sale.takenBack, let places = lines[referred] {
                var done = Set(known.compactMap(\.takenBack))
                // Nothing of a retracted line is refunded; of an order without any other line the refund is held.
                let retracted = places.filter { sales[$0]?.isRetracted == true }
                if retracted.count < places.count { done.formUnion(retracted) }
                for (offset, place) in places.enumerated() where !done.contains(place) {
                    guard let kind = sale.share(of: place) else { continue }
                    wanted.append((offset + 1, kind))
                }
            }
            for (number, kind) in wanted {
                let id = try Self.lineId(number, of: sale.saleId, isFree: isFree)
                let line = sale.line(id, kind)
                missing.append(
                    StoredSale(
                        sale: line,
                        lineItemId: LineItemId(id.rawValue),
                        receivedAt: stored.receivedAt,
                        attribution: Attribution(state: .held, externalPurchaseId: nil, flags: [.noToken]),
                        partOf: sale.saleId
                    )
                )
                lines[sale.saleId, default: []].append(id)
                all[sale.saleId, default: []].append(id)
                contents[id] = line
            }
        }
        return missing
    }

    /// `order-1/2`; shortened where that is longer than a sale's id may be, and counted on where the id is another sale's.
    private static func lineId(
        _ number: Int,
        of whole: SaleId,
        isFree: (SaleId) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> SaleId {
        var attempt = 1
        while true {
            let ending = "/\(number)" + (attempt == 1 ? "" : ".\(attempt)")
            let start = whole.rawValue.unicodeScalars.prefix(SaleId.maximumLength - ending.unicodeScalars.count)
            let id = SaleId(String(String.UnicodeScalarView(start)) + ending)
            if try isFree(id) { return id }
            attempt += 1
        }
    }
}

extension SaleId {
    /// Most characters of a sale's id, counted as Unicode scalars.
    package static let maximumLength = 100
}

extension Sale {
    /// One line of the sale, under an id of its own.
    func line(_ id: SaleId, _ kind: Kind) -> Sale {
        Sale(
            saleId: id,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId,
            checkoutId: checkoutId,
            externalPurchaseId: externalPurchaseId,
            kind: kind
        )
    }

    /// What refers to another sale comes after it.
    fileprivate var rankAmongLines: Int { reversedChargeback != nil ? 2 : refund != nil ? 1 : 0 }

    /// The part of a refund or reversal that falls to one line of what it refers to.
    func share(of line: SaleId) -> Kind? {
        switch kind {
        case .refund(let refund):
            .refund(
                Refund(
                    refundOf: line,
                    inclusive: 0,
                    tax: refund.tax,
                    isChargeback: refund.isChargeback,
                    refundedTotal: refund.refundedTotal,
                    stated: refund.statedAmount,
                    isShare: true,
                    currency: refund.currency
                )
            )
        case .chargebackReversal: .chargebackReversal(of: line)
        case .purchase, .order, .subscription, .cancellation, .lapse: nil
        }
    }

    /// The sale without the values derived from its amount, for comparison with a caller's request.
    package var asGiven: Sale {
        guard let refund, refund.refundedTotal != nil || refund.stated != nil else { return self }
        return with(
            .refund(
                Refund(
                    refundOf: refund.refundOf,
                    inclusive: refund.statedAmount ?? 0,
                    tax: refund.tax,
                    isChargeback: refund.isChargeback,
                    refundedTotal: refund.refundedTotal,
                    currency: refund.currency
                )
            )
        )
    }
}

extension ConnectedRecords.Part {
    /// Keeps the derived amounts of refunds that a report or a manual export is about to hold: from then on they are
    /// what was reported (RR-46).
    func settleAmounts(of ids: [SaleId], at now: Timestamp, in ledger: any LedgerTransaction) throws(LedgerError) {
        for id in ids {
            guard let planned = sales[id], planned.sale.refund != nil,
                let stored = try ledger.sale(id, of: planned.sale.bundleId), stored.sale != planned.sale
            else { continue }
            try ledger.insert(
                SaleVersion(
                    version: stored.version + 1,
                    sale: planned.sale,
                    lineItemId: stored.lineItemId,
                    change: .restated,
                    saidAt: now
                )
            )
        }
    }
}

extension Collection<SaleId> {
    /// As many of the sales as fit into one report, the lines of one order all or none.
    ///
    /// - Parameter whole: the sale whose line each is; nil for one that is no line.
    func prefix(_ most: Int, keepingTogether whole: [SaleId: SaleId]) -> [SaleId] {
        guard count > most else { return Array(self) }
        let cut = Set(dropFirst(most).compactMap { whole[$0] })
        let fitting = prefix(most).filter { id in whole[id].map { !cut.contains($0) } ?? true }
        return fitting.isEmpty ? Array(prefix(most)) : fitting
    }
}
