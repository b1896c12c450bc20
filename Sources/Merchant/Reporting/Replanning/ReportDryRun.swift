import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Validates the required reports of a plan's tokens without writing them.
struct ReportDryRun {
    let planned: MerchantPlanner.Planned
    let settings: ReportingSettings
    let now: Timestamp
    private let records: [SaleId: SaleRecord]
    /// The refunds of each buy.
    private var refunds: [SaleId: [SaleId]] = [:]
    /// The newest accepted versions of refunds, by the line item of their buy.
    private var acceptedRefunds: [LineItemId: [AcceptedVersion]] = [:]

    init(planned: MerchantPlanner.Planned, settings: ReportingSettings, now: Timestamp) {
        self.planned = planned
        self.settings = settings
        self.now = now
        records = Dictionary(planned.part.universe.sales.map { ($0.sale.saleId, $0) }) { first, _ in first }
        for record in planned.part.universe.sales {
            if let buy = record.sale.refund?.refundOf { refunds[buy, default: []].append(record.sale.saleId) }
        }
        for version in planned.part.accepted.values.flatMap(\.values) where version.item.eventType == .refund {
            if let buy = version.item.referenceLineItemId { acceptedRefunds[buy, default: []].append(version) }
        }
    }

    /// Returns the sales on which the line items of some sales depend, and these.
    private func related(to sales: [SaleId]) -> [SaleRecord] {
        var related: Set<SaleId> = []
        for id in sales {
            related.insert(id)
            let referred = records[id].flatMap { $0.sale.refund?.refundOf ?? $0.sale.reversedChargeback }
            let buys = [id, referred, referred.flatMap { records[$0]?.sale.refund?.refundOf }].compactMap { $0 }
            related.formUnion(buys)
            related.formUnion(buys.flatMap { refunds[$0] ?? [] })
            if let start = planned.plan.sales[id]?.moment?.start { related.insert(start) }
        }
        return related.sorted().compactMap { records[$0] }
    }

    private func items(of sales: [SaleId], on token: StoredToken) -> [LineItem] {
        let related = related(to: sales)
        let known = planned.part.accepted[token.token.environment] ?? [:]
        var accepted: [LineItemId: AcceptedVersion] = [:]
        for id in related.map(\.lineItemId) {
            accepted[id] = known[id]
            for refund in acceptedRefunds[id] ?? [] {
                if let id = refund.item.lineItemId { accepted[id] = known[id] }
            }
        }
        var moments: [SaleId: SubscriptionMoment] = [:]
        for id in sales { moments[id] = planned.plan.sales[id]?.moment }
        return LineItemPlanner(foreignCurrency: settings.foreignCurrency).items(
            of: sales,
            among: related,
            accepted: accepted,
            moments: moments,
            tokenCreationDate: token.token.tokenCreationDate
        ).items
    }

    /// - Returns: the errors; empty if the token requires no report.
    func errors(of token: ExternalPurchaseId, in ledger: LedgerQueries) throws(LedgerError) -> [ReportError] {
        guard settings.isPreflightOn, let stored = planned.part.tokens[token],
            let plan = planned.plan.tokens[token],
            let requestIdentifier = RequestIdentifier("00000000-0000-4000-8000-000000000000")
        else { return [] }
        let content: Report.Content
        switch plan.report {
        case .lineItems(let ready, _):
            let open = ready.filter { planned.part.sales[$0]?.standing == .planned }
            let items = items(of: Array(open.prefix(settings.limits.lineItems)), on: stored)
            if items.isEmpty { return [] }
            content = .lineItems(items)
        case .status(let status): content = .status(status)
        case .nothing: return []
        }
        let report = Report(requestIdentifier: requestIdentifier, externalPurchaseId: token, content: content)
        let history = try ledger.history(for: report.asReceived, in: stored.scope)
        return ReportValidator(settings: settings.rules).validate(report.asReceived, history: history, now: now)
    }
}

extension [ReportError] {
    /// The errors as one line with code, message, field and line item of each.
    var words: String {
        map { error in
            let place = [error.fieldName, error.lineItemId.map { "of \($0)" }].compactMap(\.self).joined(separator: " ")
            return "\(error.errorCode) \(error.errorMessage)" + (place.isEmpty ? "" : " (\(place))")
        }
        .joined(separator: ", ")
    }
}
