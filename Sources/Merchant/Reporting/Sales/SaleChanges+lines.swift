import ExternalPurchaseCore
import Ledger

extension SaleChanges {
    /// Updates the lines of a sale to its new content.
    ///
    /// Lines that the content no longer has are voided, and voided lines that it has again are restored. New lines are
    /// stored by the next plan.
    func restateLines(
        of content: Sale?,
        replacing known: StoredSale,
        by request: Request,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let bundleId = known.sale.bundleId
        let places = try content.flatMap(\.takenBack).flatMap { id throws(LedgerError) in
            try ledger.sale(id, of: bundleId)
        }
        let referred = Set(try places.map { place throws(LedgerError) in try ledger.lines(of: place) } ?? [])
        let stored = try ledger.sales(.lines(known.sale.saleId, of: bundleId), LedgerPage(limit: 1_000))
        for (number, line) in stored.enumerated() {
            var kind: Sale.Kind?
            if let products = content?.lines {
                kind = number < products.count ? .purchase(products[number]) : nil
            } else if let content, let place = line.sale.takenBack,
                referred.contains(where: { $0.sale.saleId == place && !$0.isVoid })
            {
                kind = content.share(of: place)
            }
            let said = content.flatMap { content in kind.map { content.line(line.sale.saleId, $0) } }
            if said == nil && line.isVoid { continue }
            try ledger.insert(
                SaleVersion(
                    version: line.version + 1,
                    sale: said ?? line.sale,
                    lineItemId: line.lineItemId,
                    change: said == nil ? .retracted : .restated,
                    saidAt: now,
                    by: request.author?.by,
                    reason: request.author?.reason
                )
            )
            let attribution =
                said == nil
                ? Attribution(state: .recorded, externalPurchaseId: nil, notes: [.voided])
                : Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken])
            try ledger.update(attribution, of: line.sale.saleId, app: bundleId)
        }
    }

    /// Returns an error if the lines of a sale cannot be changed.
    ///
    /// The causes are refunds of its lines, and identifiers that other sales use.
    func refusal(
        ofLinesOf sale: Sale,
        replacing known: StoredSale,
        _ live: [StoredSale],
        in ledger: LedgerQueries
    ) throws(LedgerError) -> RequestError? {
        guard (sale.lines?.count ?? 1) != (known.sale.lines?.count ?? 1) else { return nil }
        if !live.isEmpty {
            let names = live.map(\.sale.saleId.rawValue).joined(separator: ", ")
            return .invalid([
                FieldError("/lines", "cannot be more or fewer while the refunds \(names) stand; void them first")
            ])
        }
        let own = try ledger.sales(.lines(known.sale.saleId, of: known.sale.bundleId), LedgerPage(limit: 1_000))
        return try ledger.otherSale(withLineItemOf: sale, besides: Set(own.map(\.sale.saleId)))
            .map(RequestError.conflict)
    }
}

extension LedgerQueries {
    /// Returns the refunds and reversals of a sale and its lines that are not retracted, as the merchant sent them.
    func standingRefunds(of sale: StoredSale) throws(LedgerError) -> [StoredSale] {
        var refunds = try refunds(of: sale.sale.saleId, app: sale.sale.bundleId)
        for line in try lines(of: sale) {
            refunds += try self.refunds(of: line.sale.saleId, app: sale.sale.bundleId)
        }
        var standing: [StoredSale] = []
        for refund in refunds where !refund.isRetracted && refund.partOf == nil {
            if try !isWonBack(refund) { standing.append(refund) }
        }
        return standing
    }

    /// Whether a sale is a chargeback whose refund a reversal has retracted at Apple.
    func isWonBack(_ sale: StoredSale) throws(LedgerError) -> Bool {
        guard sale.sale.refund?.isChargeback == true else { return false }
        return try refunds(of: sale.sale.saleId, app: sale.sale.bundleId).contains { $0.standing == .reported }
    }

    /// Returns the corrections that change an accepted sale: the sale itself, or the lines of an order that change.
    ///
    /// Each one has the corrected content; nil retracts it.
    func correctable(
        _ known: StoredSale,
        to content: Sale?
    ) throws(LedgerError) -> Result<[(line: StoredSale, content: Sale?)], RequestError> {
        let lines = try lines(of: known)
        guard !lines.isEmpty else { return .success([(known, content)]) }
        guard let content else {
            // A line without a line item, such as the share of a small refund that rounds to nothing, is not at Apple.
            return .success(lines.filter { !$0.isRetracted && $0.standing != .recorded }.map { ($0, nil) })
        }
        if let refund = content.refund, let buy = try refundedPurchase(of: content) {
            return .success(try shared(refund, of: buy, among: lines))
        }
        guard let products = content.lines else {
            let names = lines.map(\.sale.saleId.rawValue).joined(separator: ", ")
            return .failure(
                .impossible(
                    "a sale of several line items stays one; correct each at /v1/corrections by its id: \(names)"
                )
            )
        }
        guard products.count <= lines.count else {
            return .failure(
                .impossible("it has \(lines.count) lines; what was sold beside them is a sale with a saleId of its own")
            )
        }
        var changes: [(StoredSale, Sale?)] = []
        for (number, line) in lines.enumerated() {
            guard number < products.count else {
                changes.append((line, nil))
                continue
            }
            let said = content.line(line.sale.saleId, .purchase(products[number]))
            let token = try line.whereItIs(in: self).attribution.externalPurchaseId
            if !said.differsInLinksOnly(from: line.sale, on: token) { changes.append((line, said)) }
        }
        return .success(changes)
    }

    /// The parts of a refund's new amount, in proportion to what each line gave back at first, so that corrections of single lines
    /// change no other part; a line without a part is retracted.
    private func shared(
        _ refund: Refund,
        of buy: Purchase,
        among lines: [StoredSale]
    ) throws(LedgerError) -> [(line: StoredSale, content: Sale?)] {
        let standing = lines.filter { !$0.isRetracted && !$0.isVoid }
        var first: [Decimal] = []
        for line in standing {
            let told = try versions(of: line.sale.saleId, app: line.sale.bundleId).compactMap(\.sale.refund?.inclusive)
            first.append(told.first { $0 > 0 } ?? 0)
        }
        let digits = Currency.code(buy.currency)?.exponent ?? 2
        let parts = MinorUnitShares.split(refund.statedAmount ?? refund.inclusive, by: first, digits: digits)
        var changes: [(line: StoredSale, content: Sale?)] = []
        for (line, part) in zip(standing, parts) {
            guard let old = line.sale.refund, old.inclusive != part else { continue }
            var said = line.sale
            said.kind = .refund(Refund(refundOf: old.refundOf, inclusive: part, isChargeback: old.isChargeback))
            changes.append((line, part == 0 ? nil : said))
        }
        return changes
    }
}
