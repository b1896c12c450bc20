import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import Synchronization
import Testing

@testable import Reporting

/// Takes messages, or refuses as many as it is told to.
final class ScriptedReceiver: AlertReceiver {
    private let state = Mutex((taken: [[UInt8]](), attempts: [[UInt8]](), refusals: 0))

    func refuse(_ times: Int) { state.withLock { $0.refusals = times } }

    var attempts: [[UInt8]] { state.withLock(\.attempts) }

    func messages() throws -> [JSONObject] {
        try state.withLock(\.taken).compactMap { try JSONReader().read($0).objectValue }
    }

    /// The ids of all events of all messages.
    func events() throws -> [String] {
        try messages().flatMap { $0["events"]?.arrayValue ?? [] }.compactMap { $0.objectValue?["id"]?.stringValue }
    }

    /// The steps of all events of all messages.
    func steps() throws -> [String] {
        try messages().flatMap { $0["events"]?.arrayValue ?? [] }.compactMap { $0.objectValue?["step"]?.stringValue }
    }

    func deliver(_ body: [UInt8], messageId: String) async -> String? {
        state.withLock { state in
            state.attempts.append(body)
            guard state.refusals == 0 else {
                state.refusals -= 1
                return "the receiver answered 503"
            }
            state.taken.append(body)
            return nil
        }
    }
}

/// Keeps what was logged.
final class LogBook: Sendable {
    private let state = Mutex<[(level: Logger.Level, message: String, metadata: Logger.Metadata)]>([])

    var lines: [(level: Logger.Level, message: String, metadata: Logger.Metadata)] { state.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.state.withLock { $0.append((event.level, "\(event.message)", event.metadata ?? [:])) }
        }
    }
}

@Suite("What comes near its due date, or comes to wait for a person, is told once (OB-51)")
struct AlertTests {
    /// A merchant whose reports do not go out, so that everything becomes due.
    private static func merchant(
        store: (any LedgerStore)? = nil,
        tokens: Int = 1
    ) async throws -> Merchant {
        var settings = ReportingSettings()
        settings.isSendingOn = false
        let merchant = Merchant(store: try store ?? sqlite(), settings: settings)
        for number in 0..<tokens {
            let token = Merchant.token(Character(String(number, radix: 16)), made: Merchant.noon)
            try await merchant.take(token)
        }
        return merchant
    }

    private static func sqlite() throws -> SQLiteLedgerStore {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
    }

    private static func scan(
        _ merchant: Merchant,
        _ receiver: ScriptedReceiver,
        settings: AlertSettings = AlertSettings(includesScheduled: true)
    ) async throws {
        // A new watch each time: as after a restart it knows only what the ledger says.
        let watch = merchant.system.alertMonitor(settings, routes: [AlertRoute(.webhook, receiver)])
        try await watch.scan()
        _ = await watch.deliverWaiting()
    }

