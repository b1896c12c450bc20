import ExternalPurchaseCore
import ExternalPurchaseKit

extension PurchaseToken {
    /// The token without its text (EK-53).
    var json: JSONValue { .object(JSONObject(members)) }

    /// The token with its text, for the host that sends it and for refused tokens only (EK-53).
    var jsonWithText: JSONValue { .object(JSONObject(members + [.init("text", .string(text))])) }

    private var members: [JSONObject.Member] {
        [
            .init("name", .string(name.description)),
            .init("externalPurchaseId", .text(externalPurchaseId?.description)),
            .init("type", .text(type?.rawValue)), .init("storefront", .text(storefront)),
            .init("customerId", .text(customerId)),
        ]
    }
}
