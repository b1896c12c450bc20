import ExternalPurchaseCore
package import Ledger

/// Whether a planned correction can be confirmed as things stand.
package enum CorrectionReadiness: Hashable, Sendable {
    /// Its reports can be sent as they were shown.
    case ready
    /// Its dry run does not fit any more; a confirmation stores the new one instead.
    case outdated
    /// It cannot be sent; contains the reason.
    case blocked(String)
    /// It was confirmed or closed.
    case decided
}

extension CorrectionRequests {
    /// Returns whether a correction can be confirmed as things stand.
    package func readiness(of correction: StoredCorrection) async throws(RequestError) -> CorrectionReadiness {
        let now = dependencies.now()
        return try await store.shortRead { ledger throws(LedgerError) in
            try readiness(of: correction, now: now, in: ledger)
        }
    }

    /// The same judgement as ``confirm(_:)``, which changes nothing.
    func readiness(
        of correction: StoredCorrection,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> CorrectionReadiness {
        guard correction.confirmation == nil, correction.closing == nil else { return .decided }
        let wish: CorrectionCommand
        do throws(RequestError) {
            wish = try CorrectionCommand(stored: correction, apps: apps)
        } catch {
            return .blocked(error.description)
        }
        let preparation = CorrectionPreparation(settings: planner.settings, uuid: dependencies.uuid)
        switch try preparation.plan(wish, now: now, in: ledger) {
        case .failure(let refusal): return .blocked(refusal.description)
        case .success(let prepared):
            if prepared.record.encoded() != correction.dryRun?.encoded() { return .outdated }
            if let reason = try preparation.obstacle(to: prepared, in: ledger, now: now) { return .blocked(reason) }
            return .ready
        }
    }
}

extension CorrectionPreparation {
    /// Returns the corrections of an accepted sale that can be begun as things stand.
    ///
    /// Those that change a value are offered while Apple takes corrections of the sale; the others only if their plan
    /// is allowed.
    func actions(
        for sale: StoredSale,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [CorrectionCommand.Action] {
        func plan(_ action: CorrectionCommand.Action) throws(LedgerError) -> CorrectionPlan? {
            let wish = CorrectionCommand(
                bundleId: sale.sale.bundleId,
                saleId: sale.sale.saleId,
                action: action,
                requestedBy: "",
                reason: ""
            )
            if case .success(let prepared) = try self.plan(wish, now: now, in: ledger) { return prepared.plan }
            return nil
        }
        switch (sale.standing, sale.sale.kind) {
        case (.retracted, _): return try plan(.undo)?.isAllowed == true ? [.undo] : []
        case (.reported, .purchase), (.reported, .subscription), (.reported, .refund):
            guard let retraction = try plan(.retract) else { return [] }
            // The reversal of a chargeback retracts it, which nobody undoes by a correction.
            if retraction.refusals.contains(where: { [.tooLate, .alreadyRetracted].contains($0.code) }) { return [] }
            var actions: [CorrectionCommand.Action] = [.restate]
            if retraction.isAllowed { actions.append(.retract) }
            actions.append(.move)
            if case .subscription = sale.sale.kind, try plan(.recount)?.isAllowed == true { actions.append(.recount) }
            return actions
        default: return []
        }
    }
}
