package import ExternalPurchaseCore

/// What a correction would send, what of it would change, and whether the endpoint would take it (RR-84).
///
/// A plan is a dry run: nothing is kept or sent. It holds for the history it was made from; each report is judged once
/// more when it is written, and sent when the one before it was accepted.
package struct CorrectionPlan: Hashable, Sendable {
    /// The reports in the order in which they must be accepted; empty when the requests themselves make no sense.
    package let steps: [PlannedReport]
    /// Why the correction cannot be sent; none when it can.
    package let refusals: [CorrectionRefusal]
    /// What a person should know before confirming.
    package let warnings: [CorrectionWarning]
    /// The requests that bring the items back to their present values after this plan was accepted; ids of new items
    /// stay used.
    package let inverse: [CorrectionRequest]

    init(
        steps: [PlannedReport] = [],
        refusals: [CorrectionRefusal],
        warnings: [CorrectionWarning] = [],
        inverse: [CorrectionRequest] = []
    ) {
        self.steps = steps
        self.refusals = refusals
        self.warnings = warnings
        self.inverse = inverse
    }

    /// True when the correction can be confirmed.
    package var isAllowed: Bool { refusals.isEmpty }

    /// The reports to send, in order; none unless the plan is allowed.
    package var reports: [PlannedReport] { isAllowed ? steps : [] }
}

/// One report of a correction, complete but for its request identifier.
package struct PlannedReport: Hashable, Sendable {
    /// The token it is about.
    package let externalPurchaseId: ExternalPurchaseId
    /// Its items, buys first (RR-83).
    package let items: [ItemCorrection]
    /// What the endpoint would answer after the earlier reports of the plan were accepted; none means acceptance.
    package let predictedErrors: [ReportError]

    init(externalPurchaseId: ExternalPurchaseId, items: [ItemCorrection], predictedErrors: [ReportError] = []) {
        self.externalPurchaseId = externalPurchaseId
        self.items = items
        self.predictedErrors = predictedErrors
    }

    /// The report under an identifier, ready to be written.
    ///
    /// - Parameter requestIdentifier: a new UUID, the same at every attempt to send the report (SA-60).
    package func report(_ requestIdentifier: RequestIdentifier) -> Report {
        Report(
            requestIdentifier: requestIdentifier,
            externalPurchaseId: externalPurchaseId,
            content: .lineItems(items.map(\.item))
        )
    }
}

/// What becomes of one line item in one report of a correction.
package struct ItemCorrection: Hashable, Sendable {
    /// What is done to it.
    package let action: Action
    /// Why it is in the plan.
    package let cause: Cause
    /// The item as it stands before this report; of a new item the one it replaces.
    package let before: LineItem?
    /// The item as it is reported, with all members (RR-80).
    package let item: LineItem

    /// What is done to an item.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// A newer version with other values.
        case restate
        /// It never happened.
        case retract
        /// It stands again.
        case undo
        /// It is reported under a new id in place of a retracted one.
        case report
    }

    /// Why an item is in a plan.
    package enum Cause: Hashable, Sendable {
        /// A request names it.
        case requested
        /// It references an item that is corrected, and cannot stay as it is.
        case comesAlong(with: LineItemId)
        /// It takes the place of a retracted item (RR-81).
        case replaces(LineItemId)
        /// It sits on another token than its buy, and its old amounts must not stand beside the buy's new ones: it is
        /// retracted before and stands again after (RR-83).
        case suspended(for: LineItemId)
    }

    /// The net as it stood and as it is stated now (RR-20).
    package var net: (old: MilliUnits?, new: MilliUnits) {
        (before?.amounts.netTaxExclusive, item.amounts.netTaxExclusive)
    }

    /// The members whose values change, in the order of the wire format; the net is among them.
    package var changes: [FieldChange] {
        let old = before?.comparableJSON ?? JSONObject()
        let new = item.comparableJSON
        let names = new.members.map(\.key) + old.members.map(\.key).filter { new[$0] == nil }
        return names.compactMap { name in
            old[name] == new[name] ? nil : FieldChange(field: name, old: old[name], new: new[name])
        }
    }
}

/// A member of a line item that a correction changes.
package struct FieldChange: Hashable, Sendable {
    /// The member by its name on the wire.
    package let field: String
    /// The value that stands, nil for a member that was absent.
    package let old: JSONValue?
    /// The value that replaces it, nil for a member that goes.
    package let new: JSONValue?
}

extension LineItem {
    /// The members that say something of the transaction: that a version is a restatement is no change of it.
    fileprivate var comparableJSON: JSONObject {
        var received = asReceived
        received.restatement = nil
        received.erroneouslySubmitted = !isLive
        return received.json.objectValue ?? JSONObject()
    }
}
