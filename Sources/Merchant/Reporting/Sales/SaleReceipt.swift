package import ExternalPurchaseCore
package import Ledger

/// A sale with its lines, as responses and lists show it.
package struct SaleReceipt: Hashable, Sendable {
    package let sale: StoredSale
    /// False if the ledger already had the sale.
    package let isNew: Bool
    /// True if the sale is the first to link a checkout to a customer.
    ///
    /// Held sales with this checkout are then planned again.
    var tiesCheckout: Bool = false
    /// True if the change waits because a report with the sale may be at Apple.
    package var isWaiting: Bool = false
    /// True if the request changed the sale or stored a waiting change.
    var isChanged: Bool = false
    /// The lines of an order in their order; empty for other sales.
    package var lines: [StoredSale] = []

    /// True if events of a payment may wait for the sale.
    var namesPayment: Bool { sale.sale.payment != nil }

    /// The rows that are or will be reported: the sale itself, or its lines without those that are only recorded.
    package var items: [StoredSale] {
        if lines.isEmpty { return [sale] }
        let items = lines.filter { $0.attribution.state != .recorded }
        return items.isEmpty ? Array(lines.prefix(1)) : items
    }

    /// The state `held` if any line is held, `planned` if any is planned, otherwise `recorded`.
    var state: SaleState {
        let states = Set(items.map(\.attribution.state))
        return [.held, .planned].first { states.contains($0) } ?? .recorded
    }

    /// The `state` in the HTTP interface: `waiting`, `void` or the state of the sale.
    package var stateName: String { isWaiting ? "waiting" : standing == .void ? "void" : state.rawValue }

    /// The report that holds the sale; of an order, the first one of its lines.
    package var requestIdentifier: RequestIdentifier? { items.lazy.compactMap(\.requestIdentifier).first }

    /// The currency in which the sale is reported: the currency billed, or the one into which its rate leads (RR-51).
    ///
    /// Nil while it is not known, for lines with different ones, and for a sale whose amount is that of another one.
    package var reportingCurrency: String? {
        let purchases = sale.sale.purchase.map { [$0] } ?? sale.sale.lines ?? []
        let currencies = Set(purchases.map { $0.needsRate ? $0.exchangeRate?.to : $0.currency })
        return currencies.count == 1 ? currencies.first ?? nil : nil
    }

    package var flags: Set<SaleFlag> { Set(items.flatMap(\.attribution.flags)) }

    package var externalPurchaseId: ExternalPurchaseId? {
        items.lazy.compactMap(\.attribution.externalPurchaseId).first ?? sale.attribution.externalPurchaseId
    }

    /// The standing of the least advanced line.
    package var standing: SaleStanding {
        let standings = Set(items.map(\.standing))
        return SaleStanding.allCases.first { standings.contains($0) } ?? sale.standing
    }
}
