import ExternalPurchaseCore
import ReportValidation

extension CorrectionDraft {
    /// Retracts all items that reference a retracted item, directly or indirectly (RR-83).
    ///
    /// Items that reference a moved item are moved with it.
    mutating func addDependants() {
        var open = order.filter { changes[$0]?.action == .retract }[...]
        while let id = open.popFirst() {
            for referrer in standing.liveReferrers(of: id) {
                let referrerId = referrer.item.lineItemId
                if let change = changes[referrerId] {
                    if change.action != .retract, change.after.reference == id { refuse(contradicting: referrerId) }
                    continue
                }
                change(referrer, .retract, to: referrer.item, because: .comesAlong(with: id))
                if moves[id] != nil { moves[referrerId] = Relocation() }
                open.append(referrerId)
            }
        }
    }

    /// Reports every moved item under a new id (RR-81), buys before the items that reference them.
    mutating func addReplacements() {
        let moved = moves.keys.compactMap { standing[$0]?.item }.sorted {
            ($0.reportRank, $0.creationDate, $0.lineItemId) < ($1.reportRank, $1.creationDate, $1.lineItemId)
        }
        var successors: [LineItemId: LineItemId] = [:]
        var planned: Set<LineItemId> = []
        for item in moved {
            let successor = history.successor(of: item.lineItemId, avoiding: planned).id
            successors[item.lineItemId] = successor
            planned.insert(successor)
        }
        for item in moved {
            guard let place = moves[item.lineItemId], let successor = successors[item.lineItemId],
                let token = token(of: item, in: place, successors: successors)
            else { continue }
            var after = place.fields.applied(to: item)
            if let reference = after.reference, let newReference = successors[reference] {
                after = after.referencing(newReference)
            }
            after.lineItemId = successor
            after.creationDate = place.creationDate ?? item.creationDate
            after.version = .original
            order.append(successor)
            changes[successor] = PlannedChange(
                action: .report,
                cause: .replaces(item.lineItemId),
                externalPurchaseId: token,
                before: item,
                after: after,
                stated: place.fields
            )
        }
    }

    /// The token of a replacing item.
    ///
    /// A refund uses the token of its buy (RR-65). An event uses its start's new token if both had the same token
    /// (RR-63), unless the event lies outside the range of the new token (E36).
    private func token(
        of item: LineItem,
        in place: Relocation,
        successors: [LineItemId: LineItemId]
    ) -> ExternalPurchaseId? {
        guard let own = standing[item.lineItemId]?.externalPurchaseId else { return nil }
        if let stated = place.externalPurchaseId { return stated }
        guard let reference = item.reference, let old = standing[reference]?.externalPurchaseId,
            let new = successors[reference].flatMap({ changes[$0]?.externalPurchaseId })
        else { return own }
        if item.isRefund { return new }
        guard own == old, let token = history.tokens[new] else { return own }
        let date = place.creationDate ?? item.creationDate
        let isInRange = token.expirationDate.map { token.creationDate <= date && date <= $0 } ?? true
        return isInRange ? new : own
    }

    /// Refusals for items that would stay while the item they reference is retracted (E25).
    func referencesRetracted() -> [CorrectionRefusal] {
        let final = final
        return order.compactMap { id in
            guard let item = changes[id]?.after, item.isLive, let reference = item.reference,
                final[reference]?.item.isLive == false
            else { return nil }
            return CorrectionRefusal(
                .referenceRetracted,
                id,
                rule: .validLineItemReferencesErroneousLineItem,
                "\(id) cannot stand while \(reference), which it references, is retracted: undo that too"
            )
        }
    }

    /// Refusals for restatements that change nothing, not even the net.
    func nothingChanged(in steps: [PlannedReport]) -> [CorrectionRefusal] {
        steps.flatMap(\.items).compactMap { correction in
            guard correction.action == .restate, correction.cause == .requested, correction.changes.isEmpty
            else { return nil }
            let id = correction.item.lineItemId
            return CorrectionRefusal(.nothingToCorrect, id, "\(id) says all that already")
        }
    }

    /// The requests that would undo this correction.
    func inverse() -> [CorrectionRequest] {
        order.compactMap { id in
            guard let change = changes[id] else { return nil }
            switch change.action {
            case .report, .undo:
                return .retract(id)
            case .retract:
                return .undo(id)
            case .restate:
                let fields = CorrectedFields(restoring: change.before, from: change.after)
                return fields == CorrectedFields() ? nil : .restate(id, fields)
            }
        }
    }
}

extension LineItem {
    /// The rank of the item in a report: buys first, starts before their events (RR-83).
    var reportRank: Int {
        switch kind {
        case .oneTimeBuy: 0
        case .subscription(let subscription): subscription.start == nil ? 0 : 1
        case .refund: 2
        }
    }
}
