import ExternalPurchaseCore
import Ledger

/// Collects the records that a plan of given keys reads, so that it does not read the rest of the ledger.
///
/// Records are connected if they share a customer, a token, a checkout or a subscription, or if a refund or reversal
/// names a sale. ``Extent`` says how much of what is connected a part has.
struct ConnectedRecords {
    let ledger: LedgerQueries
    let bundleId: BundleId
    private let extent: Extent
    /// The tokens, checkouts and customers whose open sales are part of the plan.
    private let opening: Set<PlanningKey>
    private var seen: Set<PlanningKey> = []
    private var open: [PlanningKey] = []
    var tokens: [ExternalPurchaseId: StoredToken] = [:]
    var checkouts: [CheckoutId: Checkout] = [:]
    var claims: [CheckoutId: [ExternalPurchaseId]] = [:]
    var sales: [SaleId: StoredSale] = [:]
    var customers: Set<CustomerId> = []
    var periods: [CustomerId: CustomerPeriods] = [:]
    /// Sales whose refunds and reversals were read together with those of their subscription.
    private var withRefunds: Set<SaleId> = []

    /// The sales that are read at a time.
    private static let page = LedgerPage(limit: 500)

    /// The number of claims on a checkout that are read of each environment.
    private static let claims = 3

    /// The limit of a part.
    ///
    /// A sale always includes its lines, its whole subscription, the buy that it refunds, the other refunds of that
    /// buy, and the tokens and checkouts that all of them name.
    enum Extent: Hashable, Sendable {
        /// Every record that is connected with the keys, including all that is settled, for explanations and for links
        /// that are derived anew.
        case connected
        /// The sales of the keys, and every open sale that the tokens, checkouts and customers among the keys may take.
        case pending
        /// The sales of the keys; sufficient unless the plan creates a new link of a token or checkout.
        case touched
        /// No further sales, and of tokens, customers and checkouts only the tokens that the sales are on.
        ///
        /// It decides on the line items of stored sales, whose tokens earlier plans have stored.
        case content
    }

    /// The records that are connected with some keys.
    struct Part {
        var universe: PlanningInput
        var tokens: [ExternalPurchaseId: StoredToken]
        var sales: [SaleId: StoredSale]
        /// The newest accepted versions of the part's line items, by environment.
        var accepted: [AppStoreEnvironment: [LineItemId: AcceptedVersion]]
        /// The lines of each order, in their order.
        var lines: [SaleId: [SaleId]] = [:]
    }

    private init(
        _ ledger: LedgerQueries,
        _ bundleId: BundleId,
        _ extent: Extent,
        _ opening: Set<PlanningKey>
    ) {
        self.ledger = ledger
        self.bundleId = bundleId
        self.extent = extent
        self.opening = opening
    }

