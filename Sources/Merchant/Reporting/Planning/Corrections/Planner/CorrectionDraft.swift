import ExternalPurchaseCore
import ReportValidation

/// The planned change of one line item.
struct PlannedChange {
    let action: ItemCorrection.Action
    let cause: ItemCorrection.Cause
    let externalPurchaseId: ExternalPurchaseId
    /// The accepted version; for a new item, that of the item it replaces.
    let before: LineItem
    /// The version to report, without its final net.
    var after: LineItem
    /// The members that the caller stated.
    var stated = CorrectedFields()
}

/// The requests, translated to one change per line item.
struct CorrectionDraft {
    let history: CorrectionHistory
    /// The items before the correction.
    let standing: CurrentItems
    var changes: [LineItemId: PlannedChange] = [:]
    /// The changed items in the order in which they were added.
    var order: [LineItemId] = []
    /// The items that are reported under a new id, with their new date or token.
    var moves: [LineItemId: Relocation] = [:]
    /// The buys whose refunds are not restated with them.
    var leavingRefunds: Set<LineItemId> = []
    /// The amounts that follow from the sales, by the accepted line item of the refund.
    var refundAmounts: [LineItemId: LineMoney] = [:]
    var refusals: [CorrectionRefusal] = []
    var warnings: [CorrectionWarning] = []

    init(_ history: CorrectionHistory) {
        self.history = history
        var standing = CurrentItems()
        for (id, accepted) in history.items {
            if let item = LineItem(accepted: accepted.item) {
                standing.put(item, on: accepted.externalPurchaseId)
            } else {
                refusals.append(
                    CorrectionRefusal(.unreadableItem, id, "the accepted version of \(id) lacks members of its kind")
                )
            }
        }
        self.standing = standing
        refusals.sort { ($0.lineItemId ?? "") < ($1.lineItemId ?? "") }
    }

    /// The items after the correction.
    var final: CurrentItems {
        var final = standing
        for id in order {
            if let change = changes[id] { final.put(change.after, on: change.externalPurchaseId) }
        }
        return final
    }

    /// Adds the change of each request for the item it names.
    mutating func read(_ requests: [CorrectionRequest]) {
        if requests.isEmpty { refuse(.nothingToCorrect, nil, "no correction was asked for") }
        var seen: Set<CorrectionRequest> = []
        for request in requests where seen.insert(request).inserted { read(request) }
    }

    private mutating func read(_ request: CorrectionRequest) {
        let id = request.lineItemId
        guard let place = standing[id] else {
            if history.items[id] == nil { refuse(.unknownItem, id, "no line item \(id) was accepted") }
            return
        }
        let item = place.item
        let foreign = request.fields.foreign(to: item.kind)
        guard foreign.isEmpty else {
            let names = foreign.map(\.rawValue).joined(separator: ", ")
            return refuse(.fieldNotAllowed, id, "\(id) has no \(names): correct only members of its kind")
        }
        switch request {
        case .undo:
            guard !item.isLive else { return refuse(.notRetracted, id, "\(id) stands: there is nothing to undo") }
        case .restate:
            guard item.isLive else {
                return refuse(.alreadyRetracted, id, "\(id) is retracted: undo that, stating the new values")
            }
        case .retract, .chargebackReversal, .move:
            guard item.isLive else { return refuse(.alreadyRetracted, id, "\(id) is retracted already") }
        }
        switch request {
        case .restate(_, let fields, let refunds):
            if refunds == .leftBehind { leavingRefunds.insert(id) }
            enter(.restate, place, fields.applied(to: item), stating: fields)
        case .undo(_, let fields):
            enter(.undo, place, fields.applied(to: item), stating: fields)
        case .retract, .chargebackReversal:
            if case .chargebackReversal = request, !item.isRefund {
                return refuse(.notARefund, id, "\(id) is no refund: only a refund can be won back")
            }
            if moves[id] != nil { return refuse(contradicting: id) }
            enter(.retract, place, item)
        case .move(_, let destination):
            enter(destination, of: place)
        }
    }

    private mutating func enter(_ destination: Relocation, of place: StandingItem) {
        let id = place.item.lineItemId
        if let token = destination.externalPurchaseId, history.tokens[token] == nil {
            return refuse(.unknownToken, id, "the token \(token) is not known for this app and environment")
        }
        guard
            destination.creationDate.map({ $0 != place.item.creationDate }) == true
                || destination.externalPurchaseId.map({ $0 != place.externalPurchaseId }) == true
        else {
            return refuse(
                .nothingToCorrect,
                id,
                "\(id) has that date and token already: other members are corrected by a restatement"
            )
        }
        if moves[id].map({ $0 != destination }) == true || (changes[id] != nil && moves[id] == nil) {
            return refuse(contradicting: id)
        }
        moves[id] = destination
        enter(.retract, place, place.item)
    }

    private mutating func enter(
        _ action: ItemCorrection.Action,
        _ place: StandingItem,
        _ item: LineItem,
        stating fields: CorrectedFields = CorrectedFields()
    ) {
        let id = item.lineItemId
        if let change = changes[id] {
            // A chargeback reversal and a retraction of the same item are equivalent.
            if change.action != .retract || action != .retract { refuse(contradicting: id) }
            return
        }
        change(place, action, to: item, because: .requested, stating: fields)
    }

    /// Adds a change of an accepted item.
    mutating func change(
        _ place: StandingItem,
        _ action: ItemCorrection.Action,
        to item: LineItem,
        because cause: ItemCorrection.Cause,
        stating fields: CorrectedFields = CorrectedFields()
    ) {
        var item = item
        item.version = action == .retract ? .retraction : .restatement
        order.append(item.lineItemId)
        changes[item.lineItemId] = PlannedChange(
            action: action,
            cause: cause,
            externalPurchaseId: place.externalPurchaseId,
            before: place.item,
            after: item,
            stated: fields
        )
    }

    mutating func refuse(_ code: CorrectionRefusal.Code, _ id: LineItemId?, _ reason: String) {
        refusals.append(CorrectionRefusal(code, id, reason))
    }

    mutating func refuse(contradicting id: LineItemId) {
        refuse(.contradiction, id, "the requests want different things of \(id): ask for one of them")
    }
}
