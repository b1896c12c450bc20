import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Logging
import NIOCore
import NIOHTTP1
import Payments
import Reporting

struct StripeReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Fetch missed events from Stripe and receive them as the webhook does.",
        discussion: """
            Events that are stored already change nothing. While a server uses the ledger, the events are sent to that \
            server, signed with the endpoint's secret.
            """
    )

    @Option(help: "The server's configuration.")
    var config: String

    @Option(help: "The earliest creation time of the events, as 2026-11-20T00:00:00Z. Stripe keeps events for 30 days.")
    var since: String

    @Option(help: "The latest creation time of the events; by default now.")
    var until: String?

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @Option(help: "The server that receives the events while it uses the ledger.")
    var server = "http://127.0.0.1:8800"

    @OptionGroup var global: GlobalOptions

    private typealias Received = (isNew: Bool, state: PaymentEventResult.State?)

    /// What became of the fetched events.
    private struct Counts {
        var new = 0
        var known = 0
        var states: [PaymentEventResult.State: Int] = [:]
        /// The accounts whose events could not be fetched, and why; those of the others are received all the same.
        var failures: [String] = []

        mutating func add(_ event: Received) {
            if event.isNew { new += 1 } else { known += 1 }
            if event.isNew, let state = event.state { states[state, default: 0] += 1 }
        }
    }

    func run() async throws {
        let configuration = try ServeConfiguration.read(path: config)
        guard let from = Timestamp(rfc3339: since) else {
            throw CommandFailure.input("--since \(since): is not a time such as 2026-11-20T00:00:00Z")
        }
        let through = try until.map { text throws(CommandFailure) in
            guard let time = Timestamp(rfc3339: text) else {
                throw .input("--until \(text): is not a time such as 2026-11-20T00:00:00Z")
            }
            return time
        }
        guard through.map({ $0 >= from }) ?? true else {
            throw CommandFailure.input("--until \(until ?? ""): is before --since \(since)")
        }
        try HTTPAddress.check(server, "--server", example: "http://127.0.0.1:8800")
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let outcome: Result<Void, any Error>
        do {
            try await replay(configuration, from: from, through: through ?? Timestamp(Date()), http: http)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try? await http.shutdown()
        try outcome.get()
    }

    private func replay(
        _ configuration: ServeConfiguration,
        from: Timestamp,
        through: Timestamp,
        http: HTTPClient
    ) async throws {
        guard let stripe = try StripeSource.reading(configuration.stripe, http: http) else {
            throw CommandFailure.input("\(config): has no entry under 'stripe'")
        }
        guard stripe.entries.contains(where: { $0.api != nil }) else {
            throw CommandFailure.input(
                "\(config): no entry under 'stripe' has an apiKeyFile, with which events are read"
            )
        }
        let receiver = try await receiver(configuration, stripe, http: http)
        var counts = Counts()
        for entry in stripe.entries {
            // Entries with the same secret share an endpoint, and so the events; one of an account is read for all.
            let sharing = stripe.entries.filter { $0.signingSecrets.first == entry.signingSecrets.first }
            let ofAccount = sharing.filter { $0.account.account == entry.account.account }
            guard let api = entry.api else {
                if !ofAccount.contains(where: { $0.api != nil }), !global.quiet {
                    let account = entry.account.account.map { " of \($0)" } ?? ""
                    StandardStreams.error(
                        "\(entry.account.bundleId)\(account): has no apiKeyFile, its events are not fetched"
                    )
                }
                continue
            }
            let first = ofAccount.first { $0.api != nil }
            guard first?.account == entry.account else { continue }
            let apps = Set(sharing.map(\.account.bundleId)).sorted()
            try await replay(api, entry, apps: apps, from: from, through: through, to: receiver, &counts)
        }
        if let close = receiver.close { close() }
        let states = PaymentEventResult.State.allCases.compactMap { state in
            counts.states[state].map { "\($0) \(state.rawValue)" }
        }
        let detail = states.isEmpty ? "" : " (\(states.joined(separator: ", ")))"
        if counts.failures.isEmpty || counts.new + counts.known > 0 {
            StandardStreams.output(line: "\(counts.new) new events\(detail), \(counts.known) known")
        }
        if !counts.failures.isEmpty { throw CommandFailure.otherSide(counts.failures.joined(separator: "\n")) }
    }

    private func replay(
        _ api: any StripeAPI,
        _ entry: StripeSource.Entry,
        apps: [BundleId],
        from: Timestamp,
        through: Timestamp,
        to receiver: Receiver,
        _ counts: inout Counts
    ) async throws {
        var page = await self.page(of: api, from: from, through: through, before: nil)
        while true {
            let (events, hasMore): (events: [JSONValue], hasMore: Bool)
            do throws(StripeAPIError) {
                (events, hasMore) = try page.get()
            } catch {
                return counts.failures.append("events of \(entry.account.bundleId): \(error)")
            }
            guard hasMore, let last = events.last?.objectValue?["id"]?.stringValue else {
                return try await receive(events, entry, apps, by: receiver, &counts)
            }
            async let next = self.page(of: api, from: from, through: through, before: last)
            try await receive(events, entry, apps, by: receiver, &counts)
            page = await next
            if !global.quiet { StandardStreams.error("\(counts.new + counts.known) events received") }
        }
    }

    /// Receives the events of a page, several at once: each waits for its commit, which takes what else arrived.
    private func receive(
        _ events: [JSONValue],
        _ entry: StripeSource.Entry,
        _ apps: [BundleId],
        by receiver: Receiver,
        _ counts: inout Counts
    ) async throws {
        try await withThrowingTaskGroup(of: Received.self) { group in
            for (place, json) in events.enumerated() {
                if place >= Self.together, let done = try await group.next() { counts.add(done) }
                group.addTask { try await receiver.receive(json.naming(entry.account.account), entry, apps) }
            }
            for try await done in group { counts.add(done) }
        }
    }

    /// The events that are received at once.
    private static let together = 32

    /// The waits after answers that limit the rate of requests, in seconds.
    private static let waits = [1, 2, 4, 8]

    /// Fetches a page; while Stripe limits the rate of requests, it is requested again after a wait.
    private func page(
        of api: any StripeAPI,
        from: Timestamp,
        through: Timestamp,
        before: String?
    ) async -> Result<(events: [JSONValue], hasMore: Bool), StripeAPIError> {
        var waits = Self.waits[...]
        while true {
            let seconds: Int
            do throws(StripeAPIError) {
                return .success(try await api.events(from: from, through: through, before: before))
            } catch {
                guard error == .rateLimited, let next = waits.popFirst() else { return .failure(error) }
                if !global.quiet { StandardStreams.error("\(error); the next one follows in \(next) s") }
                seconds = next
            }
            // A command that ends waits for nothing.
            try? await Task.sleep(for: .seconds(seconds))
        }
    }

    // MARK: Receivers

    /// Receives fetched events: the ledger itself, or a running server.
    private struct Receiver: Sendable {
        let receive: @Sendable (JSONValue, StripeSource.Entry, [BundleId]) async throws -> Received
        var close: (@Sendable () -> Void)?
    }

    private func receiver(
        _ configuration: ServeConfiguration,
        _ stripe: StripeSource,
        http: HTTPClient
    ) async throws -> Receiver {
        let store: any DurableLedgerStore
        do throws(LedgerError) {
            store = try await database.store()
        } catch .inUse {
            return Receiver(receive: { json, entry, _ in try await send(json, entry, http: http) })
        } catch {
            throw database.failure(error)
        }
        let settings = try configuration.serveSettings()
        let system = ReportingSystem(
            store: store,
            apps: try configuration.apps.map { try MerchantApp.make($0, settings: settings, http: http) },
            settings: settings.reporting,
            payments: [stripe],
            logger: ServerRun.logger("external-purchase.stripe", global)
        )
        return Receiver(
            receive: { json, _, apps in
                do {
                    let event = try StripeEvent(json: json)
                    guard let intake = system.payments,
                        case .stored(let stored, let isNew) = try await intake.receive(
                            StripeSource.event(event, of: apps),
                            of: .stripe,
                            arrival: .fetched
                        )
                    else { return (false, nil) }
                    return (isNew, stored.result.state)
                } catch let error as RequestError {
                    throw CommandFailure.otherSide("--database \(database): \(error)")
                } catch {
                    throw CommandFailure.otherSide("an event of Stripe cannot be read: \(error)")
                }
            },
            close: { try? store.close() }
        )
    }

    private func send(
        _ json: JSONValue,
        _ entry: StripeSource.Entry,
        http: HTTPClient
    ) async throws -> Received {
        let body = json.encoded()
        var request = HTTPClientRequest(url: server + "/v1/webhooks/stripe")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        let signature = StripeSignature.value(of: body, at: Timestamp(Date()), secret: entry.signingSecrets[0])
        request.headers.add(name: StripeSignature.header, value: signature)
        request.body = .bytes(body)
        let status: UInt
        let answer: JSONValue?
        do {
            let (response, body) = try await http.exchange(request, within: .seconds(30), upTo: 65_536)
            status = response.status.code
            answer = try? JSONReader().read(Array(body.readableBytesView))
        } catch {
            throw CommandFailure.otherSide(
                "a server uses the ledger, and at --server \(HTTPAddress.shown(server)) "
                    + NetworkFailure.words(error, address: server)
            )
        }
        guard status == 200, let object = answer?.objectValue, let isNew = object["isNew"]?.boolValue else {
            let detail = answer?.objectValue?["detail"]?.stringValue ?? "status \(status)"
            throw CommandFailure.otherSide("--server \(HTTPAddress.shown(server)): refuses an event: \(detail)")
        }
        return (isNew, object["state"]?.stringValue.flatMap(PaymentEventResult.State.init(rawValue:)))
    }
}

extension JSONValue {
    /// An event of a connected account's own list, which leaves out the `account` that the webhook's events name.
    fileprivate func naming(_ account: String?) -> JSONValue {
        guard let account, var object = objectValue, object["account"] == nil else { return self }
        object.members.append(.init("account", .string(account)))
        return .object(object)
    }
}
