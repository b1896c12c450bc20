import ExternalPurchaseCore
import Ledger

/// Updates review items and corrections when accepted subscription figures differ from the known events.
///
/// A finding becomes a review item with a correction that a person confirms. With the setting `automatic`, the
/// correction is sent at once. The item closes automatically when the accepted figures agree again.
struct SubscriptionFigureReview: Sendable {
    let settings: ReportingSettings
    let uuid: @Sendable () -> UUID

    /// The author of the items, their closing and the corrections.
    static let author = "planner"

    private var preparation: CorrectionPreparation { CorrectionPreparation(settings: settings, uuid: uuid) }

    /// Opens, replaces and closes review items after a plan was stored.
    ///
    /// - Returns: true if a correction was confirmed, so that sales that refer to its items have to wait.
    func update(
        by planned: MerchantPlanner.Planned,
        of bundleId: BundleId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        let isConcerned = planned.part.sales.values.contains { sale in
            if case .subscription = sale.sale.kind { sale.standing == .reported } else { false }
        }
        guard isConcerned else { return false }
        let findings = SubscriptionFigureFinding.all(in: planned)
        let open = try ledger.openReviewItems(of: .subscriptionFigures, app: bundleId)
            .filter { $0.sale.map { planned.part.sales[$0] != nil } ?? false }
        guard !findings.isEmpty || !open.isEmpty else { return false }
        let pending = try ledger.itemsUnderCorrection(of: bundleId)
        var hasConfirmed = false
        var settled: Set<Int64> = []
        for finding in findings {
            let known = open.filter { item in
                item.sale.flatMap { planned.part.sales[$0] }.map(finding.holds) ?? false
            }
            let isUnderWay = finding.waitsForStart || !pending.isDisjoint(with: finding.lineItemIds)
            if !isUnderWay {
                switch try settle(finding, known, in: ledger, now: now) {
                case .confirmed: hasConfirmed = true
                case .stays: break
                case .replaced: break
                }
            }
            settled.formUnion(known.map(\.sequence))
        }
        for item in open where !settled.contains(item.sequence) {
            try retire(item, "Apple's figures agree with the events, or other ones differ now", in: ledger, now: now)
        }
        return hasConfirmed
    }

    /// The subscriptions whose figures are compared again after a report of a token: those with an open item.
    func keys(after report: StoredReport, in ledger: LedgerQueries) throws(LedgerError) -> [PlanningKey] {
        guard settings.subscriptionFigures == .automatic else { return [] }
        let bundleId = report.scope.bundleId
        var keys: [PlanningKey] = []
        for id in try ledger.openReviewItems(of: .subscriptionFigures, app: bundleId).compactMap(\.sale) {
            let sale = try ledger.sale(id, of: bundleId)
            if sale?.attribution.externalPurchaseId == report.externalPurchaseId { keys.append(.sale(id)) }
        }
        return keys
    }

    private enum Settled {
        case confirmed
        /// The open review item is unchanged.
        case stays
        /// A new review item replaces the known ones.
        case replaced
    }