    @Test("Each distance of due.warn is told when it is crossed, then being overdue, each once though restarted")
    func distances() async throws {
        let merchant = try await Self.merchant()
        let receiver = ScriptedReceiver()
        // A plain token is due ten days after it was made (RR-70); two looks a day.
        for _ in 0..<24 {
            try await Self.scan(merchant, receiver)
            try await Self.scan(merchant, receiver)
            merchant.clock.advance(seconds: 43_200)
        }
        #expect(try receiver.steps() == ["5d", "2d", "1d", "overdue"])
        #expect(Set(try receiver.events()).count == 4)
        let subjects = Set(try receiver.events().map { $0.split(separator: "-").first })
        #expect(subjects.count == 1)
        let made = try receiver.messages().compactMap { $0["madeAt"]?.stringValue }
        #expect(
            made == [
                "2026-11-25T12:00:00Z", "2026-11-28T12:00:00Z", "2026-11-29T12:00:00Z", "2026-12-01T00:00:00Z",
            ]
        )
    }

    @Test("After a downtime only the most urgent step is told")
    func downtime() async throws {
        let merchant = try await Self.merchant()
        let receiver = ScriptedReceiver()
        merchant.clock.advance(seconds: 12 * 86_400)
        try await Self.scan(merchant, receiver)
        #expect(try receiver.steps() == ["overdue"])
        let event = try #require(try receiver.messages().first?["events"]?.arrayValue?.first?.objectValue)
        #expect(event["daysLeft"]?.int64Value == -2)
        #expect(event["dueAt"]?.stringValue == "2026-11-30T12:00:00Z")
        #expect(event["about"]?.stringValue == "token")
        #expect(event["bundleId"]?.stringValue == "com.example.shop")
        #expect(event["environment"]?.stringValue == "production")
    }

    @Test("Many subjects at once are one message with counts and the first of them, the worst first")
    func bundled() async throws {
        let merchant = try await Self.merchant(tokens: 12)
        let receiver = ScriptedReceiver()
        try await merchant.sell(Merchant.purchase("held", on: nil))
        merchant.clock.advance(seconds: 9 * 86_400)
        let older = Merchant.token("f", made: Merchant.noon - .days(5))
        try await merchant.take(older)
        try await Self.scan(merchant, receiver, settings: AlertSettings(first: 5, includesScheduled: true))
        let messages = try receiver.messages()
        #expect(messages.count == 1)
        #expect(messages[0]["total"]?.int64Value == 13)
        #expect(messages[0]["counts"]?.objectValue?["1d"]?.int64Value == 12)
        #expect(messages[0]["counts"]?.objectValue?["overdue"]?.int64Value == 1)
        #expect(messages[0]["omitted"]?.int64Value == 8)
        #expect(try receiver.steps() == ["overdue", "1d", "1d", "1d", "1d"])
        try await Self.scan(merchant, receiver, settings: AlertSettings(first: 5, includesScheduled: true))
        #expect(try receiver.messages().count == 1)
    }

    @Test("A held sale near its deadline is told with why it is held, and without its id (TK-77)")
    func heldSale() async throws {
        let merchant = Merchant(store: try Self.sqlite(), programmes: ["eu-custom-link"])
        let receiver = ScriptedReceiver()
        try await merchant.sell(Merchant.purchase("order-4711", on: nil))
        merchant.clock.advance(seconds: 24 * 86_400)
        try await Self.scan(merchant, receiver)
        let event = try #require(try receiver.messages().first?["events"]?.arrayValue?.first?.objectValue)
        #expect(event["about"]?.stringValue == "lineItem")
        #expect(event["heldFor"]?.stringValue == "no-token")
        #expect(event["sendAt"] == .null)
        #expect(!receiver.attempts.contains { String(decoding: $0, as: UTF8.self).contains("4711") })
        // The list that the operator looks into has the same id beside the sale.
        let entry = try #require(try await merchant.dueEntries().first)
        let json = entry.json(DeadlineClassifier(at: merchant.clock.now, warnDays: [5, 2, 1]), settings: .defaults)
        let id = try #require(json.objectValue?["escalationId"]?.stringValue)
        #expect(event["id"]?.stringValue?.hasPrefix(id) == true)
        #expect(json.objectValue?["saleId"]?.stringValue == "order-4711")
    }

    @Test("A refused report and a refused key are told once each")
    func review() async throws {
        let merchant = Merchant(store: try Self.sqlite())
        try await merchant.take(Merchant.token())
        let receiver = ScriptedReceiver()
        merchant.apple.fail(.answer(.unauthorized), .answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        for _ in 1...3 { try await Self.scan(merchant, receiver) }
        #expect(try receiver.events().map { $0.hasPrefix("attention-") && $0.utf8.count == 42 } == [true])
        let event = try #require(try receiver.messages().first?["events"]?.arrayValue?.first?.objectValue)
        #expect(event["reason"]?.stringValue == "key-refused")
        #expect(event["attention"]?.int64Value == 1)
    }

    @Test("After a restore, the number of a review item is given again, and its alert has an id of its own (OB-51)")
    func idsAfterRestore() async throws {
        // Two histories of one ledger: what happened before the restore, and what happened after it.
        var ids: [String] = []
        for (kind, app, minutes) in [
            ("report-refused", "com.example.shop", 0), ("sale-held", "com.example.shop", 0),
            ("report-refused", "com.example.zoo", 0), ("report-refused", "com.example.shop", 5),
        ] {
            let merchant = Merchant(store: try Self.sqlite())
            let item = ReviewItem(
                bundleId: BundleId(app),
                kind: ReviewKind(rawValue: kind),
                subject: .app,
                detail: "x",
                openedAt: merchant.clock.now.advanced(by: .seconds(60 * minutes))
            )
            let sequence = try await merchant.store.write { ledger throws(LedgerError) in try ledger.open(item) }
            #expect(sequence.sequence == 1)
            let receiver = ScriptedReceiver()
            for _ in 1...2 { try await Self.scan(merchant, receiver) }
            ids += try receiver.events()
        }
        #expect(ids.count == 4 && Set(ids).count == 4, "\(ids)")
    }

    @Test("A message that is not taken is tried with the same bytes until it is; the next ones wait their turn")
    func retried() async throws {
        let merchant = try await Self.merchant()
        let receiver = ScriptedReceiver()
        receiver.refuse(12)
        merchant.clock.advance(seconds: 5 * 86_400)
        let watch = merchant.system.alertMonitor(
            AlertSettings(includesScheduled: true),
            routes: [AlertRoute(.webhook, receiver)]
        )
        try await watch.scan()
        var waits: [Int64] = []
        for _ in 1...11 { waits.append(try #require(await watch.deliverWaiting()).components.seconds) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        merchant.clock.advance(seconds: 3 * 86_400)
        try await watch.scan()
        // A restart forgets nothing.
        let restarted = merchant.system.alertMonitor(
            AlertSettings(includesScheduled: true),
            routes: [AlertRoute(.webhook, receiver)]
        )
        #expect(await restarted.deliverWaiting() != nil)
        #expect(await restarted.deliverWaiting() == nil)
        #expect(try receiver.steps() == ["5d", "2d"])
        #expect(Set(receiver.attempts.prefix(13)).count == 1)
        #expect(receiver.attempts.count == 14)
    }

    @Test(
        "A store that fails in between makes a message at most twice, with the same id, and never lost",
        arguments: [LedgerFault.Point.start, .answer]
    )
    func failingStore(_ point: LedgerFault.Point) async throws {
        for write in 0..<2 {
            let faults = LedgerFaultScript()
            let store = FaultyLedgerStore(try Self.sqlite(), faults)
            let merchant = try await Self.merchant(store: store)
            let receiver = ScriptedReceiver()
            merchant.clock.advance(seconds: 5 * 86_400)
            faults.failWrite(write, at: point)
            for _ in 1...3 { try? await Self.scan(merchant, receiver) }
            let events = try receiver.events()
            #expect(Set(events).count == 1)
            // Taken, and the ledger did not learn of it: the receiver tells by the id.
            #expect(events.count <= (write == 1 && point == .start ? 2 : 1))
            #expect(Set(receiver.attempts).count == 1)
        }
    }

    @Test("What goes out by itself in time alerts nobody by default")
    func scheduled() async throws {
        let merchant = try await Self.merchant()
        let receiver = ScriptedReceiver()
        for _ in 0..<24 {
            try await Self.scan(merchant, receiver, settings: AlertSettings())
            merchant.clock.advance(seconds: 43_200)
        }
        // Its answer was to leave a day before the due date, and did not (RR-72).
        #expect(try receiver.steps() == ["1d", "overdue"])
    }

    @Test("The log has a line each with what, why, due date and days left, and names no token or sale (TK-77)")
    func log() async throws {
        let book = LogBook()
        let store = try Self.sqlite()
        let first = try await Self.merchant(store: store)
        let system = ReportingSystem(
            store: store,
            apps: Array(first.system.apps.values),
            dependencies: first.clock.dependencies,
            logger: book.logger
        )
        first.clock.advance(seconds: 8 * 86_400)
        for _ in 1...2 { try await system.alertMonitor(AlertSettings(includesScheduled: true)).scan() }
        first.clock.advance(seconds: 3 * 86_400)
        try await system.alertMonitor(AlertSettings(includesScheduled: true)).scan()
        let lines = book.lines
        #expect(lines.map(\.level) == [.warning, .error])
        #expect(lines.map { $0.metadata["step"] } == ["2d", "overdue"])
        #expect(lines.map { $0.metadata["daysLeft"] } == ["2", "-1"])
        #expect(lines.map { $0.metadata["due"] } == ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"])
        #expect(lines.allSatisfy { $0.metadata["why"] != nil && $0.metadata["what"] == "token" })
        for line in lines { #expect(!"\(line.message) \(line.metadata)".contains("4d3f0000")) }
        // Without a receiver nothing waits for one.
        let waiting = try await store.read { ledger throws(LedgerError) in try ledger.undeliveredAlerts(limit: 9) }
        #expect(waiting.isEmpty)
    }

    @Test("As a service it tells what comes, and ends when it is told to")
    func service() async throws {
        let merchant = try await Self.merchant()
        merchant.clock.advance(seconds: 9 * 86_400)
        let receiver = ScriptedReceiver()
        let watch = merchant.system.alertMonitor(
            AlertSettings(includesScheduled: true),
            routes: [AlertRoute(.webhook, receiver)]
        )
        let running = Task { await watch.run() }
        for _ in 1...10_000 where try receiver.steps().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try receiver.steps() == ["1d"])
        running.cancel()
        await running.value
    }
}
