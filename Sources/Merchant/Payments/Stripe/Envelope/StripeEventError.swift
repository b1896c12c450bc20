package import ExternalPurchaseCore

/// Why a body is no event of Stripe.
package enum StripeEventError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON(JSONReadError)
    case notAnObject
    /// A thin event, which names its object only.
    case thin
    /// A member at this path occurs twice in its object; parsers disagree about which one counts.
    case repeatedMember(String)
    /// A member of the envelope is missing or of another type.
    case invalidMember(path: String, expected: String)

    package var description: String {
        switch self {
        case .notJSON(let error): "the body \(error.message())"
        case .notAnObject: "the body is not a JSON object"
        case .thin:
            "the event is a thin one and has no object; the event destination's payload style must be Snapshot"
        case .repeatedMember(let key): "the member \(key.quoted) occurs more than once"
        case .invalidMember(let path, let expected): "\(path): is not \(expected)"
        }
    }
}
