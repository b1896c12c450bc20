import ExternalPurchaseCore
package import Ledger

/// Handles corrections from the request and the dry run to the reports in the outbox (RR-80 to RR-84).
package struct CorrectionRequests: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let planner: MerchantPlanner
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    private enum Outcome<Value: Sendable>: Sendable {
        case accepted(Value)
        case refused(RequestError)
    }

    private var preparation: CorrectionPreparation {
        CorrectionPreparation(settings: planner.settings, uuid: dependencies.uuid)
    }

    // MARK: Dry run

    /// Plans and stores a correction; nothing is sent.
    ///
    /// - Throws: ``RequestError``.
    package func plan(_ wish: CorrectionCommand) async throws(RequestError) -> CorrectionDryRun {
        let now = dependencies.now()
        let id = CorrectionId(dependencies.uuid().uuidString.lowercased())
        return try await write { ledger throws(LedgerError) in
            let prepared: CorrectionPreparation.Prepared
            switch try preparation.plan(wish, now: now, in: ledger) {
            case .success(let value): prepared = value
            case .failure(let refusal): return .refused(refusal)
            }
            try preparation.keep(prepared, of: wish, as: id, in: ledger, now: now)
            return .accepted(prepared.shown(of: id))
        }
    }

    // MARK: Confirm

    /// Puts the reports of a correction into the outbox if they still equal those of its dry run.
    ///
    /// Planning, comparison, pre-flight and outbox entries are one transaction, so that the history cannot change in
    /// between.
    ///
    /// - Throws: ``RequestError``.
    package func confirm(_ order: ConfirmationCommand) async throws(RequestError) -> CorrectionConfirmation {
        let now = dependencies.now()
        let confirmation: CorrectionConfirmation = try await write { ledger throws(LedgerError) in
            let found = try find(order, in: ledger)
            guard let correction = found.first else {
                return .refused(.invalid([FieldError("/correctionId", "is not a correction known here")]))
            }
            if found.count > 1 { return .refused(.missingApp(of: "correction", among: found.map(\.bundleId))) }
            let id = correction.correctionId
            if correction.confirmation != nil {
                return .accepted(.confirmed(id, reports: correction.reports.map(\.requestIdentifier), isNew: false))
            }
            if let closing = correction.closing {
                return .refused(.invalid([FieldError("/correctionId", "was closed: \(closing.note)")]))
            }
            if needsOther(than: order.confirmedBy, for: correction) {
                return .refused(
                    .impossible(
                        "\(correction.requestedBy.quoted) asked for this correction and does not confirm it "
                            + "(corrections.fourEyes): another person or key does"
                    )
                )
            }
            let wish: CorrectionCommand
            do throws(RequestError) {
                wish = try CorrectionCommand(stored: correction, apps: apps)
            } catch {
                return .refused(error)
            }
            let prepared: CorrectionPreparation.Prepared
            switch try preparation.plan(wish, now: now, in: ledger) {
            case .success(let value): prepared = value
            case .failure(let refusal): return .refused(refusal)
            }
            if let reason = try preparation.obstacle(to: prepared, shownAs: correction, in: ledger, now: now) {
                return .accepted(.stale(reason, prepared.shown(of: id)))
            }
            let reports = try preparation.confirm(prepared, correction, by: order.confirmedBy, in: ledger, now: now)
            let keys = [.sale(prepared.corrected.sale.saleId)] + prepared.corrected.sale.keys
            // Sales that refer to a corrected item wait for the correction.
            try planner.replan(touching: keys, of: correction.bundleId, in: ledger, now: now)
            return .accepted(.confirmed(id, reports: reports, isNew: true))
        }
        if case .confirmed(_, _, isNew: true) = confirmation { signals.reportsReady() }
        return confirmation
    }

    /// Whether a correction is confirmed by somebody else than this person or key, by the setting `corrections.fourEyes`.
    ///
    /// Names that a reader does not tell apart are one.
    package func needsOther(than author: String, for correction: StoredCorrection) -> Bool {
        planner.settings.needsFourEyes
            && AuthorName.comparisonKey(of: author) == AuthorName.comparisonKey(of: correction.requestedBy)
    }

    /// What became of corrections that the server itself confirms.
    enum Confirmed {
        case all
        /// The rest can be confirmed once Apple has answered what is on its way.
        case some
        /// A person decides.
        case none
    }

    /// Confirms planned corrections within the caller's transaction, each that can be sent now.
    func confirm(
        _ dryRuns: [CorrectionDryRun],
        of bundleId: BundleId,
        by author: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Confirmed {
        var open = 0
        for dryRun in dryRuns {
            guard let correction = try ledger.correction(dryRun.correctionId, of: bundleId),
                correction.confirmation == nil, correction.closing == nil,
                let wish = try? CorrectionCommand(stored: correction, apps: apps),
                case .success(let prepared) = try preparation.plan(wish, now: now, in: ledger), prepared.plan.isAllowed
            else { return .none }
            guard try preparation.obstacle(to: prepared, in: ledger, now: now) == nil else {
                open += 1
                continue
            }
            _ = try preparation.confirm(prepared, correction, by: author, in: ledger, now: now)
            let keys = [.sale(prepared.corrected.sale.saleId)] + prepared.corrected.sale.keys
            // Sales that refer to a corrected item wait for the correction.
            try planner.replan(touching: keys, of: bundleId, in: ledger, now: now)
        }
        return open == 0 ? .all : .some
    }

    private func find(
        _ order: ConfirmationCommand,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [StoredCorrection] {
        var found: [StoredCorrection] = []
        for bundleId in order.bundleId.map({ [$0] }) ?? apps.keys.sorted() {
            if let correction = try ledger.correction(order.correctionId, of: bundleId) { found.append(correction) }
        }
        return found
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Outcome<Value>
    ) async throws(RequestError) -> Value {
        let outcome: Outcome<Value>
        do {
            outcome = try await store.write(body)
        } catch {
            throw .notStored(error)
        }
        switch outcome {
        case .accepted(let value): return value
        case .refused(let refusal): throw refusal
        }
    }
}
