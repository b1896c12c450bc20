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
    /// Apple says that it has the sale, or what the sale depends on, in a report that the ledger does not know (RR-85).
    case reportedAlready(SaleAtApple)
    /// The sale was submitted by hand (OB-62).
    case handedOver(ManualExportId)

    private var rank: Int {
        switch self {
        case .free: 0
        case .here: 1
        case .mayBeAtApple: 2
        case .handedOver: 3
        case .accepted: 4
        case .reportedAlready: 5
        }
    }

    /// Determines the place of a sale.
    ///
    /// - Throws: ``LedgerError``.
    init(of sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) {
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
        var known: SalePlace = .free
        if let id = sale.requestIdentifier, let token = sale.attribution.externalPurchaseId,
            let report = try ledger.report(
                id,
                in: ReportingScope(bundleId: sale.sale.bundleId, environment: token.environment)
            )
        {
            switch report.state {
            case .accepted: known = .accepted
            case .withdrawn: known = .free
            case .written, .needsAttention, .sending, .unknown:
                known = report.isSurelyNotAtApple ? .here(report) : .mayBeAtApple(report)
            }
        }
        switch known {
        case .accepted, .mayBeAtApple: self = known
        default: self = try SaleAtApple(of: sale, in: ledger).map(SalePlace.reportedAlready) ?? known
        }
    }
}

/// What Apple says that it has, while the ledger knows no report with it (RR-85).
struct SaleAtApple: Hashable, Sendable {
    /// The sale; nil if Apple has line items of the token, without saying which ones (E8).
    let sale: StoredSale?
    /// The report that Apple refused therefore.
    let report: StoredReport

    /// Finds what Apple says about a sale that is not accepted, and about those on which its line item depends.
    ///
    /// They are the purchase of a refund, the chargeback of a reversal, the other refunds of the purchase, and the other
    /// charges of a subscription: of a sale that was sent for none of them, Apple may have its line item as well.
    ///
    /// - Throws: ``LedgerError``.
    init?(of sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) {
        if sale.isVoid { return nil }
        var next: StoredSale? = sale
        var steps = 0
        while let current = next, steps < 3 {
            var candidates = [current] + (try ledger.lines(of: current))
            if let buy = current.sale.refund?.refundOf {
                candidates += try ledger.refunds(of: buy, app: current.sale.bundleId)
            }
            for candidate in candidates {
                guard let report = try ledger.refusal(asKnown: candidate) else { continue }
                (self.sale, self.report) = (candidate, report)
                return
            }
            let referred = current.sale.refund?.refundOf ?? current.sale.reversedChargeback
            next = try referred.flatMap { id throws(LedgerError) in try ledger.sale(id, of: sale.sale.bundleId) }
            steps += 1
        }
        if let subscription = sale.sale.subscriptionId {
            let query = SaleQuery.subscription(subscription.rawValue, of: sale.sale.bundleId)
            for charge in try ledger.sales(query, LedgerPage(limit: 1_000)) {
                guard let report = try ledger.refusal(asKnown: charge) else { continue }
                (self.sale, self.report) = (charge, report)
                return
            }
        }
        if let token = sale.attribution.externalPurchaseId,
            try ledger.reportSummary(of: token, app: sale.sale.bundleId).hasOpenReport,
            let report = try ledger.reports(on: token, of: sale.sale.bundleId).last(where: { report in
                report.state == .needsAttention && report.showsThatAppleHasLineItems
            })
        {
            (self.sale, self.report) = (nil, report)
            return
        }
        return nil
    }
}

extension LedgerQueries {
    /// Returns the newest report that Apple refused because it has line items of the token of a sale that was never
    /// sent (E8), also if a person decided about it since; nil if there is none.
    ///
    /// The sale may be one of those line items, and only Apple's answer to it tells (RR-85).
    func refusal(ofTokenOfUnsent sale: StoredSale) throws(LedgerError) -> StoredReport? {
        let lines = try lines(of: sale)
        let unsent = (lines.isEmpty ? [sale] : lines).filter { [.planned, .held, .inReport].contains($0.standing) }
        for token in Set(unsent.compactMap(\.attribution.externalPurchaseId)).sorted() {
            // Only refused reports are read: a token may have any number of accepted ones.
            for state in [ReportState.needsAttention, .withdrawn] {
                let filter = ListFilter([
                    .bundleId: sale.sale.bundleId.rawValue, .externalPurchaseId: token.rawValue, .state: state.rawValue,
                ])
                let refused = try reports(matching: filter, LedgerPage(limit: 500, isNewestFirst: true))
                if let report = refused.first(where: \.showsThatAppleHasLineItems) { return report }
            }
        }
        return nil
    }

    /// Returns the newest report that Apple refused because it has the sale, while the sale is not accepted.
    fileprivate func refusal(asKnown sale: StoredSale) throws(LedgerError) -> StoredReport? {
        guard let token = sale.attribution.externalPurchaseId,
            ![.reported, .retracted, .void, .handedOver].contains(sale.standing)
        else { return nil }
        // Only a sale that waits after a refusal, that a person sent again, or whose report was refused as a whole.
        guard
            sale.attribution.holdCauses.contains(.reportedAlready) || sale.attribution.dispatch == .apart
                || sale.reportState == .needsAttention
        else { return nil }
        return try reports(on: token, of: sale.sale.bundleId).last { $0.showsThatAppleHas(sale) }
    }
}

extension AttributedReportError {
    /// Whether Apple refused a line item because it has it (E1), or has its retraction (E30).
    var showsThatAppleHasIt: Bool {
        !isLocal
            && (error.errorCode == .duplicateValue && error.fieldName == "lineItemId"
                || error.errorCode == .repeatErroneousSubmission)
    }
}

extension StoredReport {
    /// Whether Apple refused the sale's line item because it has it (E1), or has its retraction (E30).
    func showsThatAppleHas(_ sale: StoredSale) -> Bool {
        errors.contains { $0.saleId == sale.sale.saleId && $0.showsThatAppleHasIt }
    }

    /// Whether Apple refused every line item of a correction because it has it (E1), or has its retraction (E30).
    var showsThatAppleHasItsItems: Bool {
        let known = Set(errors.filter(\.showsThatAppleHasIt).compactMap(\.error.lineItemId))
        let items = sentItems.compactMap(\.lineItemId)
        return !items.isEmpty && items.allSatisfy(known.contains)
    }

    /// Whether Apple refused a token's answer because it has line items of the token (E8).
    var showsThatAppleHasLineItems: Bool {
        errors.contains { !$0.isLocal && $0.error.errorCode == .lineItemStatusRegression }
    }

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
