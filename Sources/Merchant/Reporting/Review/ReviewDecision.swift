package import ExternalPurchaseCore
package import Ledger

/// A person's decision about a review item.
package struct ReviewDecision: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Plan, validate and send again, or resume an app's queue.
        case retry
        /// Close the item, because the matter is settled elsewhere or given up.
        case resolve
    }

    package let action: Action
    /// The name that the person gives.
    package let by: String
    /// The reason.
    package let note: String

    package init(_ action: Action, by: String, note: String) {
        self.action = action
        self.by = by
        self.note = note
    }
}

/// The result of a decision.
package struct ReviewOutcome: Sendable {
    /// The closed item.
    package let item: ReviewItem
    /// A description of the effect.
    package let detail: String

    /// The response to `POST /v1/attention/{sequence}`.
    package var json: JSONValue {
        .object(JSONObject([.init("item", item.json), .init("outcome", .string(detail))]))
    }
}
