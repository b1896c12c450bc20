import ExternalPurchaseCore
import Ledger

/// Opens a review item when a held sale starts to need a person, and closes it when it no longer does.
///
/// A sale that is named by a report refusal has no item of its own, because the item of the report names it.
struct HeldSaleReview: Sendable {
    let classifier: HoldClassifier

    /// Stores a sale's attribution and updates its review items in one transaction.
    ///
    /// - Parameters:
    ///   - attribution: the new attribution.
    ///   - sale: the sale before the change.
    ///   - why: the plan's reason, shown in the review item.
    ///   - now: the current time.
    ///   - ledger: the ledger.
    func update(
        _ attribution: Attribution,
        of sale: StoredSale,
        why: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let (id, bundleId) = (sale.sale.saleId, sale.sale.bundleId)
        if attribution != sale.attribution { try ledger.update(attribution, of: id, app: bundleId) }
        var changed = sale
        changed.attribution = attribution
        let wasHeld = sale.attribution.state == .held
        guard wasHeld || attribution.state == .held else { return }
        try review(changed, why: why, now: now, in: ledger)
        if wasHeld, sale.attribution.holdCauses.contains(.reportRefused), !Self.waitsAfterRefusal(attribution) {
            try closeItems(ofReportsNaming: sale, now: now, in: ledger)
        }
    }

    /// Updates the review items of a sale after its content changed.
    ///
    /// - Parameters:
    ///   - sale: the sale before the change.
    ///   - now: the current time.
    ///   - ledger: the ledger.
    func settle(_ sale: StoredSale, now: Timestamp, in ledger: LedgerTransaction) throws(LedgerError) {
        guard sale.attribution.state == .held || sale.reportState != nil,
            let newest = try ledger.sale(sale.sale.saleId, of: sale.sale.bundleId)
        else { return }
        try review(newest, why: "its content changed", now: now, in: ledger)
        if sale.attribution.holdCauses.contains(.reportRefused), !Self.waitsAfterRefusal(newest.attribution) {
            try closeItems(ofReportsNaming: sale, now: now, in: ledger)
        }
    }

    /// Opens or closes the review item of a sale according to its present standing.
    func review(
        _ sale: StoredSale,
        why: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let (subject, bundleId) = (ReviewSubject.sale(sale.sale.saleId), sale.sale.bundleId)
        let open = try ledger.reviewItems(about: subject, app: bundleId)
            .first { $0.kind == .saleHeld && $0.resolution == nil }
        let readiness = readiness(of: sale, now: now)
        guard case .needsReview(let reason) = readiness, sale.reportState == nil,
            !sale.attribution.holdCauses.contains(.reportRefused)
        else {
            guard let open else { return }
            let note =
                readiness == .closed ? "closed with what it waits for" : "the sale does not wait for a person any more"
            let resolution = ReviewResolution(resolvedAt: now, by: Self.author, note: note)
            return try ledger.resolve(open.sequence, resolution)
        }
        if sale.attribution.holdCauses.contains(.checkoutContradiction) {
            try askAboutClaims(of: sale, in: ledger)
        }
        // The text of an item never changes, so a sale that is held for another reason gets a new item.
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

    /// The largest number of claims of a checkout about which Apple is asked at a time.
    private static let claims = 100

    /// Lets the tokens be answered that public arrivals claim for the checkout of a sale, because Apple's answers decide it.
    ///
    /// What these tokens state of themselves, and with it their own due dates, is the choice of whoever made them: the sale
    /// must not wait for it (TK-78).
    private func askAboutClaims(of sale: StoredSale, in ledger: LedgerTransaction) throws(LedgerError) {
        guard let checkout = sale.sale.checkoutId else { return }
        let bundleId = sale.sale.bundleId
        var ids: [ExternalPurchaseId] = []
        for environment in AppStoreEnvironment.allCases {
            ids += try ledger.claims(on: checkout, of: bundleId, in: environment, limit: Self.claims)
        }
        if let first = try ledger.checkout(checkout, of: bundleId)?.externalPurchaseId, !ids.contains(first) {
            ids.append(first)
        }
        for id in ids {
            guard let token = try ledger.token(id, of: bundleId), token.state == .unconfirmed, token.reportedAt == nil
            else { continue }
            try ledger.requestReport(of: id, in: ReportingScope(bundleId: bundleId, environment: id.environment))
        }
    }

    func readiness(of sale: StoredSale, now: Timestamp) -> HoldClassifier.Readiness {
        classifier.readiness(of: sale, now: now)
    }

    /// Closes the review items of withdrawn reports when none of their refused sales waits any more.
    func closeItems(
        ofReportsNaming sale: StoredSale,
        now: Timestamp,
        in ledger: LedgerTransaction
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
        attribution.state == .held && attribution.holdCauses.contains(.reportRefused)
            && attribution.review == .open
    }

    /// The author of items that the server closes.
    private static let author = "server"
}

extension StoredReport {
    /// The sales that the report's errors name.
    var namedSales: Set<SaleId> { Set(errors.compactMap(\.saleId)) }
}

extension LedgerQueries {
    /// Returns the sales named in a withdrawn report's errors that still wait for a decision.
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
