import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Payments
import Reporting

struct LedgerReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare the ledger with what payment providers say.",
        subcommands: [LedgerReconcilePaymentsCommand.self]
    )
}

struct LedgerReconcilePaymentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments",
        abstract:
            "The payments of which their provider, the ledger and Apple say something else, and what explains it.",
        discussion: """
            Each amount is what is to be reported, tax included, less what was given back. Ends with 1 when one differs \
            although nothing of it waits, is held or is being corrected.
            """
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "One app; by default all of the ledger.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let file = ledger.config else {
            throw CommandFailure.input(
                "--config is missing: its entries under 'stripe' and 'payments' say how payments are read"
            )
        }
        let configuration = try ServeConfiguration.read(path: file)
        let (app, now) = (try await ledger.app(bundleId), try ledger.moment())
        let wait = try ledger.configuration().settings.tokenWait
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let progress = TerminalProgress(isQuiet: global.quiet)
        let outcome: Result<[ReconciledPayment], any Error>
        do {
            let sources = PaymentSources(try configuration.paymentSources(http: http))
            if sources.isEmpty { throw CommandFailure.input("\(file): has no entry under 'stripe' or 'payments'") }
            let reconciliation = PaymentReconciliation(sources: sources, tokenWait: wait, now: now)
            outcome = .success(
                try await ledger.read { ledger throws(LedgerError) in
                    try reconciliation.differences(of: app, in: ledger) { done, total in
                        progress.show(done, of: total, "payment events")
                    }
                }
            )
        } catch {
            outcome = .failure(error)
        }
        progress.end()
        try? await http.shutdown()
        try report(try outcome.get())
    }

    private func report(_ payments: [ReconciledPayment]) throws {
        switch format {
        case .json:
            let object = JSONValue.object(["payments": .array(payments.map(\.json))])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            if payments.isEmpty { StandardStreams.output(line: "payment providers, the ledger and Apple say the same") }
            for payment in payments { StandardStreams.output(line: Self.line(payment)) }
        }
        if payments.contains(where: { $0.open == nil }) { throw ExitCode(1) }
    }

    private static func line(_ payment: ReconciledPayment) -> String {
        func text(_ amount: Decimal) -> String { Currency.text(of: amount, in: payment.currency) }
        let cause =
            switch payment.open {
            case .correction: "a correction waits"
            case .plan: "on its way to Apple"
            case .hold: "an event or a sale of it is held or waits"
            case nil: "NOTHING EXPLAINS IT"
            }
        return
            "\(payment.id): \(payment.currency) \(text(payment.statement)) by \(payment.provider.title), \(text(payment.ledger)) in the ledger, "
            + "\(text(payment.apple)) at Apple; \(cause)"
    }
}
