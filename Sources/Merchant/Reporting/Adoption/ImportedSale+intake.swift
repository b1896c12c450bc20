import ExternalPurchaseCore
import Ledger

/// Merges a sale that the merchant sends with the imported sale of the same identifier.
extension ImportedSale {
    /// Adds the merchant's data to an imported sale, or to an imported order with its lines.
    ///
    /// The data are customer, checkout, subscription name, tax rate, the amounts in a billed currency that is not
    /// reported, and that a refund was a chargeback or was told as a total. The figures must be those of the newest
    /// accepted version or of an earlier one; those of an earlier one change nothing.
    ///
    /// - Parameters:
    ///   - sale: the sale as the merchant sends it.
    ///   - known: the imported sale.
    /// - Returns: the stored sale, and whether anything was stored; or an error that names the differing figures of
    ///   both sales.
    static func adopt(
        _ sale: Sale,
        of known: StoredSale,
        now: Timestamp,
        planner: MerchantPlanner,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Result<(sale: StoredSale, isChanged: Bool), RequestError> {
        let lines = try ledger.lines(of: known)
        var differences = SaleDifferences()
        var merged: [(row: StoredSale, sale: Sale)] = []
        let rest: ImportedTotal?
        let (said, wanted) = (sale.lines?.count ?? 1, known.sale.lines?.count ?? 1)
        if let products = sale.lines, known.sale.lines != nil, products.count == lines.count {
            rest = nil
            for (number, (product, line)) in zip(products, lines).enumerated() {
                let part = try merge(sale.line(line.sale.saleId, .purchase(product)), into: line, in: ledger)
                differences.add(part.differences, of: "line \(number + 1)")
                merged.append((line, part.sale))
            }
            var whole = try links(of: sale, into: known, &differences)
            whole.kind = .order(merged.compactMap(\.sale.purchase))
            merged.append((known, whole))
        } else if sale.lines != nil || known.sale.lines != nil {
            rest = nil
            differences.add("lines", said, known.sale.lines == nil ? wanted : lines.count)
        } else {
            var part = try merge(sale, into: known, lines: lines.count, in: ledger)
            rest = try total(of: sale, known, &part, in: ledger)
            differences = part.differences
            merged = try told(part.sale, known, lines, in: ledger)
        }
        if let words = differences.words {
            return .failure(
                .conflict("\(sale.saleId) was imported as accepted by Apple: \(words); a change of it is a correction")
            )
        }
        merged.removeAll { $0.row.sale == $0.sale }
        // Refunds of the same purchase may wait for this one to be sent (RR-46).
        if sale.refund != nil, !merged.contains(where: { $0.row.sale.saleId == sale.saleId }),
            try !ledger.versions(of: sale.saleId, app: sale.bundleId).contains(where: \.isSentAgain)
        {
            merged.append((known, known.sale))
        }
        guard !merged.isEmpty || rest != nil else { return .success((known, false)) }
        for (row, sale) in merged { try ledger.restate(row, as: sale, at: now, reason: SaleVersion.sentAgain) }
        if sale.refund == nil {
            try ImportedShares.divide(refundsOf: lines.isEmpty ? [known] : lines, now: now, in: ledger)
        }
        var keys = [.sale(sale.saleId)] + sale.keys + merged.flatMap { [.sale($0.sale.saleId)] + $0.sale.keys }
        if let name = sale.subscriptionCharge?.subscriptionId,
            let subscription = known.sale.subscriptionCharge.flatMap({
                ImportedSubscription(placeholder: $0.subscriptionId)
            })
        {
            _ = try subscription.link(to: name, now: now, of: sale.bundleId, in: ledger)
        }
        if let rest { keys.append(.sale(try rest.store(now: now, in: ledger))) }
        try planner.replan(touching: keys, of: sale.bundleId, extent: .touched, in: ledger, now: now)
        return .success((try ledger.sale(sale.saleId, of: sale.bundleId) ?? known, true))
    }

    /// Returns a refund as it is told with its lines, each with its share of what is told.
    private static func told(
        _ sale: Sale,
        _ known: StoredSale,
        _ lines: [StoredSale],
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [ImportedShares.Line] {
        let whole = [(row: known, sale: sale)]
        let parts = lines.map { (row: $0, sale: $0.sale.agreeing(with: sale)) }
        let shares = try ImportedShares.divided(parts.isEmpty ? whole : parts, in: ledger)
        return parts.isEmpty ? shares ?? whole : whole + (shares ?? parts)
    }

    private typealias Merged = (sale: Sale, differences: SaleDifferences)

    /// Merges a sale without lines, one line, or a refund of an order of which so many lines were accepted.
    private static func merge(
        _ sale: Sale,
        into known: StoredSale,
        lines: Int = 1,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Merged {
        let buy = try ledger.refundedPurchase(of: known.sale)
        let versions = try ledger.versions(of: known.sale.saleId, app: known.sale.bundleId)
        var differences = Self.differences(of: sale, from: known.sale, buy, lines: lines, versions)
        let isNewest = differences.words == nil
        if !isNewest {
            // The merchant repeats what it sent before a correction, which stays.
            var later = known.sale
            for version in versions.reversed() {
                later = version.sale.completed(by: later, buy: buy, lines: lines)
                let earlier = Self.differences(of: sale, from: later, buy, lines: lines, versions)
                if earlier.words == nil {
                    differences = earlier
                    break
                }
            }
        }
        var merged = try links(of: sale, into: known, &differences)
        if isNewest { merged = merged.billed(as: sale, buy: buy, lines: lines).taxed(as: sale) }
        if let refund = merged.refund, sale.refund?.isChargeback == true, !refund.isChargeback {
            if refund.refundedTotal != nil { differences.add("type", sale.typeName, known.sale.typeName) }
            merged.kind = .refund(refund.chargedBack())
        }
        return (merged, differences)
    }

    /// Compares a sale with a version of the imported one.
    ///
    /// The amount of a refund was stated if it is not the one that was computed for the same accepted amount.
    private static func differences(
        of sale: Sale,
        from accepted: Sale,
        _ buy: Purchase?,
        lines: Int,
        _ versions: [SaleVersion]
    ) -> SaleDifferences {
        let isStated = versions.contains { version in
            guard let buy, let refund = version.sale.refund, let its = accepted.refund else { return false }
            return refund.inclusive != its.inclusive && refund.billed(as: its, of: buy, lines: lines) != nil
        }
        return SaleDifferences(of: sale, from: accepted, buy: buy, lines: lines, isStated: isStated)
    }

    /// Adds the links that an accepted item does not contain: customer, checkout and subscription.
    private static func links(
        of sale: Sale,
        into known: StoredSale,
        _ differences: inout SaleDifferences
    ) throws(LedgerError) -> Sale {
        if let customer = known.sale.customerId, let named = sale.customerId, named != customer {
            differences.add("customerId", named, customer)
        }
        let merged = known.sale.with(
            customer: sale.customerId ?? known.sale.customerId,
            checkout: sale.checkoutId ?? known.sale.checkoutId
        )
        guard let name = sale.subscriptionCharge?.subscriptionId,
            let its = known.sale.subscriptionCharge?.subscriptionId
        else { return merged }
        if its != name, ImportedSubscription(placeholder: its) == nil { differences.add("subscriptionId", name, its) }
        return merged.with(subscription: name)
    }

    /// Compares a refund that is told as a total with what was refunded, and makes it one where both agree.
    ///
    /// - Returns: what the total says beyond that; nil for nothing.
    private static func total(
        of sale: Sale,
        _ known: StoredSale,
        _ merged: inout Merged,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> ImportedTotal? {
        guard let said = sale.refund, let total = said.refundedTotal, let its = known.sale.refund,
            merged.differences.words == nil, !known.isRetracted
        else { return nil }
        if let before = its.refundedTotal {
            if before != total { merged.differences.add("refundedTotal", total, before) }
            return nil
        }
        let found = ImportedTotal(total, of: known)
        switch try found.verdict(in: ledger) {
        case .equal:
            merged.sale.kind = .refund(
                Refund(refundOf: its.refundOf, inclusive: its.inclusive, tax: its.tax, refundedTotal: total)
            )
            return nil
        case .known: return nil
        case .more: return try found.isStored(in: ledger) ? nil : found
        case .less(let accepted):
            merged.differences.add("refundedTotal", total, accepted)
            return nil
        }
    }
}

extension Sale {
    /// Returns the line of an imported refund as its refund is told now; its own amount stays.
    fileprivate func agreeing(with whole: Sale) -> Sale {
        guard let mine = refund, let its = whole.refund else { return self }
        let line = with(customer: whole.customerId, checkout: whole.checkoutId)
        if mine.isShare, case .refund(let share)? = whole.share(of: mine.refundOf) {
            return line.with(.refund(share.amounting(to: mine.inclusive).taxed(mine.tax)))
        }
        return its.isChargeback && !mine.isChargeback ? line.with(.refund(mine.chargedBack())) : line
    }

    /// Returns this version of an imported sale with what the merchant has stated since and what is true of it, too.
    ///
    /// That are billed amounts that convert to its accepted ones, and that a refund was a chargeback. A later request
    /// that states something else is no repetition.
    fileprivate func completed(by later: Sale, buy: Purchase?, lines: Int) -> Sale {
        let isStated = later.purchase.map { !$0.isComputedBack } ?? true
        let sale = isStated ? billed(as: later, buy: buy, lines: lines) : self
        guard let refund = sale.refund, later.refund?.isChargeback == true else { return sale }
        return sale.with(.refund(refund.chargedBack()))
    }

    /// Returns this imported sale with the tax as the merchant states it, where it is the reported amount.
    fileprivate func taxed(as said: Sale) -> Sale {
        guard let mine = purchase, !mine.isComputedBack, let tax = said.purchase?.tax, tax != mine.tax else {
            return self
        }
        let taxed = Purchase(
            productId: mine.productId,
            quantity: mine.quantity,
            currency: mine.currency,
            inclusive: mine.inclusive,
            tax: tax,
            taxCountry: mine.taxCountry,
            exchangeRate: mine.exchangeRate
        )
        return LineMoney(taxed) == LineMoney(mine) ? with(taxed) : self
    }
}

extension Refund {
    fileprivate func taxed(_ tax: Decimal?) -> Refund { saying(tax: tax, currency: currency) }
}
