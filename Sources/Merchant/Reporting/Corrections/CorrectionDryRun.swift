package import ExternalPurchaseCore
package import Ledger

/// The latest plan of a correction, which a person sees before confirming it (RR-84).
package struct CorrectionDryRun: Hashable, Sendable {
    package let correctionId: CorrectionId
    /// True if the correction can be confirmed.
    package let isAllowed: Bool
    /// The reports, changes, predicted errors and refusals.
    let plan: JSONValue

    package var json: JSONValue { .object(JSONObject(members)) }

    /// The members of the JSON response.
    package var members: [JSONObject.Member] {
        [
            .init("correctionId", .string(correctionId.rawValue)), .init("allowed", .bool(isAllowed)),
            .init("plan", plan),
        ]
    }
}

extension [CorrectionDryRun] {
    /// The members of a response with corrections: the list `corrections`, and the members of a single correction.
    ///
    /// With several corrections, `correctionId` appears only in the list, so that a client has to choose one to
    /// confirm.
    package var members: [JSONObject.Member] {
        let list = JSONObject.Member("corrections", .array(map(\.json)))
        guard count == 1, let only = first else { return [list] }
        return only.members + [list]
    }
}

/// The result of a confirmation.
package enum CorrectionConfirmation: Hashable, Sendable {
    /// The reports are in the outbox, in the order of sending; `isNew` is false if the correction was confirmed before.
    case confirmed(CorrectionId, reports: [RequestIdentifier], isNew: Bool)
    /// The correction cannot be confirmed as shown; contains the reason and the newest dry run.
    case stale(String, CorrectionDryRun)
}
