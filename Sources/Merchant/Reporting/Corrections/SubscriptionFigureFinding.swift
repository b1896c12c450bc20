import ExternalPurchaseCore
import Ledger

/// Accepted charges of one subscription whose figures have to be corrected.
///
/// Their event, start or paid days differ from the figures that all known events give (RR-30 to RR-34).
struct SubscriptionFigureFinding: Hashable, Sendable {
    struct Charge: Hashable, Sendable {
        let sale: StoredSale
        let revision: SubscriptionRevision
    }

    let subscriptionId: SubscriptionId
    let scope: ReportingScope
    /// The charges sorted by time; at least one.
    let charges: [Charge]
    /// The sale that the review item of this finding is about.
    let subject: SaleId
    /// True while a subscription start that the charges must reference is not accepted yet.
    let waitsForStart: Bool

    /// The largest number of charges that ``detail`` names.
    private static let mostNamed = 10

    /// The findings in a plan, sorted by subscription and sale.
    static func all(in planned: MerchantPlanner.Planned) -> [SubscriptionFigureFinding] {
        struct Key: Hashable {
            let subscriptionId: SubscriptionId
            let scope: ReportingScope
        }
        var charges: [Key: [Charge]] = [:]
        for (id, plan) in planned.plan.sales {
            guard let revision = plan.revision, let sale = planned.part.sales[id], sale.standing == .reported,
                let subscriptionId = sale.sale.subscriptionId, let token = sale.attribution.externalPurchaseId
            else { continue }
            let scope = ReportingScope(bundleId: sale.sale.bundleId, environment: token.environment)
            charges[Key(subscriptionId: subscriptionId, scope: scope), default: []]
                .append(Charge(sale: sale, revision: revision))
        }
        let reports = Dictionary(planned.part.universe.sales.map { ($0.sale.saleId, $0.report) }) { first, _ in first }
        return charges.compactMap { key, charges in
            let sorted = charges.sorted {
                ($0.sale.sale.occurredAt, $0.sale.sale.saleId) < ($1.sale.sale.occurredAt, $1.sale.sale.saleId)
            }
            guard let first = sorted.first else { return nil }
            let becomingStarts = Set(sorted.filter { $0.revision.right.event == .start }.map(\.sale.sale.saleId))
            let waitsForStart = sorted.contains { charge in
                guard let start = charge.revision.start, !becomingStarts.contains(start) else { return false }
                let report = reports[start] ?? nil
                return report?.state != .accepted || report?.event != .start
            }
            return SubscriptionFigureFinding(
                subscriptionId: key.subscriptionId,
                scope: key.scope,
                charges: sorted,
                subject: first.sale.sale.saleId,
                waitsForStart: waitsForStart
            )
        }
        .sorted { ($0.subscriptionId, $0.subject) < ($1.subscriptionId, $1.subject) }
    }

    func holds(_ sale: StoredSale) -> Bool {
        sale.sale.subscriptionId == subscriptionId
            && sale.attribution.externalPurchaseId?.environment == scope.environment
    }

    /// The restatements that Apple still accepts.
    var requests: [CorrectionRequest] {
        charges.filter { !$0.revision.isTooLate }.map { charge in
            let (reported, right) = (charge.revision.reported, charge.revision.right)
            let fields = CorrectedFields { fields in
                if reported.event != right.event { fields.subscriptionEvent = right.event }
                if reported.start != right.start { fields.reference = right.start }
                if reported.daysOfPaidService != right.daysOfPaidService {
                    fields.daysOfPaidService = right.daysOfPaidService
                }
            }
            return .restate(charge.sale.lineItemId, fields)
        }
    }

    var lineItemIds: Set<LineItemId> { Set(charges.map(\.sale.lineItemId)) }

    /// A text with the reported and the correct figures of each charge.
    var detail: String {
        var parts = charges.prefix(Self.mostNamed).map { charge in
            let late = charge.revision.isTooLate ? " (Apple takes no restatement after a year)" : ""
            return "sale \(charge.sale.sale.saleId) is reported as \(charge.revision.reported.words), right is "
                + "\(charge.revision.right.words)\(late)"
        }
        if charges.count > Self.mostNamed { parts.append("and \(charges.count - Self.mostNamed) more charges") }
        return "subscription \(subscriptionId): the events known now give other figures than Apple accepted: "
            + parts.joined(separator: "; ")
    }
}

extension SubscriptionFigures {
    fileprivate var words: String {
        let start = start.map { " of \($0)" } ?? ""
        return "\(event.rawValue)\(start) after \(daysOfPaidService) paid days"
    }
}
