import ExternalPurchaseCore
import Ledger

// Review items, corrections, manual exports and other records that persons decide on.
extension MemoryTransaction {
    func reviewItems(matching filter: ListFilter, _ page: LedgerPage) -> [ReviewItem] {
        slice(ledger.review, page) { ReviewItem.listFields.matches($0, filter) }
    }

    func openReviewItems(_ page: LedgerPage) -> [ReviewItem] {
        slice(ledger.review, page) { $0.resolution == nil }
    }

    func openReviewItems(of kind: ReviewKind, app bundleId: BundleId) -> [ReviewItem] {
        ledger.review.filter { $0.kind == kind && $0.bundleId == bundleId && $0.resolution == nil }
    }

    func reviewItems(about subject: ReviewSubject, app bundleId: BundleId) -> [ReviewItem] {
        ledger.review.filter { $0.subject == subject && $0.bundleId == bundleId }
    }

    func add(_ item: ReviewItem) -> Int64 {
        var item = item
        item.sequence = Int64(ledger.review.count + 1)
        return append(item, to: \.review)
    }

    func close(_ sequence: Int64, with resolution: ReviewResolution) throws(LedgerError) {
        let place = Int(clamping: sequence) - 1
        guard ledger.review.indices.contains(place), ledger.review[place].resolution == nil else {
            throw .conflict("no such open item")
        }
        guard !resolution.by.isEmpty else { throw .conflict("a resolution names a person") }
        var resolved = ledger.review[place]
        resolved.resolution = resolution
        replace(place, in: \.review, by: resolved)
    }

    // MARK: Corrections

    func correction(_ id: CorrectionId, of bundleId: BundleId) -> StoredCorrection? {
        ledger.corrections.first { $0.correctionId == id && $0.bundleId == bundleId }
    }

    func corrections(matching filter: ListFilter, _ page: LedgerPage) -> [StoredCorrection] {
        slice(ledger.corrections, page) { StoredCorrection.listFields.matches($0, filter) }
    }

    func openCorrections(_ page: LedgerPage) -> [StoredCorrection] {
        slice(ledger.corrections, page) { $0.closing == nil }
    }

    func add(_ correction: StoredCorrection) throws(LedgerError) -> Int64 {
        guard self.correction(correction.correctionId, of: correction.bundleId) == nil else {
            throw .conflict("the app has a correction of that id")
        }
        guard !correction.requestedBy.isEmpty, !correction.reason.isEmpty else {
            throw .conflict("a correction names a person and a reason")
        }
        var correction = correction
        correction.sequence = Int64(ledger.corrections.count + 1)
        return append(correction, to: \.corrections)
    }

    func change(_ correction: StoredCorrection) throws(LedgerError) {
        let place = try placeOfOpen(correction.correctionId, correction.bundleId)
        var changed = ledger.corrections[place]
        if changed.confirmation != nil,
            changed.confirmation != correction.confirmation || changed.dryRun != correction.dryRun
        {
            throw .conflict("a confirmed correction does not change")
        }
        changed.dryRun = correction.dryRun
        changed.confirmation = correction.confirmation
        changed.closing = correction.closing
        replace(place, in: \.corrections, by: changed)
    }

    func add(_ report: CorrectionReport, _ id: CorrectionId, _ bundleId: BundleId) throws(LedgerError) {
        let scope = ReportingScope(bundleId: bundleId, environment: report.environment)
        guard self.report(report.requestIdentifier, in: scope) != nil else {
            throw .conflict("the report of the correction is not stored")
        }
        guard !ledger.corrections.contains(where: { $0.bundleId == bundleId && $0.reports.contains(report) }) else {
            throw .conflict("the report is a correction's already")
        }
        let place = ledger.corrections.firstIndex { $0.correctionId == id && $0.bundleId == bundleId }
        guard let place else { throw .conflict("no such correction") }
        var changed = ledger.corrections[place]
        changed.reports.append(report)
        replace(place, in: \.corrections, by: changed)
    }

