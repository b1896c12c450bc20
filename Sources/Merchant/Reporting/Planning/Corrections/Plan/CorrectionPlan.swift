import ExternalPurchaseCore

/// The reports and changes of a correction, and the predicted response of the endpoint (RR-84).
///
/// A plan is a dry run: it stores and sends nothing. It is valid for the history from which it was made. Each report is
/// validated again when it is written, and is sent after the previous report was accepted.
struct CorrectionPlan: Hashable, Sendable {
    /// The reports in the order in which they must be accepted; empty when the requests are invalid.
    var steps: [PlannedReport] = []
    /// The reasons why the correction cannot be sent; empty when it can.
    let refusals: [CorrectionRefusal]
    /// Warnings to read before the confirmation.
    var warnings: [CorrectionWarning] = []
    /// The requests that would restore the present values after this plan is accepted; ids of new items stay used.
    var inverse: [CorrectionRequest] = []

    /// Returns the plan with further warnings.
    func warning(_ more: [CorrectionWarning]) -> CorrectionPlan {
        CorrectionPlan(steps: steps, refusals: refusals, warnings: warnings + more, inverse: inverse)
    }

    /// Returns the plan with a further reason why it cannot be sent.
    func refused(_ refusal: CorrectionRefusal) -> CorrectionPlan {
        CorrectionPlan(steps: steps, refusals: refusals + [refusal], warnings: warnings, inverse: inverse)
    }

    /// True when the correction can be confirmed.
    var isAllowed: Bool { refusals.isEmpty }
    /// True if the only objection is that Apple has it so already.
    var changesNothing: Bool { !refusals.isEmpty && refusals.allSatisfy { $0.code == .nothingToCorrect } }

    /// The reports to send, in order; empty unless the plan is allowed.
    var reports: [PlannedReport] { isAllowed ? steps : [] }
}

/// One report of a correction, complete except for its request identifier.
package struct PlannedReport: Hashable, Sendable {
    /// The token of the report.
    let externalPurchaseId: ExternalPurchaseId
    /// The items of the report, buys first (RR-83).
    let items: [ItemCorrection]
    /// The errors that the endpoint would return after accepting the previous reports of the plan; empty means
    /// acceptance.
    var predictedErrors: [ReportError] = []

    /// Returns the report with a request identifier, ready to be written.
    ///
    /// - Parameter requestIdentifier: a new UUID, which stays the same for every attempt to send the report (SA-60).
    func report(_ requestIdentifier: RequestIdentifier) -> Report {
        Report(
            requestIdentifier: requestIdentifier,
            externalPurchaseId: externalPurchaseId,
            content: .lineItems(items.map(\.item))
        )
    }
}

/// The change of one line item in one report of a correction.
package struct ItemCorrection: Hashable, Sendable {
    /// The kind of change.
    let action: Action
    /// The reason for the change.
    let cause: Cause
    /// The item before this report; for a new item, the item that it replaces.
    let before: LineItem?
    /// The item as reported, with all members (RR-80).
    let item: LineItem

    /// The kind of change of an item.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// A newer version with other values.
        case restate
        /// Marks the item as never having happened.
        case retract
        /// Reverts a retraction.
        case undo
        /// Reports the item under a new id in place of a retracted one.
        case report
    }

    /// The reason why an item is in a plan.
    enum Cause: Hashable, Sendable {
        /// A request names it.
        case requested
        /// It references a corrected item and must change with it.
        case comesAlong(with: LineItemId)
        /// It replaces a retracted item (RR-81).
        case replaces(LineItemId)
        /// A refund on another token than its buy, retracted before the buy's report and restored after it (RR-83).
        ///
        /// Otherwise the refund's old amounts would temporarily be combined with the buy's new ones.
        case suspended(for: LineItemId)
    }

    /// The net before and after the change (RR-20).
    var net: (old: MilliUnits?, new: MilliUnits) {
        (before?.amounts.netTaxExclusive, item.amounts.netTaxExclusive)
    }

    /// The members whose values change, including the net, in wire order.
    var changes: [FieldChange] {
        let old = before?.comparableJSON ?? JSONObject()
        let new = item.comparableJSON
        let names = new.members.map(\.key) + old.members.map(\.key).filter { new[$0] == nil }
        return names.compactMap { name in
            old[name] == new[name] ? nil : FieldChange(field: name, old: old[name], new: new[name])
        }
    }
}

/// A member of a line item that a correction changes.
struct FieldChange: Hashable, Sendable {
    /// The member's name in the wire format.
    let field: String
    /// The old value; nil for a member that was absent.
    let old: JSONValue?
    /// The new value; nil for a member that is removed.
    let new: JSONValue?
}

extension LineItem {
    /// The members that describe the transaction, without those that only mark a version as a restatement.
    fileprivate var comparableJSON: JSONObject {
        var received = asReceived
        received.restatement = nil
        received.erroneouslySubmitted = !isLive
        return received.json.objectValue ?? JSONObject()
    }
}
