import ExternalPurchaseCore
import Ledger

extension DeadlineQuery {
    /// Adds the conditions of a filter of the due list.
    mutating func restrict(to filter: ListFilter, _ states: DeadlineClassifier) {
        bundleId = filter[.bundleId].map { BundleId($0) }
        environment = filter[.environment].flatMap(AppStoreEnvironment.init(rawValue:))
        isLineItem = filter[.kind].map { $0 == "lineItem" }
        externalPurchaseId = filter[.externalPurchaseId].map { ExternalPurchaseId($0) }
        lineItemId = filter[.saleId].map { LineItemId($0) }
        customerId = filter[.customerId].map { CustomerId($0) }
        productId = filter[.productId]
        if filter.from != nil || filter.until != nil { due = .within(from: filter.from, until: filter.until) }
        guard let state = filter[.state] else { return }
        isUnconfirmed = state == DeadlineState?.some(.unconfirmed).interfaceName
        switch state {
        case DeadlineState?.some(.overdue).interfaceName: restrict(from: nil, until: states.now)
        case DeadlineState?.some(.warned(days: 0)).interfaceName: restrict(from: states.now, until: states.firstOpen)
        case DeadlineState?.some(.open).interfaceName: restrict(from: states.firstOpen, until: nil)
        case DeadlineState?.none.interfaceName:
            // An entry without a deadline lies in no range of due dates, so the range becomes empty.
            if due == .any { due = .none } else { restrict(from: states.now, until: states.now) }
        default: break
        }
    }

    /// Returns the same query, limited to deadlines that are late at a given time if nothing is sent before it.
    func late(by bound: Timestamp) -> DeadlineQuery {
        var query = self
        // A token that may be forged is never late (TK-74).
        if isUnconfirmed == true || due == .none {
            query.restrict(from: bound, until: bound)
        } else {
            query.isUnconfirmed = false
            query.restrict(from: nil, until: bound)
        }
        return query
    }

    private mutating func restrict(from: Timestamp?, until: Timestamp?) {
        guard case .within(let first, let last) = due else {
            due = .within(from: from, until: until)
            return
        }
        due = .within(
            from: [first, from].compactMap(\.self).max(),
            until: [last, until].compactMap(\.self).min()
        )
    }
}

extension DeadlineState? {
    /// The `state` of an entry in `GET /v1/due`.
    var interfaceName: String {
        switch self {
        case .unconfirmed: "unconfirmed"
        case .open: "open"
        case .warned: "warned"
        case .overdue: "overdue"
        case nil: "noDeadline"
        }
    }
}
