package import ExternalPurchaseCore
package import Ledger

/// A correction as it was planned last: what a person sees before confirming (RR-84).
package struct CorrectionDryRun: Hashable, Sendable {
    package let correctionId: CorrectionId
    /// True when the correction can be confirmed.
    package let isAllowed: Bool
    /// Reports, changes, predicted errors and refusals.
    package let plan: JSONValue

    package var json: JSONValue { .object(JSONObject(members)) }

    /// The members of the answer to the request.
    package var members: [JSONObject.Member] {
        [
            .init("correctionId", .string(correctionId.rawValue)), .init("allowed", .bool(isAllowed)),
            .init("plan", plan),
        ]
    }
}

extension [CorrectionDryRun] {
    /// The members of an answer that offers them: `corrections`, and those of the only one beside it.
    ///
    /// Several have no `correctionId` beside the list, so that a client that confirms one of them does so knowingly.
    package var members: [JSONObject.Member] {
        let list = JSONObject.Member("corrections", .array(map(\.json)))
        guard count == 1, let only = first else { return [list] }
        return only.members + [list]
    }
}

/// What became of a confirmation.
package enum CorrectionConfirmation: Hashable, Sendable {
    /// The reports are in the outbox, in the order of sending; not new when the same was confirmed before.
    case confirmed(CorrectionId, reports: [RequestIdentifier], isNew: Bool)
    /// It cannot be confirmed as it was shown: why, and the newest dry run.
    case stale(String, CorrectionDryRun)
}
