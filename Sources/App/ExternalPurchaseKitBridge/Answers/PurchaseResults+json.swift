import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

extension LinkResult {
    /// The result in an answer.
    var json: JSONValue {
        switch self {
        case .askingCustomer(let url):
            .members(["outcome": .string("askingCustomer"), "url": .text(url?.absoluteString)])
        case .notOffered(let reason): reason.result
        case .failed(let failure): failure.result("failed")
        }
    }
}

extension NoticeSheetResult {
    /// The result in an answer.
    var json: JSONValue {
        switch self {
        case .continued(let token): .members(["outcome": .string("continued"), "token": token.json])
        case .continuedWithoutToken: .members(["outcome": .string("continuedWithoutToken")])
        case .cancelled: .members(["outcome": .string("cancelled")])
        case .notOffered(let reason): reason.result
        case .failed(let failure): failure.result("failed")
        case .tokenNotKept(let token): .members(["outcome": .string("tokenNotKept"), "token": token.json])
        }
    }
}

extension CustomLinkResult {
    /// The result in an answer.
    var json: JSONValue {
        switch self {
        case .continued(let tokens): tokens.result("continued")
        case .destinationNotOpened(let tokens): tokens.result("destinationNotOpened")
        case .cancelled: .members(["outcome": .string("cancelled")])
        case .notOffered(let reason): reason.result
        case .failed(let failure): failure.result("failed")
        case .tokenFailed(let failure): failure.result("tokenFailed")
        case .tokensNotKept(let tokens): tokens.result("tokensNotKept")
        }
    }
}

extension NotOffered {
    fileprivate var result: JSONValue { .members(["outcome": .string("notOffered"), "notOffered": json]) }

    private var json: JSONValue {
        switch self {
        case .gateClosed(let gate): .members(["kind": .string("gateClosed"), "gate": gate.json])
        case .paymentsNotAllowed: .members(["kind": .string("paymentsNotAllowed")])
        case .notAvailable(let reason): .members(["kind": .string("notAvailable"), "reason": .text(reason)])
        case .purchaseInProgress: .members(["kind": .string("purchaseInProgress")])
        case .noLinkChosen: .members(["kind": .string("noLinkChosen")])
        case .disclosureMissing: .members(["kind": .string("disclosureMissing")])
        case .unknownTokenScheme(let storefront):
            .members(["kind": .string("unknownTokenScheme"), "storefront": .text(storefront)])
        case .outboxFull: .members(["kind": .string("outboxFull")])
        case .storageFailed(let failure): .members(["kind": .string("storageFailed"), "failure": failure.json])
        }
    }
}

extension StoreFailure {
    fileprivate func result(_ outcome: String) -> JSONValue {
        .members(["outcome": .string(outcome), "failure": json])
    }

    fileprivate var json: JSONValue { .members(["kind": .string(kind.rawValue), "message": .string(message)]) }
}

extension PurchaseTokens {
    fileprivate func result(_ outcome: String) -> JSONValue {
        let missing = missing.sorted { $0.key.rawValue < $1.key.rawValue }
        return .members([
            "outcome": .string(outcome), "tokens": .array(tokens.map(\.json)),
            "missing": .array(missing.map { $0.value.json(of: $0.key) }),
        ])
    }
}

extension PurchaseTokens.Missing {
    fileprivate func json(of type: TokenType) -> JSONValue {
        let (reason, failure): (String, StoreFailure?) =
            switch self {
            case .noneActive: ("noneActive", nil)
            case .notRequested: ("notRequested", nil)
            case .unsupported: ("unsupported", nil)
            case .failed(let failure): ("failed", failure)
            }
        return .members([
            "type": .string(type.rawValue), "reason": .string(reason), "failure": failure?.json ?? .null,
        ])
    }
}
