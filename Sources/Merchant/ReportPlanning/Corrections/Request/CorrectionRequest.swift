package import ExternalPurchaseCore

/// What a person asks to be corrected in reports that Apple accepted (RR-80, RR-81).
///
/// Several requests form one correction: they are planned together and go into as few reports as possible.
package enum CorrectionRequest: Hashable, Sendable {
    /// Some data of an item are wrong; an item without changes is stated again with its present net.
    case restate(LineItemId, CorrectedFields, refunds: RefundTreatment = .along)
    /// The item never happened; live items that reference it are retracted with it (RR-83).
    case retract(LineItemId)
    /// The item stands after all, with changed data where some are given; its own refunds and events stay retracted
    /// unless they are undone by requests of their own.
    case undo(LineItemId, CorrectedFields = CorrectedFields())
    /// A chargeback that was won back: its refund is retracted (RR-80, EX-11).
    case chargebackReversal(refund: LineItemId)
    /// The date or the token is wrong: the item is retracted and reported anew under a new id (RR-81).
    case move(LineItemId, Relocation)

    /// A wrong date.
    ///
    /// - Parameters:
    ///   - id: the item.
    ///   - date: the right moment.
    package static func moveDate(_ id: LineItemId, to date: Timestamp) -> CorrectionRequest {
        .move(id, Relocation(creationDate: date))
    }

    /// A wrong token.
    ///
    /// - Parameters:
    ///   - id: the item.
    ///   - token: the right token.
    package static func moveToken(_ id: LineItemId, to token: ExternalPurchaseId) -> CorrectionRequest {
        .move(id, Relocation(externalPurchaseId: token))
    }

    /// The item that the request names.
    package var lineItemId: LineItemId {
        switch self {
        case .restate(let id, _, _), .retract(let id), .undo(let id, _), .chargebackReversal(let id), .move(let id, _):
            id
        }
    }

    /// The members that the request states.
    var fields: CorrectedFields {
        switch self {
        case .restate(_, let fields, _), .undo(_, let fields): fields
        case .move(_, let place): place.fields
        case .retract, .chargebackReversal: CorrectedFields()
        }
    }

    /// What becomes of the refunds of a buy whose currencies, rate or tax country are restated.
    package enum RefundTreatment: Hashable, Sendable {
        /// They are restated with it (RR-83).
        case along
        /// They keep what they say, and the plan warns (`refund-left-behind`).
        case leftBehind
    }
}

/// Where an item belongs: members that a restatement cannot change (RR-81).
package struct Relocation: Hashable, Sendable {
    /// The right moment, nil when it was right.
    package var creationDate: Timestamp?
    /// The right token, nil when it was right.
    package var externalPurchaseId: ExternalPurchaseId?
    /// Other members that are wrong too.
    package var fields: CorrectedFields

    /// A place.
    ///
    /// - Parameters:
    ///   - creationDate: the right moment.
    ///   - externalPurchaseId: the right token.
    ///   - fields: other members that are wrong too.
    package init(
        creationDate: Timestamp? = nil,
        externalPurchaseId: ExternalPurchaseId? = nil,
        fields: CorrectedFields = CorrectedFields()
    ) {
        self.creationDate = creationDate
        self.externalPurchaseId = externalPurchaseId
        self.fields = fields
    }
}
