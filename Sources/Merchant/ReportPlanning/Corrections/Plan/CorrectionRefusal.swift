package import ExternalPurchaseCore

/// Why a correction cannot be sent as it was asked for.
package struct CorrectionRefusal: Hashable, Sendable {
    /// The cause, as programs read it.
    package let code: Code
    /// The item it is about.
    package let lineItemId: LineItemId?
    /// The rule of the report endpoint that stands against it.
    package let rule: ReportErrorCode?
    /// What is wrong and what would be right, in plain words.
    package let reason: String

    /// The causes of refusals.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// No item of that id was accepted.
        case unknownItem = "unknown-item"
        /// The accepted version lacks members that its kind needs.
        case unreadableItem = "unreadable-item"
        /// The item is retracted already.
        case alreadyRetracted = "already-retracted"
        /// An undo of an item that stands.
        case notRetracted = "not-retracted"
        /// A chargeback is reversed that is no refund.
        case notARefund = "not-a-refund"
        /// A changed member that the kind of the item does not have.
        case fieldNotAllowed = "field-not-allowed"
        /// Two requests, or a request and what another one takes along, want different things of one item.
        case contradiction = "contradicting-requests"
        /// Everything is as asked already.
        case nothingToCorrect = "nothing-to-correct"
        /// An item is moved to a token that is not known for this app and environment.
        case unknownToken = "unknown-token"
        /// The item would stand while what it references is retracted.
        case referenceRetracted = "reference-retracted"
        /// The refund's currencies or rate become its buy's, and its amounts in them are not known.
        case amountsNeeded = "amounts-needed"
        /// The refunds of a buy would exceed it (RR-23).
        case refundAboveBuy = "refund-above-buy"
        /// The endpoint takes corrections for a year only (RR-82); the case is kept and listed for a person.
        case tooLate = "too-late-to-report"
        /// The endpoint would refuse it for another reason.
        case refusedByRules = "refused-by-rules"
    }

    init(_ code: Code, _ lineItemId: LineItemId?, rule: ReportErrorCode? = nil, _ reason: String) {
        self.code = code
        self.lineItemId = lineItemId
        self.rule = rule
        self.reason = reason
    }

    /// The refusal as JSON; members that do not apply are left out.
    package var json: JSONValue {
        var members: [JSONObject.Member] = [.init("code", .string(code.rawValue))]
        if let lineItemId { members.append(.init("lineItemId", .string(lineItemId.rawValue))) }
        if let rule { members.append(.init("errorCode", .integer(Int64(rule.rawValue)))) }
        members.append(.init("reason", .string(reason)))
        return .object(JSONObject(members))
    }
}
