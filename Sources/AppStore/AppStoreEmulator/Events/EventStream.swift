import ExternalPurchaseCore
import NIOCore
import Synchronization

/// An event with its number, encoded once, when the first listener takes it.
final class EventFrame: Sendable {
    private enum Content {
        case event(EmulatorEvent)
        case bytes(ByteBuffer)
    }

    let number: UInt64
    private let content: Mutex<Content>

    init(number: UInt64, event: EmulatorEvent) {
        self.number = number
        content = Mutex(.event(event))
    }

    /// The event as server-sent events have it; every copy shares the same memory.
    ///
    /// - Returns: the bytes, and by how many bytes more or less than the event's weight they hold on to, when this call
    ///   encoded them.
    func encoded() -> (bytes: ByteBuffer, growth: Int?) {
        content.withLock { content in
            switch content {
            case .bytes(let bytes): return (bytes, nil)
            case .event(let event):
                let data = event.json.encoded()
                var bytes = ByteBuffer()
                bytes.reserveCapacity(data.count + event.name.utf8.count + 48)
                bytes.writeString("id: \(number)\nevent: \(event.name)\ndata: ")
                bytes.writeBytes(data)
                bytes.writeString("\n\n")
                content = .bytes(bytes)
                return (bytes, bytes.readableBytes - event.weight)
            }
        }
    }
}

/// What an event stream holds on to.
package struct EventLoad: Hashable, Sendable {
    /// Events that are kept.
    package var events = 0
    /// About how many bytes they hold on to.
    package var bytes = 0
    /// How many listen.
    package var listeners = 0
    /// How many events were encoded since the start.
    package var encodings = 0
}

/// Keeps the newest events for those who listen.
///
/// A listener has a place in the one list and no list of its own, so that a listener who does not read costs nothing. Who
/// falls behind what is kept is dropped, and can come back with the number of the last event it saw.
final class EventStream: Sendable {
    /// One who listens.
    struct Listener: Sendable {
        fileprivate let id: UInt64
        /// The number of the event before the first one that it takes.
        let position: UInt64
        /// How many events after the number that it named are no longer kept.
        let missed: UInt64
        /// Says that there may be more; ends when the emulator stops.
        let wakes: AsyncStream<Void>
    }

    /// What comes after a place in the list.
    enum Next: Sendable {
        case event(EventFrame)
        /// Nothing yet.
        case nothing
        /// That many events are no longer kept.
        case lost(UInt64)
    }

    private struct State {
        /// The number of the newest event.
        var number: UInt64 = 0
        /// Numbered without gaps.
        var newest: [EventFrame] = []
        var weights: [Int] = []
        var load = EventLoad()
        var listeners: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var listenerCount: UInt64 = 0

        var oldest: UInt64 { number + 1 - UInt64(newest.count) }

        /// In slices, because removing one from the front costs the length of the rest.
        mutating func trim() {
            guard newest.count > 2 * EventStream.kept || load.bytes > EventStream.keptBytes else { return }
            var first = max(0, newest.count - EventStream.kept)
            var bytes = weights[first...].reduce(0, +)
            while bytes > EventStream.keptBytes / 2, first < newest.count {
                bytes -= weights[first]
                first += 1
            }
            newest.removeFirst(first)
            weights.removeFirst(first)
            load.bytes = bytes
        }
    }

    /// So many events are kept at least, twice as many at most, unless they are large.
    static let kept = 1_000
    /// The most bytes that kept events hold on to.
    static let keptBytes = 64 * 1_048_576
    private let state = Mutex(State())

    func send(_ event: EmulatorEvent) {
        state.withLock { state in
            state.number += 1
            state.newest.append(EventFrame(number: state.number, event: event))
            state.weights.append(event.weight)
            state.load.bytes += event.weight
            state.trim()
            for listener in state.listeners.values { listener.yield() }
        }
    }

    /// Ends the waiting of every listener, so that a server that stops does not wait for them.
    func finish() {
        // Outside the lock, which the end of a stream takes too.
        let listeners = state.withLock { state in
            let listeners = state.listeners.values.map(\.self)
            state.listeners = [:]
            return listeners
        }
        for listener in listeners { listener.finish() }
    }

    /// Begins to listen.
    ///
    /// - Parameter number: of the last event that the listener saw; nil begins with the next event.
    func listen(after number: UInt64?) -> Listener {
        let (wakes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // For what was missed.
        continuation.yield()
        return state.withLock { state in
            state.listenerCount += 1
            let id = state.listenerCount
            state.listeners[id] = continuation
            let seen = min(number ?? state.number, state.number)
            let position = max(seen, state.oldest - 1)
            return Listener(id: id, position: position, missed: position - seen, wakes: wakes)
        }
    }

    /// Ends one listener.
    func end(_ listener: Listener) {
        state.withLock { $0.listeners.removeValue(forKey: listener.id) }?.finish()
    }

    /// What comes after an event.
    ///
    /// - Parameter position: the number of the event.
    func next(after position: UInt64) -> Next {
        state.withLock { state in
            guard position < state.number else { return .nothing }
            guard position + 1 >= state.oldest else { return .lost(state.oldest - 1 - position) }
            return .event(state.newest[Int(position + 1 - state.oldest)])
        }
    }

    /// The bytes of an event, shared by all who take it.
    func bytes(of frame: EventFrame) -> ByteBuffer {
        let (bytes, growth) = frame.encoded()
        if let growth {
            state.withLock { state in
                state.load.encodings += 1
                guard frame.number >= state.oldest else { return }
                state.weights[Int(frame.number - state.oldest)] += growth
                state.load.bytes += growth
                state.trim()
            }
        }
        return bytes
    }

    var load: EventLoad {
        state.withLock { state in
            var load = state.load
            load.events = state.newest.count
            load.listeners = state.listeners.count
            return load
        }
    }
}
