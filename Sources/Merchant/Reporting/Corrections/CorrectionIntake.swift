import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes corrections from the wish over the dry run to the reports in the outbox (RR-80 to RR-84).
struct CorrectionIntake: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies

    enum Outcome<Value: Sendable>: Sendable {
        case taken(Value)
        case refused(RequestError)
    }

    var preparation: CorrectionPreparation {
        CorrectionPreparation(settings: settings, uuid: dependencies.uuid)
    }

    // MARK: Dry run

    /// Plans a correction and keeps it with what it would change; nothing is sent.
    ///
    /// - Throws: ``RequestError``.
    func plan(_ body: JSONValue) async throws(RequestError) -> CorrectionDryRun {
        let wish = try CorrectionCommand.read(body, apps: apps)
        let now = dependencies.now()
        let id = CorrectionId(dependencies.uuid().uuidString.lowercased())
        return try await write { ledger throws(LedgerError) in
            let prepared: CorrectionPreparation.Prepared
            switch try preparation.plan(wish, now: now, in: ledger) {
            case .success(let value): prepared = value
            case .failure(let refusal): return .refused(refusal)
            }
            try preparation.keep(prepared, of: wish, as: id, in: ledger, now: now)
            return .taken(prepared.shown(of: id))
        }
    }

    // MARK: Confirm

    /// Puts the reports of a correction into the outbox, provided that they are still those of its dry run.
    ///
    /// Plan, comparison, pre-flight and outbox entries are one transaction, so that no verdict is older than the history
    /// that it judged.
    ///
    /// - Throws: ``RequestError``.
    func confirm(_ body: JSONValue) async throws(RequestError) -> CorrectionConfirmation {
        let order = try Order(body)
        return try await confirm(order)
    }

    /// Confirms a correction that was planned for a review item, on the word of a person.
    ///
    /// - Throws: ``RequestError``.
    func confirm(
        _ id: CorrectionId,
        of bundleId: BundleId,
        by person: String
    ) async throws(RequestError) -> CorrectionConfirmation {
        try await confirm(Order(correctionId: id, bundleId: bundleId, confirmedBy: person))
    }

    private func confirm(_ order: Order) async throws(RequestError) -> CorrectionConfirmation {
        let now = dependencies.now()
        return try await write { ledger throws(LedgerError) in
            guard let correction = try find(order, in: ledger) else {
                return .refused(.invalid([FieldError("/correctionId", "is not a correction known here")]))
            }
            let id = correction.correctionId
            if correction.confirmation != nil {
                return .taken(.confirmed(id, reports: correction.reports.map(\.requestIdentifier), isNew: false))
            }
            if let closing = correction.closing {
                return .refused(.invalid([FieldError("/correctionId", "was closed: \(closing.note)")]))
            }
            let wish: CorrectionCommand
            do throws(RequestError) {
                wish = try CorrectionCommand.read(correction, apps: apps)
            } catch {
                return .refused(error)
            }
            let prepared: CorrectionPreparation.Prepared
            switch try preparation.plan(wish, now: now, in: ledger) {
            case .success(let value): prepared = value
            case .failure(let refusal): return .refused(refusal)
            }
            if let reason = try preparation.obstacle(to: prepared, shownAs: correction, in: ledger, now: now) {
                return .taken(.stale(reason, prepared.shown(of: id)))
            }
            let reports = try preparation.confirm(prepared, correction, by: order.confirmedBy, in: ledger, now: now)
            let keys = [.sale(prepared.corrected.sale.saleId)] + prepared.corrected.sale.keys
            // Sales that refer to a corrected item wait for it.
            try MerchantPlanner(settings: settings, uuid: dependencies.uuid)
                .replan(touching: keys, of: correction.bundleId, in: ledger, now: now)
            return .taken(.confirmed(id, reports: reports, isNew: true))
        }
    }

    /// The body of a confirmation.
    private struct Order {
        let correctionId: CorrectionId
        let bundleId: BundleId?
        let confirmedBy: String

        init(correctionId: CorrectionId, bundleId: BundleId?, confirmedBy: String) {
            self.correctionId = correctionId
            self.bundleId = bundleId
            self.confirmedBy = confirmedBy
        }

        init(_ body: JSONValue) throws(RequestError) {
            var members = try RequestDecoder(body, known: ["correctionId", "bundleId", "confirm", "confirmedBy"])
            let id = members.string("correctionId", maximum: 128)
            let bundleId = members.optionalString("bundleId", maximum: .max)
            let confirmedBy = members.string("confirmedBy", maximum: 256)
            if !members.isTrue("confirm") { members.fault("confirm", "is not true") }
            try members.throwFaults()
            guard let id, let confirmedBy else { throw members.refusal }
            correctionId = CorrectionId(id)
            self.bundleId = bundleId.map { BundleId($0) }
            self.confirmedBy = confirmedBy
        }
    }

    private func find(_ order: Order, in ledger: any LedgerQueries) throws(LedgerError) -> StoredCorrection? {
        for bundleId in order.bundleId.map({ [$0] }) ?? apps.keys.sorted() {
            if let correction = try ledger.correction(order.correctionId, of: bundleId) { return correction }
        }
        return nil
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Outcome<Value>
    ) async throws(RequestError) -> Value {
        let outcome: Outcome<Value>
        do {
            outcome = try await store.write(body)
        } catch {
            throw .notStored(error)
        }
        switch outcome {
        case .taken(let value): return value
        case .refused(let refusal): throw refusal
        }
    }
}
