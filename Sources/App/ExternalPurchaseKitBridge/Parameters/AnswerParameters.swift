import ExternalPurchaseCore
import ExternalPurchaseKit

/// The parameters of `answerDisclosure` and `answerOpenURL`.
struct DecisionParameters: Sendable {
    let question: String
    let decision: Bool

    /// - Parameter name: the member with the decision.
    init(_ value: JSONValue, at path: String, decision name: String) throws(BridgeError) {
        let reader = try MemberReader(value, at: path, members: ["question", name])
        question = try reader.text("question", atMost: 32)
        decision = try reader.bool(name)
    }
}

/// The parameters of `answerSendToken`.
struct SendTokenParameters: Sendable {
    let question: String
    let delivery: TokenDelivery

    init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let kinds = ["stored", "refused", "retry"]
        switch try MemberReader(kindOf: value, at: path).kind("delivery", of: kinds) {
        case "refused":
            let reader = try MemberReader(value, at: path, members: ["question", "delivery", "reason"])
            question = try reader.text("question", atMost: 32)
            delivery = .refused(reason: try reader.text("reason", atMost: 500))
        case "retry":
            let reader = try MemberReader(value, at: path, members: ["question", "delivery", "afterSeconds"])
            question = try reader.text("question", atMost: 32)
            // The reason is no text of the host, because it goes to the log (EK-30).
            delivery = .retry(reason: "the host asks for a later attempt", after: try Self.after(reader))
        default:
            let reader = try MemberReader(value, at: path, members: ["question", "delivery"])
            question = try reader.text("question", atMost: 32)
            delivery = .stored
        }
    }

    private static func after(_ reader: MemberReader) throws(BridgeError) -> Duration? {
        guard let value = reader.optional("afterSeconds") else { return nil }
        guard let seconds = value.int64Value, (0...86_400).contains(seconds) else {
            throw reader.invalid("afterSeconds", "a number of seconds from 0 to 86400")
        }
        return .seconds(seconds)
    }
}