    private func settle(
        _ finding: SubscriptionFigureFinding,
        _ known: [ReviewItem],
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> Settled {
        let isAutomatic = settings.subscriptionFigures == .automatic
        if !isAutomatic, known.contains(where: { $0.detail == finding.detail }) {
            return .stays
        }
        guard let subject = finding.charges.first?.sale.sale else { return .stays }
        var prepared: CorrectionPreparation.Prepared?
        if !finding.requests.isEmpty {
            let corrected = CorrectedSale(recounting: finding.requests, of: subject)
            prepared = try preparation.plan(corrected, in: finding.scope, now: now, ledger: ledger)
        }
        // An open report of the token is concluded first. Until then the item stands, by which the finding is found again.
        if isAutomatic, let prepared, prepared.plan.isAllowed,
            try preparation.obstacle(to: prepared, in: ledger, now: now) == nil
        {
            for item in known { try close(item.correctionId, item.bundleId, "replaced", in: ledger, now: now) }
            let correction = try keep(prepared, finding, in: ledger, now: now)
            _ = try preparation.confirm(prepared, correction, by: Self.author, in: ledger, now: now)
            return .confirmed
        }
        var detail = finding.detail
        if let prepared, !prepared.plan.isAllowed {
            let reasons = prepared.plan.refusals.map(\.reason).joined(separator: "; ")
            detail += ". It cannot be restated as a whole: \(reasons)"
        }
        if known.contains(where: { $0.detail == detail }) { return .stays }
        // The old item is closed first because a subject can have only one open item.
        for item in known { try retire(item, "other figures differ now", in: ledger, now: now) }
        var correction: StoredCorrection?
        if let prepared, prepared.plan.isAllowed { correction = try keep(prepared, finding, in: ledger, now: now) }
        let item = ReviewItem(
            bundleId: finding.scope.bundleId,
            kind: .subscriptionFigures,
            subject: .sale(finding.subject),
            detail: detail,
            openedAt: now,
            correctionId: correction?.correctionId
        )
        _ = try ledger.open(item)
        return .replaced
    }

    private func keep(
        _ prepared: CorrectionPreparation.Prepared,
        _ finding: SubscriptionFigureFinding,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> StoredCorrection {
        let wish = CorrectionCommand(
            bundleId: finding.scope.bundleId,
            saleId: finding.subject,
            action: .recount,
            requestedBy: Self.author,
            reason: "the events known now give other figures of the subscription than Apple accepted"
        )
        let id = CorrectionId(uuid().uuidString.lowercased())
        return try preparation.keep(prepared, of: wish, as: id, in: ledger, now: now)
    }

    private func retire(
        _ item: ReviewItem,
        _ note: String,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        try ledger.resolve(item.sequence, ReviewResolution(resolvedAt: now, by: Self.author, note: note))
        try close(item.correctionId, item.bundleId, note, in: ledger, now: now)
    }

    private func close(
        _ id: CorrectionId?,
        _ bundleId: BundleId,
        _ note: String,
        by author: String = Self.author,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        try ledger.closeUnconfirmedCorrection(id, of: bundleId, by: author, note, now: now)
    }

    // MARK: Decisions of a person

    /// Closes the correction that an item offers after a person decided to leave the reported figures unchanged.
    func decline(
        _ item: ReviewItem,
        by person: String,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        try close(item.correctionId, item.bundleId, "what was reported is kept", by: person, in: ledger, now: now)
    }

    /// Records that a person gave up the correction of a subscription, so that the reported figures remain.
    func recordGivenUp(
        _ correction: StoredCorrection,
        by person: String,
        _ note: String,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        let request = correction.request.objectValue
        guard request?["action"]?.stringValue == CorrectionCommand.Action.recount.rawValue,
            let name = request?["saleId"]?.stringValue
        else { return }
        let planned = try MerchantPlanner.plan(
            settings,
            touching: [.sale(SaleId(name))],
            of: correction.bundleId,
            in: ledger,
            now: now
        )
        guard let sale = planned.part.sales[SaleId(name)],
            let finding = SubscriptionFigureFinding.all(in: planned).first(where: { $0.holds(sale) })
        else { return }
        let item = ReviewItem(
            bundleId: correction.bundleId,
            kind: .subscriptionFigures,
            subject: .sale(finding.subject),
            detail: finding.detail,
            openedAt: now
        )
        let open = try ledger.open(item)
        try ledger.resolve(open.sequence, ReviewResolution(resolvedAt: now, by: person, note: note))
    }

    /// The charges of a plan whose reported figures are not to be changed.
    ///
    /// These are charges that a person decided about, whose days a person stated, or that another system reported.
    static func kept(
        in planned: MerchantPlanner.Planned,
        _ ledger: LedgerQueries
    ) throws(LedgerError) -> Set<SaleId> {
        var kept: Set<SaleId> = []
        for finding in SubscriptionFigureFinding.all(in: planned) {
            let items = try ledger.reviewItems(about: .sale(finding.subject), app: finding.scope.bundleId)
            let isDecided = items.contains { item in
                item.kind == .subscriptionFigures && item.resolution.map { $0.by != author } ?? false
                    && item.detail.hasPrefix(finding.detail)
            }
            for charge in finding.charges {
                let id = charge.sale.sale.saleId
                var isKept = isDecided
                if !isKept { isKept = try isImported(charge.sale, in: ledger, finding.scope) }
                if !isKept { isKept = try isStated(charge, in: ledger) }
                if isKept { kept.insert(id) }
            }
        }
        return kept
    }

    private static func isImported(
        _ sale: StoredSale,
        in ledger: LedgerQueries,
        _ scope: ReportingScope
    ) throws(LedgerError) -> Bool {
        guard let id = sale.requestIdentifier else { return true }
        return try ledger.report(id, in: scope)?.isImported ?? true
    }

    /// Returns whether a person stated the paid days in a correction and no recount followed.
    private static func isStated(
        _ charge: SubscriptionFigureFinding.Charge,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Bool {
        let sale = charge.sale
        guard sale.version > 1 else { return false }
        for version in try ledger.versions(of: sale.sale.saleId, app: sale.sale.bundleId).reversed() {
            guard let id = version.correctionId, let correction = try ledger.correction(id, of: sale.sale.bundleId)
            else {
                continue
            }
            let request = correction.request.objectValue
            if request?["action"]?.stringValue == CorrectionCommand.Action.recount.rawValue { return false }
            let days = request?["fields"]?.objectValue?["daysOfPaidService"]?.int64Value
            if request?["saleId"]?.stringValue == sale.sale.saleId.rawValue,
                days == Int64(charge.revision.reported.daysOfPaidService)
            {
                return true
            }
        }
        return false
    }
}

extension ReviewItem {
    /// The sale of the item; nil if it is about something else.
    var sale: SaleId? {
        if case .sale(let id) = subject { id } else { nil }
    }
}
