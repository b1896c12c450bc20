import ExternalPurchaseCore
import ReportValidation

/// Simulates the reports of a correction in order: computes nets, validates, and updates the history.
struct DryRun {
    private(set) var steps: [PlannedReport] = []
    private(set) var refusals: [CorrectionRefusal] = []
    private var warnings: [CorrectionWarning] = []
    /// The planned state of each line item after the reports simulated so far.
    private var standing: CurrentItems
    /// The same line items in the form in which the report rules see an accepted item.
    private var accepted: [LineItemId: AcceptedLineItem]
    private let tokens: [ExternalPurchaseId: KnownToken]
    private let settings: RuleSettings
    private let limits: ReportLimits
    private let now: Timestamp
    private var exceededBuys: Set<LineItemId> = []
    private var lateItems: Set<LineItemId> = []

    init(
        _ standing: CurrentItems,
        history: CorrectionHistory,
        settings: RuleSettings,
        limits: ReportLimits,
        now: Timestamp
    ) {
        self.standing = standing
        accepted = history.items
        tokens = history.tokens
        self.settings = settings
        self.limits = limits
        self.now = now
    }

    /// Simulates one report.
    mutating func play(_ operations: [CorrectionOperation]) {
        guard let token = operations.first?.externalPurchaseId else { return }
        let operations = operations.sorted {
            ($0.item.reportRank, $0.item.creationDate, $0.lineItemId)
                < ($1.item.reportRank, $1.item.creationDate, $1.lineItemId)
        }
        let earlier = standing
        for operation in operations { standing.put(operation.item, on: token) }
        var nets: [LineItemId: Int128] = [:]
        for buy in Set(operations.map(\.item.buyOfNet)) { nets[buy] = standing.net(of: buy) }
        let items = operations.map { operation in
            var item = agreed(operation.item)
            // Without a buy there is no net; the validation reports the wrong reference.
            if let net = nets[item.buyOfNet] { item.amounts.netTaxExclusive = stated(net, of: item) }
            standing.put(item, on: token)
            checkTime(of: operation)
            // A new item is compared with the item it replaces, as it was before the correction.
            let shown = operation.previous == nil ? operation.shownBefore : earlier[operation.lineItemId]?.item
            return ItemCorrection(action: operation.action, cause: operation.cause, before: shown, item: item)
        }
        steps.append(judged(PlannedReport(externalPurchaseId: token, items: items)))
    }

    /// Gives a retracted refund the members of its buy, because the rules check it like a live one (RR-8).
    private mutating func agreed(_ item: LineItem) -> LineItem {
        guard item.isRefund, !item.isLive, let buy = item.reference.flatMap({ standing[$0]?.item }), !buy.isRefund,
            RefundAgreement(item) != RefundAgreement(buy)
        else { return item }
        if RefundAgreement(item).needsOtherAmounts(than: RefundAgreement(buy)) {
            warnings.append(
                CorrectionWarning(
                    .refundLeftBehind,
                    item.lineItemId,
                    "the refund \(item.lineItemId) had other currencies than its buy \(buy.lineItemId): its retraction"
                        + " takes the buy's, and its amounts must be stated if it is ever undone"
                )
            )
        }
        return item.agreeing(with: buy)
    }

    private mutating func stated(_ net: Int128, of item: LineItem) -> MilliUnits {
        // A buy that is itself negative is reported by the validation rules.
        let refunds = net < 0 ? standing.liveRefunds(of: item.buyOfNet).map(\.item.lineItemId) : []
        if !refunds.isEmpty, exceededBuys.insert(item.buyOfNet).inserted {
            let excess = MilliUnits(Int64(clamping: -net)).unitsText(in: item.amounts.reportingCurrency)
            refusals.append(
                .refunds(refunds, exceed: item.buyOfNet, by: "\(excess) \(item.amounts.reportingCurrency)")
            )
        }
        return MilliUnits(Int64(clamping: net))
    }

    /// Checks the time limits: one year for corrections, and one year after the buy for refunds (RR-82).
    private mutating func checkTime(of operation: CorrectionOperation) {
        let item = operation.item
        let id = item.lineItemId
        if let previous = operation.previous {
            let end = previous.creationDate + settings.restatementWindow
            if end < now, lateItems.insert(id).inserted {
                refusals.append(
                    CorrectionRefusal(
                        .tooLate,
                        id,
                        rule: .restatementNotAllowedCreationDate,
                        "\(id) is of \(previous.creationDate): Apple took corrections of it until \(end)"
                    )
                )
            }
        }
        guard item.isRefund, let buy = item.reference.flatMap({ standing[$0]?.item }), !buy.isRefund else { return }
        let end = buy.creationDate + settings.refundWindow
        let countsToNow = settings.refundWindowEnd == .now && operation.previous == nil
        if (countsToNow ? now : item.creationDate) > end, lateItems.insert(id).inserted {
            refusals.append(
                CorrectionRefusal(
                    .tooLate,
                    id,
                    rule: .refundNotAllowedCreationDate,
                    "the refund \(id) of the buy \(buy.lineItemId) of \(buy.creationDate): Apple takes refunds of it"
                        + " until \(end)"
                )
            )
        }
    }

    /// Validates the exact bytes that would be sent, with a placeholder as request identifier.
    private mutating func judged(_ step: PlannedReport) -> PlannedReport {
        guard let placeholder = RequestIdentifier("00000000-0000-0000-0000-000000000000") else { return step }
        let report = step.report(placeholder)
        let received: ReceivedReport
        do {
            received = try ReceivedReport.read(report.body, limits: limits)
        } catch {
            refusals.append(
                CorrectionRefusal(.refusedByRules, nil, "the report would not be readable: \(error)")
            )
            return step
        }
        var slice = HistorySlice()
        slice.token = tokens[step.externalPurchaseId]
        slice.newest = accepted
        let errors = ReportValidator(settings: settings).validate(received, history: slice, now: now)
        for item in received.lineItems ?? [] {
            guard let id = item.lineItemId else { continue }
            accepted[id] = AcceptedLineItem(item: item, externalPurchaseId: step.externalPurchaseId)
        }
        return PlannedReport(
            externalPurchaseId: step.externalPurchaseId,
            items: step.items,
            predictedErrors: errors
        )
    }

    /// Warnings about the state after the correction.
    func warnings(about draft: CorrectionDraft) -> [CorrectionWarning] {
        var warnings = warnings
        var seenBuys: Set<LineItemId> = []
        for id in draft.order {
            guard let item = standing[id]?.item, item.isLive,
                let buy = item.isRefund ? item.reference.flatMap({ standing[$0]?.item }) : item
            else { continue }
            if seenBuys.insert(buy.lineItemId).inserted {
                for refund in standing.liveRefunds(of: buy.lineItemId)
                where RefundAgreement(refund.item) != RefundAgreement(buy) {
                    warnings.append(.leftBehind(refund.item.lineItemId, buy: buy.lineItemId))
                }
            }
            guard draft.changes[id]?.action == .undo, !item.isRefund else { continue }
            for referrer in standing.referrers(of: id) where !referrer.item.isLive {
                warnings.append(
                    CorrectionWarning(
                        .staysRetracted,
                        referrer.item.lineItemId,
                        "\(referrer.item.lineItemId), which references \(id), stays retracted: undo it too if it happened"
                    )
                )
            }
        }
        if steps.count > 1 {
            warnings.append(
                CorrectionWarning(
                    .severalReports,
                    nil,
                    "the correction takes \(steps.count) reports: each is sent when the one before it was accepted"
                )
            )
        }
        return warnings
    }
}
