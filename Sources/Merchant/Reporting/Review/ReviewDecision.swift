package import ExternalPurchaseCore
package import Ledger

/// What a person decides about an attention item.
package struct ReviewDecision: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Plan, judge and send anew; or go on with an app's queue.
        case retry
        /// Close the item: the matter is settled elsewhere, or given up.
        case resolve
    }

    package let action: Action
    /// The person's name as they give it.
    package let by: String
    /// Why.
    package let note: String

    package init(_ action: Action, by: String, note: String) {
        self.action = action
        self.by = by
        self.note = note
    }
}

/// What became of a decision.
package struct ReviewOutcome: Sendable {
    /// What is reported anew.
    struct Report: Hashable, Sendable {
        let token: ExternalPurchaseId
        let scope: ReportingScope
        /// True for a token without sales, which is answered before its due date then.
        let isAsked: Bool
    }

    /// The item, closed.
    package let item: ReviewItem
    /// What was done, in plain words.
    package let detail: String
    var report: Report?

    /// The answer to `POST /v1/attention/{sequence}`.
    package var json: JSONValue {
        .object(JSONObject([.init("item", item.json), .init("outcome", .string(detail))]))
    }
}
