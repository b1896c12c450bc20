import ExternalPurchaseCore

extension JSONValue {
    /// An object with its members in this order.
    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.key, $0.value) }))
    }

    /// A text, or null.
    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    static func count(_ count: Int) -> JSONValue { .integer(Int64(count)) }
}
