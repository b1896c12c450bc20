import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerSubmittedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submitted",
        abstract: "Record that a month's manual export was submitted to Apple, or that it was not after all.",
        discussion: """
            All sales of the month that wait for the manual channel count as reported by hand from then on, and no report \
            holds them. The server must not be running; while it runs, POST /v1/exports/MONTH/submitted and …/withdrawn do \
            the same.
            """
    )

    @Argument(help: "The month, as 2026-10.")
    var month: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The app; may be left out when the configuration has one.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "The programme's id; by default the one of the app that is in force for the month.")
    var programme: String?

    @Option(help: "The day on which it was submitted, as 2026-11-10.")
    var on: String?

    @Option(help: "Who says so.")
    var by: String

    @Option(help: "Apple's reference of the submission.")
    var reference: String?

    @Option(help: "Takes back the month's manual export of that id; needs --reason.")
    var undo: String?

    @Option(help: "Why it is withdrawn.")
    var reason: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard !by.isEmpty else { throw CommandFailure.input("--by is empty: name a person") }
        let now = try ledger.moment()
        let (_, app, rules, settings) = try await ledger.choice(month: month, bundleId: bundleId)
        let work = ManualSubmissionRecorder(
            rules: rules,
            settings: settings,
            uuid: ReportingDependencies.live.uuid
        )
        let act: @Sendable (any DurableLedgerStore) async throws(RequestError) -> ManualSubmissionRecorder.Outcome
        if let undo {
            guard on == nil, reference == nil else {
                throw CommandFailure.input("--undo takes --by and --reason, not --on and --reference")
            }
            guard let reason, !reason.isEmpty else {
                throw CommandFailure.input("--reason is missing: why it is undone")
            }
            let (by, month, programme) = (by, month, programme)
            act = { store throws(RequestError) in
                try await work.withdraw(
                    ManualExportId(undo),
                    month: month,
                    programme: programme,
                    of: app,
                    by: by,
                    reason: reason,
                    now: now,
                    in: store
                )
            }
        } else {
            guard reason == nil else { throw CommandFailure.input("--reason goes with --undo") }
            guard let on, let day = CalendarDate(on) else {
                throw CommandFailure.input("--on \(on ?? "is missing"): a day such as 2026-11-10 would be right")
            }
            guard let reference, !reference.isEmpty else {
                throw CommandFailure.input("--reference is missing: what Apple calls the submission")
            }
            let request = ManualSubmissionRecorder.Request(
                month: month,
                programme: try await ledger.choice(month: month, bundleId: bundleId, programme: programme).programme,
                bundleId: app,
                on: day,
                by: by,
                reference: reference
            )
            act = { store throws(RequestError) in try await work.record(request, now: now, in: store) }
        }
        let store = try await ledger.writer(orElse: "POST /v1/exports/\(month)/submitted does the same")
        let outcome: ManualSubmissionRecorder.Outcome
        do throws(RequestError) {
            outcome = try await act(store)
        } catch {
            try? store.close()
            if case .notStored(let error) = error { throw ledger.failure(error) }
            if case .invalid(let faults) = error, let fault = faults.first {
                throw CommandFailure.input("--\(fault.path.dropFirst()): \(fault.message)")
            }
            throw CommandFailure.wrong(error.description)
        }
        try? store.close()
        switch format {
        case .json: StandardStreams.output(String(decoding: outcome.json.encoded(), as: UTF8.self))
        case .text:
            let what = outcome.export.withdrawal == nil ? "submitted" : "withdrawn"
            let again = outcome.isNew ? "" : ", as was said before"
            StandardStreams.output(line: "\(outcome.export.exportId): \(outcome.sales.count) sales \(what)\(again)")
        }
    }
}