    /// Collects a part.
    ///
    /// With `pending` and `touched`, the plans of the part's open sales and the links of its tokens are those of the
    /// complete ledger, and the cost does not depend on what the customers, tokens and checkouts have settled.
    ///
    /// - Parameters:
    ///   - keys: the keys to start from.
    ///   - bundleId: the app.
    ///   - extent: the further sales to include.
    ///   - opening: tokens, checkouts and customers whose open sales are included beside those of the extent.
    ///   - ledger: the ledger.
    static func part(
        touching keys: [PlanningKey],
        of bundleId: BundleId,
        extent: Extent = .connected,
        opening: Set<PlanningKey> = [],
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Part {
        let opening = extent == .pending ? opening.union(keys) : opening
        var universe = ConnectedRecords(ledger, bundleId, extent, opening)
        universe.reach(opening.subtracting(keys))
        universe.reach(keys)
        if extent == .connected {
            while let key = universe.open.popLast() { try universe.followEverywhere(key) }
        } else {
            while !universe.open.isEmpty {
                let keys = universe.open
                universe.open = []
                try universe.follow(keys)
            }
            if extent != .content { try universe.addPeriods() }
        }
        return try universe.part()
    }

    private mutating func reach(_ keys: some Sequence<PlanningKey>) {
        for key in keys where seen.insert(key).inserted { open.append(key) }
    }

    /// Adds a checkout, its token and the tokens that claim it (TK-78).
    private mutating func add(_ checkout: Checkout) throws(LedgerError) {
        checkouts[checkout.checkoutId] = checkout
        if [.contested, .replaced].contains(checkout.tokenClaim) {
            // The first ones are enough: they show whether one is better than all others.
            var found: [ExternalPurchaseId] = []
            for environment in [AppStoreEnvironment.production, .sandbox] {
                found += try ledger.claims(
                    on: checkout.checkoutId,
                    of: bundleId,
                    in: environment,
                    limit: Self.claims
                )
            }
            claims[checkout.checkoutId] = found
            reach(found.map { .token($0) })
        }
        reach(checkout.externalPurchaseId.map { [.token($0)] } ?? [])
    }

    // MARK: Everything connected

    private mutating func followEverywhere(_ key: PlanningKey) throws(LedgerError) {
        switch key {
        case .token(let id):
            if let token = try ledger.token(id, of: bundleId) { reachEverything(of: token) }
            try addSales([.token(id, of: bundleId)])
        case .customer(let customer):
            for token in try ledger.tokens(of: customer, app: bundleId) { reachEverything(of: token) }
            try addSales([.customer(customer, of: bundleId)])
        case .checkout(let id):
            guard let checkout = try ledger.checkout(id, of: bundleId) else { return }
            try add(checkout)
            reach(checkout.customerId.map { [.customer($0)] } ?? [])
        case .subscription(let subscription):
            try addSales([.subscription(subscription.rawValue, of: bundleId)])
        case .sale(let id):
            if let sale = try ledger.sale(id, of: bundleId) {
                add(sale)
                if sale.mayHaveLines { try addSales([.lines(id, of: bundleId)]) }
            }
            for refund in try ledger.refunds(of: id, app: bundleId) { add(refund) }
        }
    }

    private mutating func reachEverything(of token: StoredToken) {
        let id = token.token.externalPurchaseId
        guard tokens.updateValue(token, forKey: id) == nil else { return }
        reach([.token(id), .checkout(token.checkoutId)])
        reach(token.customerId.map { [.customer($0)] } ?? [])
    }

    // MARK: What the keys can change

    /// Follows keys, the records of each kind together: a database behind a network is waited for a few times, however
    /// many keys there are.
    private mutating func follow(_ keys: [PlanningKey]) throws(LedgerError) {
        var subscriptions: [SubscriptionId] = []
        var sales: [SaleId] = []
        var tokens: [ExternalPurchaseId] = []
        var checkouts: [CheckoutId] = []
        var queries: [SaleQuery] = []
        for key in keys {
            switch key {
            case .token(let id): tokens.append(id)
            case .customer(let customer):
                customers.insert(customer)
                if opening.contains(key) { queries.append(.pendingOfCustomer(customer, of: bundleId)) }
            case .checkout(let id):
                if extent != .content { checkouts.append(id) }
                if opening.contains(key) { queries.append(.pendingOfCheckout(id, of: bundleId)) }
            case .subscription(let subscription): subscriptions.append(subscription)
            case .sale(let id): sales.append(id)
            }
        }
        let knownCheckouts = try ledger.checkouts(checkouts, of: bundleId)
        for checkout in checkouts.compactMap({ knownCheckouts[$0] }) {
            try add(checkout)
            if let customer = checkout.customerId { customers.insert(customer) }
        }
        let knownTokens = try ledger.tokens(tokens, of: bundleId)
        let found = tokens.compactMap { knownTokens[$0] }
        try add(found)
        for token in found where opening.contains(.token(token.token.externalPurchaseId)) {
            queries += try salesThatMayMove(to: token)
        }
        // The history of a subscription decides about each of its charges (RR-30 to RR-34).
        let charges: [SaleQuery] = subscriptions.map { .subscription($0.rawValue, of: bundleId) }
        let refunds: [SaleQuery] = subscriptions.map { .takingBackSubscription($0.rawValue, of: bundleId) }
        withRefunds.formUnion(try addSales(charges + refunds))
        let unread = sales.filter { self.sales[$0] == nil }
        let read = try ledger.sales(unread, of: bundleId)
        for sale in unread.compactMap({ read[$0] }) { add(sale) }
        for id in sales where self.sales[id]?.mayHaveLines == true { queries.append(.lines(id, of: bundleId)) }
        try addSales(queries)
        let others = sales.filter { !withRefunds.contains($0) }
        for refund in try ledger.refunds(ofEach: others, app: bundleId) { add(refund) }
    }

    mutating func add(_ found: [StoredToken]) throws(LedgerError) {
        let new = found.filter { tokens.updateValue($0, forKey: $0.token.externalPurchaseId) == nil }
        if extent == .content { return }
        customers.formUnion(new.compactMap(\.customerId))
        let unlinked = new.filter { $0.mayChangeCustomer && checkouts[$0.checkoutId] == nil }
        let known = try ledger.checkouts(unlinked.map(\.checkoutId), of: bundleId)
        for token in unlinked {
            // The checkout may give the token its customer; one of another token has no effect here.
            guard let checkout = known[token.checkoutId],
                checkout.externalPurchaseId == token.token.externalPurchaseId
            else { continue }
            checkouts[token.checkoutId] = checkout
            if let customer = checkout.customerId { customers.insert(customer) }
        }
    }

    /// What ``salesThatMayMove(to:)`` probably asks about the customer of a new token.
    static func queries(ofCustomer customer: CustomerId, of token: ExternalPurchaseToken) -> Set<ExpectedQuery> {
        let app = token.bundleId
        guard token.family == .customLink else { return [.sales(.heldOfCustomer(customer, of: app), page)] }
        return [
            .sales(.pendingOfCustomer(customer, of: app), page), CustomerPeriods.query(of: customer, app: app),
        ]
    }

    /// Returns the queries of the open sales whose attribution a change of a token can change.
    ///
    /// They are those on the token and those of its customer: any of them may move to a custom link token, unless
    /// another token is chosen for the period (RR-60), and a held one may have waited for this token (RR-66). Those of
    /// a checkout are the checkout's.
    private mutating func salesThatMayMove(to token: StoredToken) throws(LedgerError) -> [SaleQuery] {
        var queries: [SaleQuery] = [.pendingOnToken(token.token.externalPurchaseId, of: bundleId)]
        for customer in Set([token.customerId, checkouts[token.checkoutId]?.customerId].compactMap(\.self)) {
            var mayTake = token.token.family == .customLink
            if mayTake {
                let key = CustomerPeriods.Key(
                    customer: customer,
                    environment: token.token.environment,
                    period: token.period
                )
                let others = try periods(of: customer).members(deciding: key)
                    .filter { $0.token.externalPurchaseId != token.token.externalPurchaseId }
                let changesRank = others.allSatisfy { token.trust < $0.trust }
                mayTake = changesRank || !others.contains { $0.periodChoice == .chosen }
            }
            queries.append(
                mayTake ? .pendingOfCustomer(customer, of: bundleId) : .heldOfCustomer(customer, of: bundleId)
            )
        }
        return queries
    }

    // MARK: Sales

    private mutating func add(_ sale: StoredSale) {
        guard sales.updateValue(sale, forKey: sale.sale.saleId) == nil else { return }
        reach([.sale(sale.sale.saleId)] + (sale.partOf.map { [.sale($0)] } ?? []))
        reach(sale.sale.keys)
        reach(sale.attribution.externalPurchaseId.map { [.token($0)] } ?? [])
    }

    /// - Returns: the sales of the queries, including those that were read before.
    @discardableResult
    private mutating func addSales(_ queries: [SaleQuery]) throws(LedgerError) -> Set<SaleId> {
        var ids: Set<SaleId> = []
        let first = Self.page
        for (query, found) in zip(queries, try ledger.sales(queries, first)) {
            var (page, rows) = (first, found)
            while true {
                for sale in rows {
                    ids.insert(sale.sale.saleId)
                    add(sale)
                }
                guard rows.count == page.limit, let last = rows.last else { break }
                page.after = last.sequence
                rows = try ledger.sales(query, page)
            }
        }
        return ids
    }

    /// Reads the line items of subscription charges in reports that are not accepted yet, with their reported figures.
    private func sentCharges() throws(LedgerError) -> [SaleId: ReceivedLineItem] {
        var items: [SaleId: ReceivedLineItem] = [:]
        var read: [ReportingScope: [RequestIdentifier: [LineItemId: ReceivedLineItem]]] = [:]
        for sale in sales.values {
            guard case .subscription = sale.sale.kind, let state = sale.reportState, state.isOpen,
                let identifier = sale.requestIdentifier,
                let environment = sale.attribution.externalPurchaseId?.environment
            else { continue }
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            let known = read[scope, default: [:]][identifier]
            var report = known ?? [:]
            if known == nil {
                for item in try ledger.report(identifier, in: scope)?.sentItems ?? [] {
                    if let id = item.lineItemId { report[id] = item }
                }
                read[scope, default: [:]][identifier] = report
            }
            items[sale.sale.saleId] = report[sale.lineItemId]
        }
        return items
    }

    /// Returns the places of unreported chargebacks with a reversal whose purchase Apple has by a report that it got from
    /// another ledger: by its own word or by an import (RR-85).
    ///
    /// One for which the refunds that Apple has leave no room, whose purchase is retracted, or which Apple refused without
    /// saying that it has it, is not among them: Apple does not have it, or not any more.
    private func chargebacksThatMayBeAtApple(
        _ records: [SaleRecord],
        _ accepted: [AppStoreEnvironment: [LineItemId: AcceptedVersion]]
    ) throws(LedgerError) -> [Int] {
        let reversed = Set(records.compactMap(\.sale.reversedChargeback))
        if reversed.isEmpty { return [] }
        let byId = Dictionary(records.map { ($0.sale.saleId, $0) }) { first, _ in first }
        var places: [Int] = []
        for (place, record) in records.enumerated() where record.report == nil && reversed.contains(record.sale.saleId)
        {
            guard let refund = record.sale.refund, refund.isChargeback, let buy = byId[refund.refundOf],
                buy.report?.state != .retracted
            else { continue }
            var mayBe = buy.reportedAlreadyOn != nil
            if let token = buy.report?.externalPurchaseId,
                let id = accepted[token.environment]?[buy.lineItemId]?.requestIdentifier
            {
                let scope = ReportingScope(bundleId: bundleId, environment: token.environment)
                mayBe = try ledger.report(id, in: scope)?.isImported ?? false
            }
            if mayBe, try !isUnknownToApple(record, of: buy, among: records) { places.append(place) }
        }
        return places.filter { place in Self.hasRoom(records[place], among: records) }
    }

    /// Whether Apple refused a report of the chargeback for other reasons than that it has it.
    ///
    /// Apple returns all errors at once, and checks the net only of an item that it does not have (RR-1, RR-4).
    private func isUnknownToApple(
        _ chargeback: SaleRecord,
        of buy: SaleRecord,
        among records: [SaleRecord]
    ) throws(LedgerError) -> Bool {
        guard let token = buy.report?.externalPurchaseId ?? buy.reportedAlreadyOn else { return false }
        let scope = ReportingScope(bundleId: bundleId, environment: token.environment)
        // The lines of an order are in one report.
        let lines = records.filter { $0.partOf != nil && $0.partOf == chargeback.partOf } + [chargeback]
        let ids = Set(lines.map(\.sale.saleId))
        for version in try ledger.lineItemVersions(chargeback.lineItemId, in: scope)
        where version.reportState == .withdrawn {
            let errors = try ledger.report(version.requestIdentifier, in: scope)?.errors ?? []
            let own = errors.filter { error in !error.isLocal && error.saleId.map(ids.contains) == true }
            if !own.isEmpty, !own.contains(where: \.showsThatAppleHasIt) { return true }
        }
        return false
    }

    /// Whether a chargeback fits into its purchase beside the refunds that are in reports or that Apple says it has.
    private static func hasRoom(_ chargeback: SaleRecord, among records: [SaleRecord]) -> Bool {
        var tried: [SaleRecord] = []
        for var record in records {
            let isOwn =
                record.sale.saleId == chargeback.sale.saleId
                || chargeback.partOf != nil && record.partOf == chargeback.partOf
            guard record.sale.purchase != nil || record.isSettled || isOwn else { continue }
            record.mayBeAtApple = isOwn
            tried.append(record)
        }
        return RefundAllocation(tried).shares[chargeback.sale.saleId] != .aboveBuy
    }

    /// Returns the places of unreported refunds that the total of an imported refund may contain, each with that refund, and
    /// of the totals after them, whose amounts depend on it (RR-46).
    ///
    /// A report does not tell a total from an amount. The merchant does when it sends the imported refund again.
    private func refundsThatMayBeContained(_ records: [SaleRecord]) throws(LedgerError) -> [Int: SaleId] {
        let waiting = records.indices.filter { place in
            records[place].sale.refund?.isChargeback == false && !records[place].isSettled
        }
        if waiting.isEmpty { return [:] }
        let groups = Dictionary(records.map { ($0.sale.saleId, $0.partOf ?? $0.sale.saleId) }) { first, _ in first }
        let group = { (record: SaleRecord) in record.sale.refund.flatMap { groups[$0.refundOf] } }
        let concerned = Set(waiting.compactMap { group(records[$0]) })
        var totals: [SaleId: [Sale]] = [:]
        var seen: Set<SaleId> = []
        for record in records where record.isImported && record.report?.state != .retracted {
            let id = record.partOf ?? record.sale.saleId
            guard let purchase = group(record), concerned.contains(purchase), seen.insert(id).inserted,
                let whole = try ledger.sale(id, of: bundleId), whole.isImported,
                try !ledger.versions(of: id, app: bundleId).contains(where: \.isSentAgain)
            else { continue }
            totals[purchase, default: []].append(whole.sale)
        }
        var found: [Int: SaleId] = [:]
        for (purchase, totals) in totals {
            let refunds = waiting.filter { group(records[$0]) == purchase }
            var first: Timestamp?
            for place in refunds {
                let record = records[place]
                let total = totals.first { total in
                    let refunded = total.refund?.refundOf
                    let isOfSame =
                        record.partOf != nil || refunded == purchase || refunded == record.sale.refund?.refundOf
                    return isOfSame && total.saleId != record.partOf && record.sale.occurredAt <= total.occurredAt
                }
                guard let total else { continue }
                found[place] = total.saleId
                first = min(first ?? record.sale.occurredAt, record.sale.occurredAt)
            }
            guard let first, let total = refunds.lazy.compactMap({ found[$0] }).first else { continue }
            for place in refunds where found[place] == nil && records[place].sale.refund?.refundedTotal != nil {
                if records[place].sale.occurredAt >= first { found[place] = total }
            }
        }
        return found
    }

    private func part() throws(LedgerError) -> Part {
        var accepted: [AppStoreEnvironment: [LineItemId: AcceptedVersion]] = [:]
        var ids: [AppStoreEnvironment: Set<LineItemId>] = [:]
        for sale in sales.values {
            ids[sale.attribution.externalPurchaseId?.environment ?? .production, default: []].insert(sale.lineItemId)
        }
        for (environment, ids) in ids {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            accepted[environment] = try ledger.newestAccepted(ids, in: scope)
        }
        var records: [TokenRecord] = []
        let claimants = Set(claims.values.joined())
        let named = Set(checkouts.values.filter { $0.tokenClaim == .claimed }.compactMap(\.externalPurchaseId))
        let arrived = tokens.values.sorted { $0.sequence < $1.sequence }
        let summaries = try ledger.reportSummaries(of: arrived.map(\.token.externalPurchaseId), app: bundleId)
        for token in arrived {
            let reports = summaries[token.token.externalPurchaseId] ?? TokenReportSummary()
            var record = TokenRecord(
                token,
                reported: reports.statuses,
                holdsReportedSales: reports.holdsSales
            )
            if token.firstSeen.source == .notification, !token.isKnownFromNotificationsOnly {
                // After a delivery the token counts as received from the merchant, no longer only from Apple (NT-62).
                let seen = try ledger.observations(of: token.token.externalPurchaseId, app: bundleId).map(\.seen)
                let delivery = seen.filter { $0.source != .notification }.min { $0.time < $1.time }
                record.source = delivery?.source ?? .app
                record.receivedAt = delivery?.time ?? record.receivedAt
            }
            // Only of a confirmed token that is made for one purchase does it make a difference.
            if token.state == .confirmed, token.token.family != .customLink,
                claimants.contains(token.token.externalPurchaseId)
            {
                let claimed = try ledger.claimedCheckouts(of: token.token.externalPurchaseId, app: bundleId)
                record.claimsSeveral = claimed.count > 1
            }
            // Whoever has a token of their own may name it for any basket.
            if token.state == .confirmed, token.token.family != .customLink,
                named.contains(token.token.externalPurchaseId)
            {
                record.isNamedForSeveral = try ledger.isNamedForSeveralCheckouts(
                    token.token.externalPurchaseId,
                    app: bundleId
                )
            }
            records.append(record)
        }
        let sent = try sentCharges()
        var lines: [SaleId: [SaleId]] = [:]
        // Two plans of the same records are equal, which the confirmation of a dry run relies on.
        let ordered = sales.values.sorted { $0.sequence < $1.sequence }
        for sale in ordered where !sale.isVoid {
            if let whole = sale.partOf { lines[whole, default: []].append(sale.sale.saleId) }
        }
        // An order itself is not reported, only its lines are.
        let reportable = ordered.filter { sale in
            !sale.isVoid && sale.sale.lines == nil && lines[sale.sale.saleId] == nil
        }
        var saleRecords = reportable.map { sale in
            let environment = sale.attribution.externalPurchaseId?.environment ?? .production
            return SaleRecord(
                sale,
                accepted: accepted[environment]?[sale.lineItemId],
                sent: sent[sale.sale.saleId]
            )
        }
        for place in try chargebacksThatMayBeAtApple(saleRecords, accepted) { saleRecords[place].mayBeAtApple = true }
        for (place, total) in try refundsThatMayBeContained(saleRecords) { saleRecords[place].mayBeContainedIn = total }
        var sales = sales
        let shares = RefundAllocation(saleRecords).shares
        for place in saleRecords.indices {
            let sale = saleRecords[place].sale
            guard let refund = sale.refund, let share = shares[sale.saleId],
                let settled = refund.allocated(share)
            else { continue }
            saleRecords[place].sale = sale.with(.refund(settled))
            sales[sale.saleId] = sales[sale.saleId]?.with(saleRecords[place].sale)
        }
        return Part(
            universe: PlanningInput(
                tokens: records,
                checkouts: checkouts.values.sorted { $0.checkoutId < $1.checkoutId },
                claims: claims,
                sales: saleRecords,
                voided: Set(sales.values.filter(\.isVoid).map(\.sale.saleId))
            ),
            tokens: tokens,
            sales: sales,
            accepted: accepted,
            lines: lines
        )
    }
}

extension StoredToken {
    /// Whether a sale or checkout may give the token another customer (TK-78).
    var mayChangeCustomer: Bool { customerId == nil || isCustomerClaimed }
}

extension StoredSale {
    /// False if the sale certainly has no lines, which saves a query.
    fileprivate var mayHaveLines: Bool {
        sale.lines != nil || attribution.state == .recorded && sale.takenBack != nil
    }
}

extension Refund {
    /// Returns the refund with its allocated amount; nil if the amount is unchanged.
    fileprivate func allocated(_ share: RefundAllocation.Share) -> Refund? {
        let amount: Decimal
        switch share {
        case .amount(let part): amount = part
        case .contained: amount = 0
        case .aboveBuy: return nil
        }
        return amount == inclusive ? nil : amounting(to: amount)
    }
}

extension Sale {
    /// The planning keys that the sale names.
    var keys: [PlanningKey] {
        var keys: [PlanningKey] = []
        if let externalPurchaseId { keys.append(.token(externalPurchaseId)) }
        if let checkoutId { keys.append(.checkout(checkoutId)) }
        if let customerId { keys.append(.customer(customerId)) }
        if let subscriptionId { keys.append(.subscription(subscriptionId)) }
        if let referred = refund?.refundOf ?? reversedChargeback { keys.append(.sale(referred)) }
        return keys
    }
}
