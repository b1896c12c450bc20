import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Collects the records that are connected with given keys, so that a plan does not read the rest of the ledger.
///
/// Records are connected if they share a customer, a token, a checkout or a subscription, or if a refund or reversal
/// names a sale. The work grows with the connected part; ``Extent`` limits it.
struct ConnectedRecords {
    private let ledger: any LedgerQueries
    private let bundleId: BundleId
    private let extent: Extent
    private var seen: Set<PlanningKey> = []
    private var open: [PlanningKey] = []
    private var tokens: [ExternalPurchaseId: StoredToken] = [:]
    private var checkouts: [CheckoutId: Checkout] = [:]
    private var sales: [SaleId: StoredSale] = [:]

    /// The limit of the part, seen from a token or a customer.
    ///
    /// A sale always includes its subscription, the buy that it refunds and the other refunds of that buy.
    enum Extent: Hashable, Sendable {
        /// Every sale of the token or customer.
        case connected
        /// Sales that are in no report and no manual export.
        ///
        /// The plan of these sales is the same as with `connected`: reported sales are not moved, and their links are
        /// stored with tokens and checkouts.
        case pending
        /// No further sales; sufficient unless the plan creates a new link of a token or checkout.
        case touched
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

    private init(_ ledger: any LedgerQueries, _ bundleId: BundleId, _ extent: Extent) {
        self.ledger = ledger
        self.bundleId = bundleId
        self.extent = extent
    }

    /// Collects a part.
    ///
    /// - Parameters:
    ///   - keys: the keys to start from.
    ///   - bundleId: the app.
    ///   - extent: the further sales of a token or customer to include.
    ///   - ledger: the ledger.
    static func part(
        touching keys: [PlanningKey],
        of bundleId: BundleId,
        extent: Extent = .connected,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> Part {
        var universe = ConnectedRecords(ledger, bundleId, extent)
        universe.reach(keys)
        while let key = universe.open.popLast() { try universe.follow(key) }
        return try universe.part()
    }

    private mutating func reach(_ keys: [PlanningKey]) {
        for key in keys where seen.insert(key).inserted { open.append(key) }
    }

    private mutating func follow(_ key: PlanningKey) throws(LedgerError) {
        switch key {
        case .token(let id):
            if let token = try ledger.token(id, of: bundleId) { add(token) }
            switch extent {
            case .connected: try addSales(.token(id, of: bundleId))
            case .pending: try addSales(.pendingOnToken(id, of: bundleId))
            case .touched: break
            }
        case .customer(let customer):
            for token in try ledger.tokens(of: customer, app: bundleId) { add(token) }
            switch extent {
            case .connected: try addSales(.customer(customer, of: bundleId))
            case .pending: try addSales(.pendingOfCustomer(customer, of: bundleId))
            case .touched: break
            }
        case .checkout(let id):
            guard let checkout = try ledger.checkout(id, of: bundleId) else { return }
            checkouts[id] = checkout
            reach(checkout.externalPurchaseId.map { [.token($0)] } ?? [])
            reach(checkout.customerId.map { [.customer($0)] } ?? [])
        case .subscription(let subscription):
            try addSales(.subscription(subscription.rawValue, of: bundleId))
        case .sale(let id):
            if let sale = try ledger.sale(id, of: bundleId) {
                add(sale)
                if sale.mayHaveLines { try addSales(.lines(id, of: bundleId)) }
            }
            for refund in try ledger.refunds(of: id, app: bundleId) { add(refund) }
        }
    }

    private mutating func add(_ token: StoredToken) {
        let id = token.token.externalPurchaseId
        guard tokens.updateValue(token, forKey: id) == nil else { return }
        reach([.token(id), .checkout(token.checkoutId)])
        reach(token.customerId.map { [.customer($0)] } ?? [])
    }

    private mutating func add(_ sale: StoredSale) {
        guard sales.updateValue(sale, forKey: sale.sale.saleId) == nil else { return }
        reach([.sale(sale.sale.saleId)] + (sale.partOf.map { [.sale($0)] } ?? []))
        reach(sale.sale.keys)
        reach(sale.attribution.externalPurchaseId.map { [.token($0)] } ?? [])
    }

    private mutating func addSales(_ query: SaleQuery) throws(LedgerError) {
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try ledger.sales(query, page)
            for sale in rows { add(sale) }
            guard rows.count == page.limit, let last = rows.last else { return }
            page.after = last.sequence
        }
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

    private func part() throws(LedgerError) -> Part {
        var accepted: [AppStoreEnvironment: [LineItemId: AcceptedVersion]] = [:]
        let ids = Set(sales.values.map(\.lineItemId))
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            accepted[environment] = try ledger.newestAccepted(ids, in: scope)
        }
        var records: [TokenRecord] = []
        for token in tokens.values.sorted(by: { $0.sequence < $1.sequence }) {
            let reports = try ledger.reportSummary(of: token.token.externalPurchaseId, app: bundleId)
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
