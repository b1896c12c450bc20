import ExternalPurchaseCore
import Ledger

/// Records manual submissions and withdrawals that a person states (OB-62).
package struct ManualSubmissions: Sendable {
    let store: any LedgerStore
    let recorder: ManualSubmissionRecorder
    let choice: ExportChoice
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    /// Records that the export of a month was submitted by hand.
    ///
    /// - Throws: ``RequestError``.
    package func submit(_ command: SubmissionCommand) async throws(RequestError) -> ManualSubmissionRecorder.Outcome {
        let chosen = try await choice.alsoNaming(command.choice.bundleId, of: store).programme(of: command.choice)
        let request = ManualSubmissionRecorder.Request(
            month: command.choice.month,
            programme: chosen.programme,
            bundleId: chosen.app,
            on: command.on,
            by: command.by,
            reference: command.reference
        )
        return try await recorder.record(request, now: dependencies.now(), in: store)
    }

    /// Withdraws a manual submission.
    ///
    /// - Throws: ``RequestError``.
    package func withdraw(
        _ command: WithdrawalCommand
    ) async throws(RequestError) -> ManualSubmissionRecorder.Outcome {
        let outcome = try await recorder.withdraw(
            command.exportId,
            month: command.month,
            of: try await choice.alsoNaming(command.bundleId, of: store).app(of: command.bundleId),
            by: command.by,
            reason: command.reason,
            now: dependencies.now(),
            in: store
        )
        if outcome.isNew { signals.reportsReady() }
        return outcome
    }
}
