import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

extension PurchaseAvailability {
    /// The value in answers and events.
    var json: JSONValue {
        var answers: JSONObject = [:]
        for property in EligibilityProperty.allCases {
            guard let answer = self.answers[property] else { continue }
            let value = JSONValue.members(["isAvailable": .bool(answer.isAvailable), "reason": .text(answer.reason)])
            answers[property.rawValue] = value
        }
        return .members([
            "storefront": .text(storefront), "canMakePayments": .bool(canMakePayments),
            "closedGate": closedGate?.json ?? .null,
            "closedGates": .object(
                JSONObject(
                    ProgrammeTerms.Flow.allCases.compactMap { flow in
                        closedGates[flow].map { .init(flow.rawValue, $0.json) }
                    }
                )
            ),
            "inAppPurchase": .text(inAppPurchase?.rawValue), "offers": .array(offers.map(\.json)),
            "message": .text(message), "requestsTokens": .bool(requestsTokens),
            "answers": .object(answers),
        ])
    }
}

extension PurchaseAvailability.Offer {
    fileprivate var json: JSONValue {
        switch self {
        case .customLink(let flows):
            .members(["kind": .string("customLink"), "flows": .array(flows.map { .string($0.rawValue) })])
        case .links(let urls):
            .members(["kind": .string("links"), "urls": .array(urls.map { .string($0.absoluteString) })])
        case .link: .members(["kind": .string("link")])
        case .noticeSheet: .members(["kind": .string("noticeSheet")])
        case .inAppPurchase: .members(["kind": .string("inAppPurchase")])
        }
    }
}

extension ClosedGate {
    var json: JSONValue { .members(["name": .string(name), "reason": .string(reason)]) }
}
