package import ExternalPurchaseCore
package import Ledger

/// What the sender of a sale is told, and what a list says of it.
package struct SaleReceipt: Hashable, Sendable {
    package let sale: StoredSale
    /// False for a sale that the ledger already had.
    package let isNew: Bool
    /// True when it says first whose a checkout is: held sales that name the same checkout are looked at again.
    package let tiesCheckout: Bool
    /// True for a change that waits, because a report with the sale may be at Apple.
    package let isWaiting: Bool
    /// True when the request changed the sale, or asked for a change that waits.
    package let isChanged: Bool
    /// The rows of the lines of a sale of several lines, in their order; else none.
    package let lines: [StoredSale]

    package init(
        sale: StoredSale,
        isNew: Bool,
        tiesCheckout: Bool = false,
        isWaiting: Bool = false,
        isChanged: Bool = false,
        lines: [StoredSale] = []
    ) {
        self.sale = sale
        self.isNew = isNew
        self.tiesCheckout = tiesCheckout
        self.isWaiting = isWaiting
        self.isChanged = isChanged
        self.lines = lines
    }

    /// What is, or will be, reported: the sale itself or its lines, those left out that nothing is reported of.
    package var items: [StoredSale] {
        if lines.isEmpty { return [sale] }
        let items = lines.filter { $0.attribution.state != .recorded }
        return items.isEmpty ? Array(lines.prefix(1)) : items
    }

    /// `held` while one line is, `planned` while one is, else `recorded`.
    package var state: SaleState {
        let states = Set(items.map(\.attribution.state))
        return [.held, .planned].first { states.contains($0) } ?? .recorded
    }

    /// The `state` of the interface: that of the sale, or `waiting`.
    package var stateName: String { isWaiting ? "waiting" : standing == .void ? "void" : state.rawValue }

    /// The report that holds the sale, of several lines the first of theirs.
    package var requestIdentifier: RequestIdentifier? { items.lazy.compactMap(\.requestIdentifier).first }

    package var flags: Set<SaleFlag> { Set(items.flatMap(\.attribution.flags)) }

    package var externalPurchaseId: ExternalPurchaseId? {
        items.lazy.compactMap(\.attribution.externalPurchaseId).first ?? sale.attribution.externalPurchaseId
    }

    /// Where the line stands that is least far on its way.
    package var standing: SaleStanding {
        let standings = Set(items.map(\.standing))
        return SaleStanding.allCases.first { standings.contains($0) } ?? sale.standing
    }
}
