import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting
import ReportingServer

struct LedgerReviewAcceptedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accepted",
        abstract: "Take what Apple refused as accepted, because Apple has it.",
        discussion: """
            The server must not be running; while it does, send it {"action":"accepted"} to /v1/review/SEQUENCE. Later \
            refunds and corrections then refer to what Apple has. With --request-identifier Apple's own copy of that \
            report is read and taken over.
            """
    )

    @OptionGroup var decision: ReviewDecisionOptions

    @Option(help: "The report with which Apple accepted it, a UUID.")
    var requestIdentifier: String?

    @Option(help: "Why.")
    var note = ""

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard decision.ledger.config != nil else {
            throw CommandFailure.input("--config is missing: it names the app's key, to ask Apple, and the settings")
        }
        try await decision.carryOut(.accepted, note: note, requestIdentifier: requestIdentifier, label: global)
    }
}

struct LedgerReviewRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Take a refused report back, so that its sales are planned and judged anew.",
        discussion: """
            The server must not be running; while it does, send it {"action":"retry"} to /v1/review/SEQUENCE. What is \
            planned anew goes out when the server starts. A report whose fate is not certain is asked for at Apple first.
            """
    )

    @OptionGroup var decision: ReviewDecisionOptions

    @Option(help: "Why.")
    var note = ""

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard decision.ledger.config != nil else {
            throw CommandFailure.input("--config is missing: it names the app's key, to ask Apple, and the settings")
        }
        try await decision.carryOut(.retry, note: note, label: global)
    }
}

struct LedgerReviewResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Close an item: settled elsewhere, or given up.",
        discussion: """
            The server must not be running; while it does, send it {"action":"resolve"} to /v1/review/SEQUENCE. The \
            sales of a refused report stay held and are shown as not reported.
            """
    )

    @OptionGroup var decision: ReviewDecisionOptions

    @Option(help: "Why; kept in the audit log.")
    var note: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await decision.carryOut(.resolve, note: note, label: global)
    }
}

/// The options of every decision.
struct ReviewDecisionOptions: ParsableArguments {
    @Argument(help: "The item's number, as `ledger review` prints it.")
    var sequence: Int64

    @Option(help: "Who decides; kept in the audit log.")
    var by: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    func carryOut(
        _ action: ReviewDecision.Action,
        note: String,
        requestIdentifier: String? = nil,
        label global: GlobalOptions
    ) async throws {
        var members: JSONObject = ["action": .string(action.rawValue), "by": .string(by)]
        if !note.isEmpty || action == .resolve { members["note"] = .string(note) }
        if let requestIdentifier { members["requestIdentifier"] = .string(requestIdentifier) }
        let body = JSONValue.object(members)
        let decision: ReviewDecision
        do {
            decision = try ReviewDecision(body: body, caller: .anybody)
        } catch {
            let options = ["/by": "--by", "/note": "--note", "/requestIdentifier": "--request-identifier"]
            throw CommandFailure.input(
                options.reduce("\(error)") { text, option in text.replacing(option.key, with: option.value) }
            )
        }
        let store = try await ledger.writer(orElse: "stop it first, or ask the server")
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        do {
            let outcome = try await carryOut(decision, store: store, http: http, global)
            switch format {
            case .json: StandardStreams.output(String(decoding: outcome.json.encoded(), as: UTF8.self))
            case .text: StandardStreams.output(line: "\(sequence): \(outcome.detail)")
            }
        } catch {
            try? await http.shutdown()
            try? store.close()
            throw error
        }
        try await http.shutdown()
        try? store.close()
    }

    private func carryOut(
        _ decision: ReviewDecision,
        store: any DurableLedgerStore,
        http: HTTPClient,
        _ global: GlobalOptions
    ) async throws(CommandFailure) -> ReviewOutcome {
        var apps: [RegisteredApp] = []
        var settings = ReportingSettings()
        if let config = ledger.config {
            let configuration = try ServeConfiguration.read(path: config)
            let read = try configuration.serveSettings()
            settings = read.reporting
            for app in configuration.apps { apps.append(try MerchantApp.make(app, settings: read, http: http)) }
        }
        let now = try ledger.at.map { _ throws(CommandFailure) in try ledger.moment() }
        var dependencies = ReportingDependencies.live
        if let now { dependencies.now = { now } }
        let system = ReportingSystem(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            logger: ServerRun.logger("external-purchase.ledger", global)
        )
        do {
            return try await system.review.decide(decision, on: sequence)
        } catch .unknown(let detail) {
            throw .input("\(sequence): \(detail); `ledger review` lists them")
        } catch .notStored(let error) {
            throw ledger.failure(error)
        } catch .unanswered(let detail) {
            throw .otherSide(detail)
        } catch {
            throw .wrong("\(sequence): \(error)")
        }
    }
}
