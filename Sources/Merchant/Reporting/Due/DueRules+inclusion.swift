import ExternalPurchaseCore
import Ledger
import ReportPlanning

extension DueRules {
    /// Which entries of a due list a filter takes; what its entries do not tell is ``ListFilter/takes(customer:product:)``'s.
    func inclusion(by filter: ListFilter, at now: Timestamp) -> @Sendable (DueSubject, Timestamp?) -> Bool {
        let warnDays = settings.warnDays
        return { subject, moment in
            let state =
                subject.isUnconfirmed
                ? .unconfirmed : moment.map { DueDate.state(of: $0, at: now, warnDays: warnDays) }
            if let wanted = filter[.state], wanted != state.interfaceName { return false }
            if filter.from != nil || filter.until != nil {
                guard let moment, filter.from.map({ moment >= $0 }) ?? true, filter.until.map({ moment < $0 }) ?? true
                else { return false }
            }
            let (kind, token, sale): (String, ExternalPurchaseId?, String?) =
                switch subject {
                case .token(let token): ("token", token.id, nil)
                case .lineItem(let item): ("lineItem", item.token, item.id.rawValue)
                }
            let said: [(ListFilter.Parameter, String?)] = [
                (.kind, kind), (.externalPurchaseId, token?.rawValue), (.saleId, sale),
                (.environment, token?.environment.rawValue),
            ]
            return said.allSatisfy { parameter, value in filter[parameter].map { $0 == value } ?? true }
        }
    }
}

extension ListFilter {
    /// Whether an open row of a customer and a product is one of those; a token has no product.
    func takes(customer: CustomerId?, product: String?) -> Bool {
        (self[.customerId].map { $0 == customer?.rawValue } ?? true) && (self[.productId].map { $0 == product } ?? true)
    }
}

extension DueState? {
    /// The `state` of an entry of `GET /v1/due`.
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
