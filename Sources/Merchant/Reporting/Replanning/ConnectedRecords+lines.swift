import ExternalPurchaseCore
package import Ledger

extension ConnectedRecords.Part {
    /// Returns rows for lines that are not stored yet.
    ///
    /// They are the lines of an order, and those of a refund, chargeback or reversal of an order, which may have
    /// arrived before it.
    ///
    /// - Parameter isFree: returns whether an identifier is used by no sale and no line item.
    func missingLines(
        isFree: (SaleId) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> [StoredSale] {
        var lines = lines
        // A voided line still occupies its identifier and number.
        var all = lines
        for stored in sales.values.sorted(by: { $0.sequence < $1.sequence }) where stored.partOf != nil {
            if let whole = stored.partOf, stored.isVoid { all[whole, default: []].append(stored.sale.saleId) }
        }
        var contents = sales.mapValues(\.sale)
        var missing: [StoredSale] = []
        // Orders come before their refunds and chargebacks before their reversals, regardless of arrival.
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
                // Retracted lines are not refunded; if all lines of an order are retracted, the refund is held.
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
                        attribution: Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken]),
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

    /// Returns the first identifier of a line that is not in use.
    private static func lineId(
        _ number: Int,
        of whole: SaleId,
        isFree: (SaleId) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> SaleId {
        var attempt = 1
        while true {
            let id = whole.line(number, attempt: attempt)
            if try isFree(id) { return id }
            attempt += 1
        }
    }
}

extension SaleId {
    /// The identifier of a line of the sale, such as `order-1/2`, and `order-1/2.2` where that is in use.
    ///
    /// It is shortened to the longest allowed length.
    func line(_ number: Int, attempt: Int = 1) -> SaleId {
        let ending = "/\(number)" + (attempt == 1 ? "" : ".\(attempt)")
        let start = rawValue.unicodeScalars.prefix(Self.maximumLength - ending.unicodeScalars.count)
        return SaleId(String(String.UnicodeScalarView(start)) + ending)
    }
}

extension Sale {
    /// Returns one line of the sale, with an identifier of its own.
    func line(_ id: SaleId, _ kind: Kind) -> Sale {
        var line = self
        line.saleId = id
        line.kind = kind
        return line
    }

    /// A sorting rank that places sales after those that they refer to.
    fileprivate var rankAmongLines: Int { reversedChargeback != nil ? 2 : refund != nil ? 1 : 0 }

    /// Returns the part of a refund or reversal that belongs to one line of the referenced sale.
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

    /// The sale without values derived from its amount, for comparison with a caller's request.
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
    /// Stores the derived amounts of refunds that go into a report or a manual export.
    ///
    /// From then on they are the reported amounts (RR-46).
    func storeAmounts(of ids: [SaleId], at now: Timestamp, in ledger: LedgerTransaction) throws(LedgerError) {
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
    /// Returns as many of the sales as fit into one report, keeping the lines of an order together.
    ///
    /// - Parameters:
    ///   - most: the largest number of sales.
    ///   - whole: the order of each line; other sales have no entry.
    func prefix(_ most: Int, keepingTogether whole: [SaleId: SaleId]) -> [SaleId] {
        guard count > most else { return Array(self) }
        let cut = Set(dropFirst(most).compactMap { whole[$0] })
        let fitting = prefix(most).filter { id in whole[id].map { !cut.contains($0) } ?? true }
        return fitting.isEmpty ? Array(prefix(most)) : fitting
    }
}
