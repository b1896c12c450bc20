import ExternalPurchaseCore

/// A reason why a requested correction cannot be sent.
struct CorrectionRefusal: Hashable, Sendable {
    /// The machine-readable cause.
    let code: Code
    /// The affected item.
    let lineItemId: LineItemId?
    /// The rule of the report endpoint that the correction would violate.
    let rule: ReportErrorCode?
    /// The problem and its remedy, as text for a person.
    let reason: String

    /// The causes of refusals.
    enum Code: String, Hashable, Sendable, CaseIterable {
        /// No item of that id is accepted.
        case unknownItem = "unknown-item"
        /// The accepted version lacks members that its kind requires.
        case unreadableItem = "unreadable-item"
        /// The item is already retracted.
        case alreadyRetracted = "already-retracted"
        /// An undo names an item that is not retracted.
        case notRetracted = "not-retracted"
        /// A chargeback reversal names an item that is not a refund.
        case notARefund = "not-a-refund"
        /// A changed member does not exist for the kind of the item.
        case fieldNotAllowed = "field-not-allowed"
        /// Two requests, or a request and a consequence of another one, require different changes of one item.
        case contradiction = "contradicting-requests"
        /// The items already have the requested values.
        case nothingToCorrect = "nothing-to-correct"
        /// An item is moved to a token that is not known for this app and environment.
        case unknownToken = "unknown-token"
        /// The item would stay while the item it references is retracted.
        case referenceRetracted = "reference-retracted"
        /// The refund takes its buy's new currencies or rate, and its amounts in them are unknown.
        case amountsNeeded = "amounts-needed"
        /// The refunds of a buy would exceed its amount (RR-23).
        case refundAboveBuy = "refund-above-buy"
        /// The time limit of one year for corrections has passed (RR-82); the case is stored as a review item.
        case tooLate = "too-late-to-report"
        /// The endpoint would refuse the correction for another reason.
        case refusedByRules = "refused-by-rules"
    }

    init(_ code: Code, _ lineItemId: LineItemId?, rule: ReportErrorCode? = nil, _ reason: String) {
        self.code = code
        self.lineItemId = lineItemId
        self.rule = rule
        self.reason = reason
    }

    /// The refusal of a buy that would be less than its refunds (RR-23).
    ///
    /// - Parameters:
    ///   - buy: the corrected buy.
    ///   - excess: what the refunds exceed it by, with its currency.
    ///   - refunds: the line items of the refunds.
    static func refunds(_ refunds: [LineItemId], exceed buy: LineItemId, by excess: String) -> Self {
        let names = refunds.map(\.rawValue).joined(separator: ", ")
        return CorrectionRefusal(
            .refundAboveBuy,
            buy,
            "the refunds of \(buy) would exceed it by \(excess): restate or retract \(names) first, in a correction of"
                + " its own, so that they fit"
        )
    }

    /// The refusal as JSON; nil members are left out.
    var json: JSONValue {
        var members: JSONObject = ["code": .string(code.rawValue)]
        if let lineItemId { members["lineItemId"] = .string(lineItemId.rawValue) }
        if let rule { members["errorCode"] = .integer(Int64(rule.rawValue)) }
        members["reason"] = .string(reason)
        return .object(members)
    }
}
