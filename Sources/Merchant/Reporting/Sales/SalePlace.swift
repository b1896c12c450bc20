import ExternalPurchaseCore
import Ledger

/// The place of a sale between ledger and Apple, which decides how it can be changed.
enum SalePlace: Hashable, Sendable {
    /// The sale is in no report and no manual export.
    case free
    /// The sale is in a report that is certainly not at Apple, because it was not sent or was refused.
    case here(StoredReport)
    /// The sale is in a report that Apple may have.
    case mayBeAtApple(StoredReport)
    /// Apple accepted the sale.
    case accepted
    /// The sale was submitted by hand (OB-62).
    case handedOver(ManualExportId)

    private var rank: Int {
        switch self {
        case .free: 0
        case .here: 1
        case .mayBeAtApple: 2
        case .handedOver: 3
        case .accepted: 4
        }
    }

    /// Determines the place of a sale.
    ///
    /// - Throws: ``LedgerError``.
    init(of sale: StoredSale, in ledger: any LedgerQueries) throws(LedgerError) {
        // The lines of an order are in one report; if they are not, the most advanced line decides.
        var places: [SalePlace] = []
        for line in try ledger.lines(of: sale) where !line.isVoid { places.append(try SalePlace(of: line, in: ledger)) }
        if let furthest = places.max(by: { $0.rank < $1.rank }) {
            self = furthest
            return
        }
        if let export = sale.exportId {
            self = .handedOver(export)
            return
        }
        guard let id = sale.requestIdentifier, let token = sale.attribution.externalPurchaseId,
            let report = try ledger.report(
                id,
                in: ReportingScope(bundleId: sale.sale.bundleId, environment: token.environment)
            )
        else {
            self = .free
            return
        }
        switch report.state {
        case .accepted: self = .accepted
        case .withdrawn: self = .free
        case .written, .needsAttention, .sending, .unknown:
            self = report.isSurelyNotAtApple ? .here(report) : .mayBeAtApple(report)
        }
    }
}

extension StoredReport {
    /// True if Apple certainly has nothing of the report.
    ///
    /// Either it was never sent, or Apple's last response states that nothing was stored (SA-60).
    var isSurelyNotAtApple: Bool {
        switch state {
        case .withdrawn: true
        case .accepted, .sending, .unknown: false
        // Error code 26 requires the same bytes again, because Apple is still processing a report.
        case .written: attempts == 0 || answer?.conclusion != ReportDelivery.stillInProcess
        case .needsAttention: attempts == 0 || !errors.isEmpty && answer?.status == 400
        }
    }
}

extension LedgerTransaction {
    /// Withdraws a report that is certainly not at Apple, and closes its review items.
    ///
    /// - Returns: the sales that it held; they can go into other reports.
    /// - Throws: ``LedgerError/conflict(_:)`` for a report that Apple may have.
    func takeBack(
        _ report: StoredReport,
        because note: String,
        by: String,
        at now: Timestamp
    ) throws(LedgerError) -> [StoredSale] {
        let ids = try sales(in: report.requestIdentifier, of: report.scope).map(\.sale.saleId)
        var withdrawn = report
        withdrawn.changedAt = now
        if report.state == .written {
            withdrawn.state = .needsAttention
            try update(withdrawn, accepting: [])
        }
        withdrawn.state = .withdrawn
        try update(withdrawn, accepting: [])
        for item in try reviewItems(about: .report(report.requestIdentifier), app: report.scope.bundleId)
        where item.kind == .reportRefused && item.resolution == nil {
            try resolve(item.sequence, ReviewResolution(resolvedAt: now, by: by, note: note))
        }
        var freed: [StoredSale] = []
        for id in ids {
            if let sale = try sale(id, of: report.scope.bundleId) { freed.append(sale) }
        }
        return freed
    }
}
