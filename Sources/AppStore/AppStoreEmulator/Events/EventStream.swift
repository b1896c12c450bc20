import ExternalPurchaseCore
import NIOCore
import Synchronization

/// A numbered event.
///
/// It is encoded once, when the first listener reads it.
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

    /// Returns the event in the format of server-sent events.
    ///
    /// All copies share the same memory.
    ///
    /// - Returns: the bytes and, if this call encoded them, by how many bytes their size differs from the event's
    ///   weight.
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

/// The memory use of an event stream.
struct EventLoad: Hashable, Sendable {
    /// The number of stored events.
    var events = 0
    /// The approximate number of bytes of the stored events.
    var bytes = 0
    /// The number of listeners.
    var listeners = 0
    /// The number of events that were encoded since the start.
    var encodings = 0
}

/// Stores the newest events for listeners.
///
/// All listeners read from one list, so a listener that does not read costs no memory. A listener that falls behind the
/// stored events is disconnected, and can resume with the number of the last event it received.
final class EventStream: Sendable {
    /// A listener of the stream.
    struct Listener: Sendable {
        fileprivate let id: UInt64
        /// The number of the event before the first one that the listener receives.
        let position: UInt64
        /// The number of events after the requested one that are no longer stored.
        let missed: UInt64
        /// Signals that there may be more events.
        ///
        /// It ends when the emulator stops.
        let wakes: AsyncStream<Void>
    }

    /// The result of reading after a position.
    enum Next: Sendable {
        case event(EventFrame)
        /// There is no further event yet.
        case nothing
        /// That many events are no longer stored.
        case lost(UInt64)
    }

    private struct State {
        /// The number of the newest event.
        var number: UInt64 = 0
        /// The stored events, numbered without gaps.
        var newest: [EventFrame] = []
        var weights: [Int] = []
        var load = EventLoad()
        var listeners: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var listenerCount: UInt64 = 0

        var oldest: UInt64 { number + 1 - UInt64(newest.count) }

        /// Removes old events in batches, because removing one from the front of an array takes time proportional to
        /// its length.
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

    /// The minimum number of stored events, unless they are large.
    ///
    /// At most twice as many are stored.
    static let kept = 1_000
    /// The maximum number of bytes of the stored events.
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

    /// Ends the waiting of every listener, so that a stopping server does not wait for them.
    func finish() {
        // Finished outside the lock, because the termination handler of a stream acquires it too.
        let listeners = state.withLock { state in
            let listeners = state.listeners.values.map(\.self)
            state.listeners = [:]
            return listeners
        }
        for listener in listeners { listener.finish() }
    }

    /// Adds a listener.
    ///
    /// - Parameter number: the number of the last event that the listener received; nil starts with the next event.
    func listen(after number: UInt64?) -> Listener {
        let (wakes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Wakes the listener for stored events after the requested one.
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

    /// Removes a listener.
    func end(_ listener: Listener) {
        state.withLock { $0.listeners.removeValue(forKey: listener.id) }?.finish()
    }

    /// Returns the next event after a position.
    ///
    /// - Parameter position: the number of the last event that was read.
    func next(after position: UInt64) -> Next {
        state.withLock { state in
            guard position < state.number else { return .nothing }
            guard position + 1 >= state.oldest else { return .lost(state.oldest - 1 - position) }
            return .event(state.newest[Int(position + 1 - state.oldest)])
        }
    }

    /// Returns the bytes of an event, which all listeners share.
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
