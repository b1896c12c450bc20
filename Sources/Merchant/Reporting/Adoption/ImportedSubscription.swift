import ExternalPurchaseCore
import Ledger

/// A subscription of imported charges whose name is not known, because reports do not contain it.
///
/// Charges with the same start belong to one subscription. Until the merchant names it, it has a placeholder name made
/// from the line item of its start. No sale of the merchant uses such a name.
struct ImportedSubscription: Hashable, Sendable {
    /// The line item of the subscription start.
    let start: LineItemId

    private static let prefix = "imported start "

    /// The name that stands in for the merchant's; it may exceed the length limit for names in requests.
    var placeholder: SubscriptionId { SubscriptionId(Self.prefix + start.rawValue) }

    /// The question to a person about a charge that seems to continue the subscription.
    var question: String {
        "it looks like the next charge of the imported subscription that began with line item \(start), whose name is not "
            + "known: import {\"subscriptions\": {\"\(start)\": …}}, or send sale \(start) again with its subscriptionId; retry "
            + "this item when it begins a new subscription"
    }

    init(start: LineItemId) {
        self.start = start
    }

    /// Creates the subscription of a placeholder; nil if the name is one of the merchant's.
    init?(placeholder: SubscriptionId) {
        guard placeholder.rawValue.hasPrefix(Self.prefix) else { return nil }
        start = LineItemId(String(placeholder.rawValue.dropFirst(Self.prefix.count)))
    }

    /// Gives the imported charges the merchant's name of their subscription.
    ///
    /// - Returns: the number of renamed charges, and the charges that already have another name and are not changed.
    func link(
        to name: SubscriptionId,
        now: Timestamp,
        of bundleId: BundleId,
        in ledger: LedgerTransaction
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

    /// The charges that Apple accepted with this start, sorted by line item.
    private func charges(of bundleId: BundleId, in ledger: LedgerQueries) throws(LedgerError) -> [StoredSale] {
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

    /// The longest time between the end of the last paid period and a charge that may continue the subscription.
    ///
    /// It is the longest time for which providers commonly retry a payment.
    static let longestGap = Duration.days(60)

    /// Finds charges that would start a new subscription although they seem to continue an imported one.
    ///
    /// The name of the imported subscription is not known. Apple would accept a second start, and it could never be
    /// corrected (E14).
    ///
    /// - Returns: the imported subscription by sale.
    static func continuations(
        _ planned: MerchantPlanner.Planned,
        of bundleId: BundleId,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [SaleId: ImportedSubscription] {
        var found: [SaleId: ImportedSubscription] = [:]
        var known: [ExternalPurchaseId: [ImportedSubscription: SubscriptionPeriod]] = [:]
        /// The tokens of a customer that have imported subscriptions.
        var importedTokens: [CustomerId: Set<ExternalPurchaseId>] = [:]
        func read(_ token: ExternalPurchaseId) throws(LedgerError) -> [ImportedSubscription: SubscriptionPeriod] {
            if let read = known[token] { return read }
            let read = try unlinked(on: token, of: bundleId, in: ledger)
            known[token] = read
            return read
        }
        for (id, plan) in planned.plan.sales {
            guard case .planned(let token) = plan.outcome, plan.moment?.start == nil,
                let stored = planned.part.sales[id], stored.reportState == nil,
                let charge = stored.sale.subscriptionCharge,
                stored.attribution.subscriptionDecision != .newSubscription
            else { continue }
            var tokens: Set<ExternalPurchaseId> = [token]
            if let customer = stored.sale.customerId ?? planned.part.tokens[token]?.customerId {
                if importedTokens[customer] == nil {
                    let imported = try ledger.tokens(.imported, of: customer, app: bundleId)
                    importedTokens[customer] = Set(imported.map(\.token.externalPurchaseId))
                }
                tokens.formUnion(importedTokens[customer] ?? [])
            }
            for token in tokens.sorted(by: { $0.rawValue < $1.rawValue }) {
                let matches = try read(token).filter { _, last in
                    charge.period.start >= last.start
                        && charge.period.start <= last.end + longestGap
                }
                if let match = matches.keys.min(by: { $0.start.rawValue < $1.start.rawValue }) { found[id] = match }
            }
        }
        return found
    }

    /// The newest period of each imported subscription on a token that still has its placeholder name.
    private static func unlinked(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [ImportedSubscription: SubscriptionPeriod] {
        // A token that was never imported has no imported sales, so its sales need not be read.
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
    /// Returns a copy of this sale with another customer and checkout.
    func with(customer: CustomerId?, checkout: CheckoutId?) -> Sale {
        var sale = self
        sale.customerId = customer
        sale.checkoutId = checkout
        return sale
    }

    /// Returns a copy of this charge with another subscription; other sales are returned unchanged.
    func with(subscription name: SubscriptionId) -> Sale {
        guard let charge = subscriptionCharge else { return self }
        return with(
            .subscription(
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
