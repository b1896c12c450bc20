package import ExternalPurchaseCore

/// A requested correction of an accepted line item (RR-80, RR-81).
///
/// Several requests form one correction: they are planned together and go into as few reports as possible.
package enum CorrectionRequest: Hashable, Sendable {
    /// Changes data of an item; without changes, the item is restated with its present net.
    case restate(LineItemId, CorrectedFields, refunds: RefundTreatment = .along)
    /// Marks the item as never having happened; live items that reference it are retracted with it (RR-83).
    case retract(LineItemId)
    /// Reverts a retraction, optionally with changed data.
    ///
    /// The item's own refunds and events stay retracted unless they have requests of their own.
    case undo(LineItemId, CorrectedFields = CorrectedFields())
    /// Retracts the refund of a chargeback that the merchant won (RR-80, EX-11).
    case chargebackReversal(refund: LineItemId)
    /// Corrects date or token: the item is retracted and reported under a new id (RR-81).
    case move(LineItemId, Relocation)

    /// Creates a request that corrects the date.
    ///
    /// - Parameters:
    ///   - id: the item.
    ///   - date: the correct date.
    static func moveDate(_ id: LineItemId, to date: Timestamp) -> CorrectionRequest {
        .move(id, Relocation(creationDate: date))
    }

    /// Creates a request that corrects the token.
    ///
    /// - Parameters:
    ///   - id: the item.
    ///   - token: the correct token.
    static func moveToken(_ id: LineItemId, to token: ExternalPurchaseId) -> CorrectionRequest {
        .move(id, Relocation(externalPurchaseId: token))
    }

    /// The item that the request names.
    var lineItemId: LineItemId {
        switch self {
        case .restate(let id, _, _), .retract(let id), .undo(let id, _), .chargebackReversal(let id), .move(let id, _):
            id
        }
    }

    /// The members that the request changes.
    var fields: CorrectedFields {
        switch self {
        case .restate(_, let fields, _), .undo(_, let fields): fields
        case .move(_, let place): place.fields
        case .retract, .chargebackReversal: CorrectedFields()
        }
    }

    /// The treatment of the refunds of a buy whose currencies, rate or tax country are restated.
    package enum RefundTreatment: Hashable, Sendable {
        /// The refunds are restated with the buy (RR-83).
        case along
        /// The refunds stay unchanged, and the plan contains a warning (`refund-left-behind`).
        case leftBehind
    }
}

/// The correct date and token of an item, which a restatement cannot change (RR-81).
package struct Relocation: Hashable, Sendable {
    /// The correct date; nil if it does not change.
    var creationDate: Timestamp?
    /// The correct token; nil if it does not change.
    var externalPurchaseId: ExternalPurchaseId?
    /// Changes of other members.
    var fields: CorrectedFields = CorrectedFields()
}
