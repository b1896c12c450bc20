import ExternalPurchaseCore
import Ledger

/// The reason why a token needs a report or none; its description is text for the operator.
enum TokenReason: Hashable, Sendable, CustomStringConvertible {
    case sales
    /// The token's sales wait for another report (SA-74).
    case salesWait
    /// Another token of the same period was chosen (RR-62).
    case duplicate(of: ExternalPurchaseId)
    case noSale
    case chosenWithoutSale
    case heldSales([SaleId])
    /// Only Apple has named the token (NT-65).
    case knownFromAppleOnly
    case reported
    /// Apple does not know the token (TK-74).
    case unknownToApple

    var description: String {
        switch self {
        case .sales: "sales go on it that no report holds"
        case .salesWait: "its sales wait for the start that they refer to, on another token (SA-74)"
        case .duplicate(let chosen):
            "another token of the same customer, type and period takes the sales: \(chosen) (RR-62)"
        case .noSale: "no sale belongs to it (RR-62, RR-63)"
        case .chosenWithoutSale: "it was chosen for its period, but no sale goes on it (RR-62)"
        case .heldSales(let sales):
            "nothing can be reported on it yet, for these sales are held: "
                + sales.map(\.rawValue).joined(separator: ", ") + "; they may follow (RR-67)"
        case .knownFromAppleOnly: "only Apple has named it; neither app nor website delivered it (RR-62, NT-65)"
        case .reported: "it is reported, and nothing new belongs to it (RR-67)"
        case .unknownToApple: "Apple does not know it, which ends its duty (TK-74)"
        }
    }
}
