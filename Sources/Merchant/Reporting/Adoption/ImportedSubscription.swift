import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// The subscription that imported charges belong to, whose name a report does not tell.
///
/// Charges with one start are one subscription. Until somebody says what the merchant calls it, it has a name made from
/// the line item of its start, which no sale of the merchant's has.
struct ImportedSubscription: Hashable, Sendable {
    /// The line item of the start.
    let start: LineItemId

    private static let prefix = "imported start "

    /// The name while no other one is known; longer than a caller's may be for long line item ids.
    var placeholder: SubscriptionId { SubscriptionId(Self.prefix + start.rawValue) }

    /// What a person is asked about a charge that looks like the next one.
    var question: String {
        "it looks like the next charge of the imported subscription that began with line item \(start), whose name is not "
            + "known: import {\"subscriptions\": {\"\(start)\": …}}, or send sale \(start) again with its subscriptionId; retry "
            + "this item when it begins a new subscription"
    }

    init(start: LineItemId) {
        self.start = start
    }

    /// The subscription of a placeholder; nil for a name of the merchant's.
    init?(placeholder: SubscriptionId) {
        guard placeholder.rawValue.hasPrefix(Self.prefix) else { return nil }
        start = LineItemId(String(placeholder.rawValue.dropFirst(Self.prefix.count)))
    }

    /// Gives the imported charges the merchant's name of their subscription.
    ///
    /// - Returns: how many got it, and the charges that have yet another name, which are left as they are.
    func link(
        to name: SubscriptionId,
        now: Timestamp,
        of bundleId: BundleId,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> (count: Int, others: [StoredSale]) {
        var (count, others): (Int, [StoredSale]) = (0, [])
        for stored in try charges(of: bundleId, in: ledger) {
            guard let charge = stored.sale.subscriptionCharge, charge.subscriptionId != name else { continue }
            guard charge.subscriptionId == placeholder else {
                others.append(stored)
                continue
            }
            try ledger.insert(
                SaleVersion(
                    version: stored.version + 1,
                    sale: stored.sale.with(subscription: name),
                    lineItemId: stored.lineItemId,
                    change: stored.isRetracted ? .retracted : .restated,
                    saidAt: now
                )
            )
            count += 1
        }
        return (count, others)
    }

    /// The charges that were accepted with this start, the start first.
    private func charges(of bundleId: BundleId, in ledger: any LedgerQueries) throws(LedgerError) -> [StoredSale] {
        var charges: [StoredSale] = []
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            let items = try ledger.newestAccepted([start], in: scope)
            for (id, version) in items.sorted(by: { $0.key.rawValue < $1.key.rawValue })
            where version.item.subscriptionStart == start {
                guard let sale = try ledger.sale(ofLineItem: id, of: bundleId),
                    let stored = try ledger.sale(sale, of: bundleId)
                else { continue }
                charges.append(stored)
            }
        }
        return charges
    }

    // MARK: Continuations

    /// How long after its last paid period a charge may still continue a subscription: the longest time for which
    /// billing is commonly retried, in ms.
    static let longestGap = 60 * Timestamp.day

    /// Charges that would begin a subscription although they look like the next one of an imported subscription whose
    /// name nobody has said: a second start would be accepted, and wrong for ever (E14).
    ///
    /// - Returns: the imported subscription by sale.
    static func continuations(
        _ planned: MerchantPlanner.Planned,
        of bundleId: BundleId,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> [SaleId: ImportedSubscription] {
        var found: [SaleId: ImportedSubscription] = [:]
        var known: [ExternalPurchaseId: [ImportedSubscription: SubscriptionPeriod]] = [:]
        for (id, plan) in planned.plan.sales {
            guard case .planned(let token) = plan.outcome, plan.moment?.start == nil,
                let stored = planned.part.sales[id], stored.reportState == nil,
                let charge = stored.sale.subscriptionCharge,
                !stored.attribution.flags.contains(.newSubscription)
            else { continue }
            var tokens: Set<ExternalPurchaseId> = [token]
            if let customer = stored.sale.customerId ?? planned.part.tokens[token]?.customerId {
                for other in planned.part.tokens.values where other.customerId == customer {
                    tokens.insert(other.token.externalPurchaseId)
                }
            }
            for token in tokens.sorted(by: { $0.rawValue < $1.rawValue }) {
                if known[token] == nil { known[token] = try unlinked(on: token, of: bundleId, in: ledger) }
                let matches = (known[token] ?? [:]).filter { _, last in
                    charge.period.start >= last.start
                        && charge.period.start <= last.end.advanced(byMilliseconds: longestGap)
                }
                if let match = matches.keys.min(by: { $0.start.rawValue < $1.start.rawValue }) { found[id] = match }
            }
        }
        return found
    }

    /// The newest periods of imported subscriptions on a token that have no other name than the placeholder.
    private static func unlinked(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> [ImportedSubscription: SubscriptionPeriod] {
        // A token that was never imported has no imported sales, however many others it has.
        let first = try ledger.token(token, of: bundleId)?.firstSeen.source
        let seen = try ledger.observations(of: token, app: bundleId).map(\.seen.source)
        guard first == .imported || seen.contains(.imported) else { return [:] }
        var last: [ImportedSubscription: SubscriptionPeriod] = [:]
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try ledger.sales(.token(token, of: bundleId), page)
            for row in rows where row.isImported && !row.isRetracted {
                guard let charge = row.sale.subscriptionCharge,
                    let subscription = ImportedSubscription(placeholder: charge.subscriptionId)
                else { continue }
                let newest = last[subscription]
                if newest.map({ $0.start < charge.period.start }) ?? true { last[subscription] = charge.period }
            }
            guard rows.count == page.limit, let end = rows.last else { return last }
            page.after = end.sequence
        }
    }
}

extension Sale {
    /// The same sale with what links it to a customer and a checkout.
    func with(customer: CustomerId?, checkout: CheckoutId?) -> Sale {
        Sale(
            saleId: saleId,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customer,
            checkoutId: checkout,
            externalPurchaseId: externalPurchaseId,
            kind: kind
        )
    }

    /// The same charge of another subscription; every other sale as it is.
    func with(subscription name: SubscriptionId) -> Sale {
        guard let charge = subscriptionCharge else { return self }
        return Sale(
            saleId: saleId,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId,
            checkoutId: checkoutId,
            externalPurchaseId: externalPurchaseId,
            kind: .subscription(
                SubscriptionCharge(
                    subscriptionId: name,
                    period: charge.period,
                    event: charge.event,
                    purchase: charge.purchase
                )
            )
        )
    }
}
