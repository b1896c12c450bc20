package import ExternalPurchaseCore
import Ledger

/// A person's decision about a review item.
package struct ReviewDecision: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Plan, validate and send again, or resume an app's queue.
        case retry
        /// Take what was refused as accepted, because Apple has it.
        case accepted
        /// Close the item, because the matter is settled elsewhere or given up.
        case resolve
    }

    package let action: Action
    /// The name that the person gives.
    package let by: String
    /// The reason.
    package let note: String
    /// The report with which Apple accepted it, if it is known; only for ``Action/accepted``.
    let requestIdentifier: RequestIdentifier?
    /// The only app whose items the person may decide about; nil for all apps.
    let bundleId: BundleId?

    package init(
        _ action: Action,
        by: String,
        note: String,
        requestIdentifier: RequestIdentifier? = nil,
        of bundleId: BundleId? = nil
    ) {
        self.action = action
        self.by = by
        self.note = note
        self.requestIdentifier = requestIdentifier
        self.bundleId = bundleId
    }

    /// The decision as the review item keeps it.
    var words: String {
        let report = requestIdentifier.map { " (report \($0))" } ?? ""
        return note.isEmpty ? action.rawValue + report : "\(action.rawValue)\(report): \(note)"
    }
}

/// The result of a decision.
package struct ReviewOutcome: Sendable {
    /// The closed item.
    let item: ReviewItem
    /// A description of the effect.
    package let detail: String

    /// The response to `POST /v1/review/{sequence}`.
    package var json: JSONValue {
        ["item": item.json, "outcome": .string(detail)]
    }
}
