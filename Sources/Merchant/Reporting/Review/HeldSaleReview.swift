import ExternalPurchaseCore
import Ledger

/// Keeps the review items about sales in step with what holds them: opened when a sale comes to need a person, closed
/// when it does not any more.
///
/// A sale that a report refusal names has no item of its own: the item of the report names it.
struct HeldSaleReview: Sendable {
    let classifier: HoldClassifier

    /// Changes a sale's attribution and its review items, in one transaction.
    ///
    /// - Parameters:
    ///   - attribution: where the sale goes from now on.
    ///   - why: the plan's reason, for the person.
    func update(
        _ attribution: Attribution,
        of sale: StoredSale,
        why: String,
        now: Timestamp,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        let (id, bundleId) = (sale.sale.saleId, sale.sale.bundleId)
        if attribution != sale.attribution { try ledger.update(attribution, of: id, app: bundleId) }
        var changed = sale
        changed.attribution = attribution
        let wasHeld = sale.attribution.state == .held
        guard wasHeld || attribution.state == .held else { return }
        try review(changed, why: why, now: now, in: ledger)
        if wasHeld, sale.attribution.flags.contains(.reportRefused), !Self.waitsAfterRefusal(attribution) {
            try closeItems(ofReportsNaming: sale, now: now, in: ledger)
        }
    }

    /// Brings the review items about a sale up to date after its content changed.
    ///
    /// - Parameter sale: the sale as it was before.
    func settle(_ sale: StoredSale, now: Timestamp, in ledger: any LedgerTransaction) throws(LedgerError) {
        guard sale.attribution.state == .held || sale.reportState != nil,
            let newest = try ledger.sale(sale.sale.saleId, of: sale.sale.bundleId)
        else { return }
        try review(newest, why: "its content changed", now: now, in: ledger)
        if sale.attribution.flags.contains(.reportRefused), !Self.waitsAfterRefusal(newest.attribution) {
            try closeItems(ofReportsNaming: sale, now: now, in: ledger)
        }
    }

    /// Opens or closes the item about one sale by where it stands now.
    func review(
        _ sale: StoredSale,
        why: String,
        now: Timestamp,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        let (subject, bundleId) = (ReviewSubject.sale(sale.sale.saleId), sale.sale.bundleId)
        let open = try ledger.reviewItems(about: subject, app: bundleId)
            .first { $0.kind == .saleHeld && $0.resolution == nil }
        let standing = standing(of: sale, now: now)
        let flags = sale.attribution.flags
        guard case .needsReview(let reason) = standing, sale.reportState == nil, !flags.contains(.reportRefused) else {
            guard let open else { return }
            let note =
                standing == .closed ? "closed with what it waits for" : "the sale does not wait for a person any more"
            let resolution = ReviewResolution(resolvedAt: now, by: Self.author, note: note)
            return try ledger.resolve(open.sequence, resolution)
        }
        // What an item says never changes: a sale that is held for other reasons gets a new one.
        if let open {
            if open.detail.hasPrefix("held for \(reason):") { return }
            let resolution = ReviewResolution(resolvedAt: now, by: Self.author, note: "held for \(reason) now")
            try ledger.resolve(open.sequence, resolution)
        }
        _ = try ledger.open(
            ReviewItem(
                bundleId: bundleId,
                kind: .saleHeld,
                subject: subject,
                detail: "held for \(reason): \(why)",
                openedAt: now
            )
        )
    }

    func standing(of sale: StoredSale, now: Timestamp) -> HoldClassifier.Standing {
        classifier.standing(of: sale, now: now)
    }

    /// Closes the items of separated reports of which no sale waits any more.
    func closeItems(
        ofReportsNaming sale: StoredSale,
        now: Timestamp,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        guard let token = sale.attribution.externalPurchaseId else { return }
        for report in try ledger.reports(on: token, of: sale.sale.bundleId)
        where report.state == .withdrawn && report.namedSales.contains(sale.sale.saleId) {
            let items = try ledger.reviewItems(about: .report(report.requestIdentifier), app: sale.sale.bundleId)
            guard let open = items.first(where: { $0.kind == .reportRefused && $0.resolution == nil }),
                try ledger.waitingSales(namedBy: report).isEmpty
            else { continue }
            let resolution = ReviewResolution(
                resolvedAt: now,
                by: Self.author,
                note: "the sales that were refused do not wait any more"
            )
            try ledger.resolve(open.sequence, resolution)
        }
    }

    static func waitsAfterRefusal(_ attribution: Attribution) -> Bool {
        attribution.state == .held && attribution.flags.contains(.reportRefused)
            && !attribution.flags.contains(.reviewClosed)
    }

    /// The author of what the server closes by itself.
    private static let author = "server"
}

extension StoredReport {
    /// The sales that the errors name.
    var namedSales: Set<SaleId> { Set(errors.compactMap(\.saleId)) }
}

extension LedgerQueries {
    /// The sales that a withdrawn report's errors name and that still wait for a decision.
    func waitingSales(namedBy report: StoredReport) throws(LedgerError) -> [StoredSale] {
        var waiting: [StoredSale] = []
        for id in report.namedSales.sorted() {
            guard let sale = try sale(id, of: report.scope.bundleId), sale.standing == .held,
                HeldSaleReview.waitsAfterRefusal(sale.attribution)
            else { continue }
            waiting.append(sale)
        }
        return waiting
    }
}
