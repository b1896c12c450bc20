import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting
import ReportingServer

struct LedgerSaleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sale",
        abstract: "Amend or void a sale that Apple has not accepted.",
        subcommands: [LedgerSaleAmendCommand.self, LedgerSaleVoidCommand.self]
    )
}

struct LedgerSaleAmendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "amend",
        abstract: "Replace a sale by what is right, all fields as given; every version is kept.",
        discussion: """
            The server must not be running; while it does, POST the same body with "amends": true to /v1/sales. A sale in a \
            report that may be at Apple is changed when the server has Apple's answer. Of a sale that Apple accepted the \
            correction is planned, which /v1/corrections confirms; the exit code is 1 then.
            """
    )

    @Argument(help: "A file with the body of POST /v1/sales, or - for standard input.")
    var file: String

    @Option(help: "Who amends it; kept in the audit log.")
    var by: String

    @Option(help: "Why; kept in the audit log.")
    var reason: String?

    @OptionGroup var change: SaleChangeOptions

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let body = try InputFile.json(file)
        guard var object = body.objectValue else { throw CommandFailure.input("\(file): is not a JSON object") }
        object.members.removeAll { ["amends", "by", "reason"].contains($0.key) }
        object.members += [.init("amends", .bool(true)), .init("by", .string(by))]
        if let reason { object.members.append(.init("reason", .string(reason))) }
        let order = JSONValue.object(object)
        try await change.carryOut("\(file): ", global) { system throws(RequestError) in
            try await system.sales.receive(SaleCommand(body: order, apps: system.apps, caller: .anybody))
        }
    }
}

struct LedgerSaleVoidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "void",
        abstract: "Withdraw a sale that never happened; its id stays taken.",
        discussion: """
            The server must not be running; while it does, POST {"by":…,"reason":…} to /v1/sales/SALE-ID/void. Sales that \
            take it back are voided first. A sale in a report that may be at Apple is voided when the server has Apple's \
            answer. Of a sale that Apple accepted the retraction is planned, which /v1/corrections confirms; the exit code \
            is 1 then.
            """
    )

    @Argument(help: "The sale's id.")
    var saleId: String

    @Option(help: "Who voids it; kept in the audit log.")
    var by: String

    @Option(help: "Why; kept in the audit log.")
    var reason: String

    @Option(help: "The app; may be left out when one app has a sale of the id.", transform: BundleId.reading)
    var bundleId: String?

    @OptionGroup var change: SaleChangeOptions

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var members: JSONObject = ["by": .string(by), "reason": .string(reason)]
        if let bundleId { members["bundleId"] = .string(bundleId) }
        let (order, id) = (JSONValue.object(members), SaleId(saleId))
        try await change.carryOut("", global) { system throws(RequestError) in
            try await system.sales.void(VoidCommand(body: order, saleId: id, caller: .anybody))
        }
    }
}

/// The options of both changes.
struct SaleChangeOptions: ParsableArguments {
    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    /// Changes a sale in the ledger while no server runs, and prints the result.
    func carryOut(
        _ source: String,
        _ global: GlobalOptions,
        _ change: @Sendable (ReportingSystem) async throws(RequestError) -> SaleReceipt
    ) async throws {
        guard let config = ledger.config else {
            throw CommandFailure.input("--config is missing: it names the apps and the settings")
        }
        let configuration = try ServeConfiguration.read(path: config)
        let settings = try configuration.serveSettings()
        let now = try ledger.at.map { _ throws(CommandFailure) in try ledger.moment() }
        let store = try await ledger.writer(orElse: "stop it first, or ask the server at /v1/sales")
        defer { try? store.close() }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let result: Result<SaleReceipt, any Error>
        do {
            var apps: [RegisteredApp] = []
            for app in configuration.apps { apps.append(try MerchantApp.make(app, settings: settings, http: http)) }
            var dependencies = ReportingDependencies.live
            if let now { dependencies.now = { now } }
            let system = ReportingSystem(
                store: store,
                apps: apps,
                settings: settings.reporting,
                dependencies: dependencies,
                logger: ServerRun.logger("external-purchase.ledger", global)
            )
            result = .success(try await change(system))
        } catch {
            result = .failure(error)
        }
        try await http.shutdown()
        do {
            print(try result.get())
        } catch let refusal as RequestError {
            throw failure(refusal, source)
        }
    }

    private func print(_ receipt: SaleReceipt) {
        switch format {
        case .json: StandardStreams.output(String(decoding: receipt.json.encoded(), as: UTF8.self))
        case .text:
            let flags = receipt.sale.attribution.flags.map(\.rawValue).sorted().joined(separator: ", ")
            let words =
                receipt.isWaiting
                ? "waiting: its report may be at Apple, and the change is made when the answer comes"
                : receipt.stateName + (flags.isEmpty || receipt.sale.isVoid ? "" : " (\(flags))")
            StandardStreams.output(line: "\(receipt.sale.sale.saleId): \(words)")
        }
    }

    private func failure(_ refusal: RequestError, _ source: String) -> CommandFailure {
        switch refusal {
        case .invalid, .unknown, .foreignApp: return .input("\(source)\(refusal)")
        case .needsCorrection(let detail, let dryRuns):
            if format == .json {
                let answer = JSONValue.object(JSONObject(dryRuns.members))
                StandardStreams.output(String(decoding: answer.encoded(), as: UTF8.self))
            }
            return .wrong(detail)
        case .notStored(let error): return ledger.failure(error)
        case .conflict, .impossible, .unanswered: return .wrong("\(source)\(refusal)")
        }
    }
}
