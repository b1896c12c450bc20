import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Payments
import Reporting

struct StripeReinterpretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reinterpret",
        abstract: "Apply the present interpretation and configuration to the stored events.",
        discussion: """
            Sales that the ledger has keep what they say; sales and refunds that were held or not read are added. The server \
            must not be running; while it does, POST /v1/events/{eventId}/apply applies one event.
            """
    )

    @Option(help: "The server's configuration.")
    var config: String

    @Option(help: "The earliest creation time of the events, as 2026-11-20T00:00:00Z; by default all.")
    var since: String?

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let configuration = try ServeConfiguration.read(path: config)
        let start = try since.map { text throws(CommandFailure) in
            guard let time = Timestamp(rfc3339: text) else {
                throw .input("--since \(text): is not a time such as 2026-11-20T00:00:00Z")
            }
            return time
        }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let outcome: Result<Void, any Error>
        do {
            try await reinterpret(configuration, since: start, http: http)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try? await http.shutdown()
        try outcome.get()
    }

    private func store() async throws -> any DurableLedgerStore {
        let isThere: Bool
        do throws(LedgerError) {
            isThere = try await database.isThere
        } catch {
            throw database.failure(error)
        }
        guard isThere else { throw CommandFailure.otherSide("--database \(database): there is no ledger") }
        do throws(LedgerError) {
            return try await database.store()
        } catch .inUse {
            throw CommandFailure.otherSide("--database \(database): a server has it; stop it first")
        } catch {
            throw database.failure(error)
        }
    }

    private func reinterpret(_ configuration: ServeConfiguration, since start: Timestamp?, http: HTTPClient)
        async throws
    {
        guard let stripe = try StripeSource.reading(configuration.stripe, http: http) else {
            throw CommandFailure.input("\(config): has no entry under 'stripe'")
        }
        let settings = try configuration.serveSettings()
        let store = try await store()
        defer { try? store.close() }
        let system = ReportingSystem(
            store: store,
            apps: try configuration.apps.map { try MerchantApp.make($0, settings: settings, http: http) },
            settings: settings.reporting,
            payments: [stripe],
            logger: ServerRun.logger("external-purchase.stripe", global)
        )
        var count = 0
        do throws(RequestError) {
            try await system.payments?.reinterpret(since: start, isDryRun: dryRun) { change in
                count += 1
                let sales = change.now.sales.filter { !change.before.result.sales.contains($0) }
                let added = sales.isEmpty ? "" : ", sale \(sales.map(\.rawValue).joined(separator: ", "))"
                StandardStreams.output(
                    line: "\(change.before.eventId) (\(change.before.type)): \(change.before.result.state.rawValue) → "
                        + "\(change.now.state.rawValue)\(added)"
                )
            }
        } catch {
            throw CommandFailure.otherSide("--database \(database): \(error)")
        }
        StandardStreams.output(line: "\(count) events \(dryRun ? "would change" : "changed")")
    }
}
