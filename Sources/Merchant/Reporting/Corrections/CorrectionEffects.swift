import ExternalPurchaseCore
import Ledger

/// What a correction does to the refunds of its purchase beside its own reports.
///
/// Refunds that are not reported yet are computed from the others (RR-46), so that a correction changes them: once a
/// refund is retracted, a total that contained it is no longer contained.
struct CorrectionEffects {
    /// The reason why the refunds reported would be more than the totals say; nil where they are not.
    private(set) var refusal: String?
    /// Refunds that are sent after the correction, or that are not sent because of it.
    private(set) var warnings: [CorrectionWarning] = []

    /// Computes the effects.
    ///
    /// - Parameters:
    ///   - plan: the reports of the correction.
    ///   - corrected: the new content of the sale that the correction names.
    ///   - planned: the plan of the sales that are connected with it, before the correction.
    ///   - settings: the settings of both plans.
    ///   - now: the time of both plans.
    init(
        of plan: CorrectionPlan,
        corrected: Sale,
        on planned: MerchantPlanner.Planned,
        settings: ReportingSettings,
        now: Timestamp
    ) {
        let (part, before) = (planned.part, planned.part.universe)
        let versions = CorrectionVersions.versions(
            after: plan.reports,
            of: part.sales,
            corrected: corrected,
            saidAt: now,
            correction: ""
        )
        let next = Dictionary(versions.map { ($0.sale.saleId, $0) }) { $1 }
        var after = before
        for place in after.sales.indices {
            guard let version = next[after.sales[place].sale.saleId] else { continue }
            after.sales[place].sale = version.sale
            after.sales[place].report?.state = version.change == .retracted ? .retracted : .accepted
        }
        let group = Group(of: corrected, in: part.sales)
        let (old, new) = (RefundAllocation(before.sales), RefundAllocation(after.sales))
        if corrected.refund != nil {
            let excess = new.excess[group.id] ?? 0
            if excess > max(0, old.excess[group.id] ?? 0) {
                refusal = Self.refusal(of: corrected, group.text(excess), among: after.sales, group)
            }
        }
        let plans = MerchantPlanner.planner(settings).plan(after, now: now).sales
        for record in after.sales where record.report == nil && !record.isHandedOver && group.contains(record) {
            let (id, item) = (record.sale.saleId, record.lineItemId)
            let sent = Self.amount(of: id, plans[id], new)
            let unchanged = Self.amount(of: id, planned.plan.sales[id], old)
            if sent == nil, unchanged == nil { continue }
            var reason =
                sent.map { "the refund \(id) is sent once it is accepted, with \(group.text($0))" }
                ?? "the refund \(id), which waits to be sent, is not sent then"
            if sent == unchanged {
                // After the restore of an older ledger Apple may have it, and refuses a correction with another net.
                reason += ", as without it: if Apple may have the refund, let it be sent first"
            }
            warnings.append(CorrectionWarning(sent == nil ? .notSentThen : .sentAfterwards, item, reason))
        }
    }

    /// The purchase or order to whose refunds the sale belongs.
    private struct Group {
        let id: SaleId
        let currency: String
        private let lines: Set<SaleId>

        init(of sale: Sale, in sales: [SaleId: StoredSale]) {
            let buy = sale.refund?.refundOf ?? sale.saleId
            let id = sales[buy]?.partOf ?? buy
            self.id = id
            currency = (sale.purchase ?? sales[buy]?.sale.purchase)?.currency ?? ""
            lines = Set(sales.filter { $0.key == id || $0.value.partOf == id }.map(\.key))
        }

        func text(_ amount: Decimal) -> String { "\(Currency.text(of: amount, in: currency)) \(currency)" }

        func contains(_ record: SaleRecord) -> Bool { record.sale.refund.map { lines.contains($0.refundOf) } ?? false }
    }

    /// The amount with which a refund goes into a report, or nil.
    private static func amount(of id: SaleId, _ plan: SalePlan?, _ allocation: RefundAllocation) -> Decimal? {
        guard case .planned? = plan?.outcome, case .amount(let amount)? = allocation.shares[id] else { return nil }
        return amount
    }

    private static func refusal(
        of sale: Sale,
        _ excess: String,
        among records: [SaleRecord],
        _ group: Group
    ) -> String {
        let totals = records.filter { record in
            record.sale.saleId != sale.saleId && record.report?.state == .accepted && group.contains(record)
                && record.sale.refund?.refundedTotal != nil && record.sale.occurredAt >= sale.occurredAt
        }
        let total = totals.min { ($0.sale.occurredAt, $0.sequence) < ($1.sale.occurredAt, $1.sequence) }
        guard let total = total?.sale.saleId else {
            return
                "is a refund by total, of which refunds that were reported since contain \(excess): state the "
                + "amount that is left, or retract those first"
        }
        return
            "is contained in \(total), a refund by total, with \(excess): retract \(total) first, or both "
            + "count"
    }
}