    private func placeOfOpen(_ id: CorrectionId, _ bundleId: BundleId) throws(LedgerError) -> Int {
        let place = ledger.corrections.firstIndex { $0.correctionId == id && $0.bundleId == bundleId }
        guard let place, ledger.corrections[place].closing == nil else { throw .conflict("no such open correction") }
        return place
    }

    // MARK: Manual exports

    func manualExport(_ id: ManualExportId, of bundleId: BundleId) -> ManualExport? {
        ledger.exports.first { $0.exportId == id && $0.bundleId == bundleId }
    }

    func manualExports(matching filter: ListFilter, _ page: LedgerPage) -> [ManualExport] {
        slice(ledger.exports, page) { ManualExport.listFields.matches($0, filter) }
    }

    func sales(in export: ManualExportId, of bundleId: BundleId) -> [StoredSale] {
        ledger.sales.filter { $0.exportId == export && $0.sale.bundleId == bundleId }
    }

    func add(_ export: ManualExport, holding sales: [SaleId]) throws(LedgerError) -> Int64 {
        guard manualExport(export.exportId, of: export.bundleId) == nil else {
            throw .conflict("the app has an export of that id")
        }
        for sale in sales {
            let place = try place(ofOpen: sale, export.bundleId)
            var held = ledger.sales[place]
            held.exportId = export.exportId
            replace(place, in: \.sales, by: held)
            set(\.openSales, place, nil)
        }
        var export = export
        export.sequence = Int64(ledger.exports.count + 1)
        return append(export, to: \.exports)
    }

    func change(_ id: ManualExportId, _ bundleId: BundleId, _ manualSubmission: ManualSubmission) throws(LedgerError) {
        let place = ledger.exports.firstIndex { $0.exportId == id && $0.bundleId == bundleId }
        guard let place, ledger.exports[place].submission == nil else { throw .conflict("no such export to submit") }
        guard !manualSubmission.by.isEmpty else { throw .conflict("handing in names a person") }
        var changed = ledger.exports[place]
        changed.submission = manualSubmission
        replace(place, in: \.exports, by: changed)
    }

    func withdraw(
        _ id: ManualExportId,
        _ bundleId: BundleId,
        _ withdrawal: ExportWithdrawal
    ) throws(LedgerError) {
        let place = ledger.exports.firstIndex { $0.exportId == id && $0.bundleId == bundleId }
        guard let place, ledger.exports[place].submission != nil, ledger.exports[place].withdrawal == nil else {
            throw .conflict("no such export to take back")
        }
        guard !withdrawal.by.isEmpty, !withdrawal.reason.isEmpty else {
            throw .conflict("taking back names a person and a reason")
        }
        for (salePlace, sale) in ledger.sales.enumerated()
        where sale.exportId == id && sale.sale.bundleId == bundleId {
            var freed = sale
            freed.exportId = nil
            replace(salePlace, in: \.sales, by: freed)
            set(\.openSales, salePlace, true)
        }
        var changed = ledger.exports[place]
        changed.withdrawal = withdrawal
        replace(place, in: \.exports, by: changed)
    }

    // MARK: Invoices

    func invoices(_ page: LedgerPage) -> [StoredInvoice] { slice(ledger.invoices, page) }

    func add(_ invoice: StoredInvoice) throws(LedgerError) -> Int64 {
        guard !ledger.invoices.contains(where: invoice.isSameLine) else {
            throw .conflict("the invoice has that line already")
        }
        guard !invoice.enteredBy.isEmpty else { throw .conflict("entering an invoice names a person") }
        var invoice = invoice
        invoice.sequence = Int64(ledger.invoices.count + 1)
        return append(invoice, to: \.invoices)
    }

    // MARK: Retention

    /// The error of a purge: a store in memory is not older than its process, so it contains nothing to purge.
    static let nothingToPurge = LedgerError.failed("a ledger in memory is gone with its process; nothing is purged")

    func purgePlan(before cut: Timestamp) throws(LedgerError) -> PurgePlan { throw Self.nothingToPurge }
}
