package import ExternalPurchaseCore
package import Ledger

/// A sale with its versions and line items.
package struct SaleDetail: Sendable {
    package let receipt: SaleReceipt
    /// The versions of the sale, oldest first.
    package let versions: [SaleVersion]
    package let items: [Item]
    /// The requests that touched the sale, oldest first.
    package let requests: [RequestOfSale]

    /// A line item of the sale.
    package struct Item: Sendable {
        package let row: StoredSale
        /// The figures as they were sent or, without a report, as they would be; nil if they cannot be computed.
        package let figures: ReceivedLineItem?
        /// The report that sent the figures; nil if they are not sent yet.
        package let sentIn: LineItemVersion?
        /// The reason for the sale's attribution, in words.
        package let reason: String
    }
}

extension RecordLists {
    /// Returns a sale with its line items, or one line of an order.
    ///
    /// - Parameters:
    ///   - id: the identifier of the sale.
    ///   - bundleId: the app; required if several apps have a sale with the identifier.
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown sale, ``RequestError/invalid(_:)`` if several apps have
    ///   it.
    package func sale(_ id: SaleId, of bundleId: BundleId? = nil) async throws(RequestError) -> SaleDetail {
        let (settings, now) = (settings, dependencies.now())
        let found = try await store.shortRead { ledger throws(LedgerError) in
            var found: [SaleDetail] = []
            let bundleIds = if let bundleId { [bundleId] } else { try apps(in: ledger) }
            for bundleId in bundleIds {
                guard let sale = try ledger.sale(id, of: bundleId) else { continue }
                found.append(try SaleDetail(sale, settings: settings, now: now, in: ledger))
            }
            return found
        }
        guard let first = found.first else { throw .unknown("there is no sale \(id.rawValue.quoted)") }
        guard found.count == 1 else {
            throw .missingApp(of: "sale", among: found.map(\.receipt.sale.sale.bundleId))
        }
        return first
    }
}

extension SaleDetail {
    fileprivate init(
        _ sale: StoredSale,
        settings: ReportingSettings,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        let bundleId = sale.sale.bundleId
        receipt = try ledger.statingCurrency(sale).receipt(isNew: false, in: ledger)
        versions = try ledger.versions(of: sale.sale.saleId, app: bundleId)
        let keys = [PlanningKey.sale(sale.sale.saleId)] + sale.sale.keys
        let planned = try MerchantPlanner.plan(
            settings,
            touching: keys,
            of: bundleId,
            extent: .touched,
            in: ledger,
            now: now
        )
        // Unreported buys and subscription starts are included, because other sales refer to them.
        let open = planned.part.universe.sales.filter { $0.report == nil && !$0.isHandedOver }
            .sorted { ($0.sale.occurredAt, $0.sequence) < ($1.sale.occurredAt, $1.sequence) }
        var items: [Item] = []
        for row in receipt.lines.isEmpty ? [receipt.sale] : receipt.lines {
            let id = row.sale.saleId
            let plan = planned.plan.sales[id]
            let token = row.attribution.externalPurchaseId ?? plan?.externalPurchaseId
            var sent: LineItemVersion?
            if row.requestIdentifier != nil, let token {
                let scope = ReportingScope(bundleId: bundleId, environment: token.environment)
                let versions = try ledger.lineItemVersions(row.lineItemId, in: scope)
                sent = versions.last { $0.reportState == .accepted } ?? versions.last
            }
            var figures = sent?.item
            if sent == nil, plan != nil {
                let accepted = planned.part.accepted[token?.environment ?? .production] ?? [:]
                figures =
                    LineItemPlanner(foreignCurrency: settings.foreignCurrency).items(
                        of: open.map(\.sale.saleId),
                        among: planned.part.universe.sales,
                        accepted: accepted,
                        moments: planned.plan.sales.compactMapValues(\.moment),
                        tokenCreationDate: token.flatMap { planned.part.tokens[$0] }?.token.tokenCreationDate
                    ).items.first { $0.lineItemId == row.lineItemId }?.asReceived
            }
            let reason = row.isVoid ? "it was voided" : plan?.reason.description ?? "nothing is reported of it"
            items.append(Item(row: row, figures: figures, sentIn: sent, reason: reason))
        }
        self.items = items
        requests = try ledger.requests(touching: [receipt.sale] + receipt.lines)
    }
}
