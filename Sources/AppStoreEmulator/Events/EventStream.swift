import ExternalPurchaseCore
import Synchronization

/// Something that happened, for those who listen (`GET /emulator/v1/events`).
struct EmulatorEvent: Sendable {
    let name: String
    /// About how many bytes it holds on to.
    let weight: Int
    private let makeJSON: @Sendable () -> JSONValue

    /// Made when somebody listens: most events are written for nobody.
    var json: JSONValue { makeJSON() }

    private init(name: String, weight: Int = 1_000, json: @escaping @autoclosure @Sendable () -> JSONValue) {
        self.name = name
        self.weight = weight
        makeJSON = json
    }

    static let reset = EmulatorEvent(name: "reset", json: .object(JSONObject()))

    static func request(_ entry: JournalEntry) -> EmulatorEvent {
        EmulatorEvent(name: "request", weight: 1_000 + entry.body.count, json: entry.json)
    }

    static func report(_ report: ReceivedReport, of bundleId: BundleId, at moment: Timestamp) -> EmulatorEvent {
        EmulatorEvent(
            name: "report",
            weight: 1_000 * (1 + (report.lineItems?.count ?? 0)),
            json: .object(
                JSONObject([
                    .init("at", .string(moment.description)), .init("bundleId", .string(bundleId.rawValue)),
                    .init("report", report.json),
                ])
            )
        )
    }

    static func token(_ token: ExternalPurchaseToken, at moment: Timestamp) -> EmulatorEvent {
        EmulatorEvent(
            name: "token",
            json: .object(
                JSONObject([
                    .init("at", .string(moment.description)), .init("bundleId", .string(token.bundleId.rawValue)),
                    .init("externalPurchaseId", .string(token.externalPurchaseId.rawValue)),
                    .init("tokenType", token.tokenType.map { .string($0.rawValue) } ?? .null),
                    .init("token", .string(token.encoded())),
                ])
            )
        )
    }

    static func notification(_ record: NotificationRecord, at moment: Timestamp) -> EmulatorEvent {
        EmulatorEvent(name: "notification", json: record.json)
    }

    static func clock(_ now: Timestamp, isVirtual: Bool) -> EmulatorEvent {
        EmulatorEvent(
            name: "clock",
            json: .object(
                JSONObject([
                    .init("now", .string(now.description)), .init("mode", .string(isVirtual ? "virtual" : "real")),
                ])
            )
        )
    }
}

/// Passes events on to everybody who listens, and keeps the newest ones for those who were cut off.
final class EventStream: Sendable {
    struct Numbered: Sendable {
        let number: UInt64
        let event: EmulatorEvent
    }

    private struct State {
        var number: UInt64 = 0
        var newest: [Numbered] = []
        var weight = 0
        var listeners: [UInt64: AsyncStream<Numbered>.Continuation] = [:]
        var listenerCount: UInt64 = 0

        /// In slices, because removing one from the front costs the length of the rest.
        mutating func trim() {
            var rest = newest.suffix(EventStream.kept)
            weight = rest.reduce(0) { $0 + $1.event.weight }
            while weight > EventStream.keptWeight / 2, let oldest = rest.popFirst() { weight -= oldest.event.weight }
            newest = Array(rest)
        }
    }

    /// Events kept for those who come back, and waiting at most for one that is slow.
    private static let kept = 1_000
    /// The most that kept events may weigh, so that many large reports do not fill the memory.
    private static let keptWeight = 64 * 1_048_576
    private let state = Mutex(State())

    func send(_ event: EmulatorEvent) {
        state.withLock { state in
            state.number += 1
            let numbered = Numbered(number: state.number, event: event)
            state.newest.append(numbered)
            state.weight += event.weight
            if state.newest.count > 2 * Self.kept || state.weight > Self.keptWeight { state.trim() }
            for listener in state.listeners.values { listener.yield(numbered) }
        }
    }

    /// Ends every stream, so that a server that stops does not wait for those who listen.
    func finish() {
        // Outside the lock, which the end of a stream takes too.
        let listeners = state.withLock { state in
            let listeners = state.listeners.values.map(\.self)
            state.listeners = [:]
            return listeners
        }
        for listener in listeners { listener.finish() }
    }

    /// The events from now on, after those that came later than a number, as far as they are kept.
    func listen(after number: UInt64?) -> AsyncStream<Numbered> {
        let (stream, continuation) = AsyncStream<Numbered>.makeStream(bufferingPolicy: .bufferingNewest(Self.kept))
        state.withLock { state in
            if let number {
                for missed in state.newest where missed.number > number { continuation.yield(missed) }
            }
            state.listenerCount += 1
            let id = state.listenerCount
            state.listeners[id] = continuation
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[id] = nil }
            }
        }
        return stream
    }
}
