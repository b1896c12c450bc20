import ExternalPurchaseCore
import Foundation

/// The events that wait for the listener.
///
/// Of availability and status only the newest waits. Questions are never dropped; they are as few as the flows and sends
/// that wait for them. Log events are bounded (EK-54).
final class EventQueue: Sendable {
    static let largestLog = 1_000

    fileprivate struct State {
        var events: [BridgeEvent] = []
        var logCount = 0
        /// Log events that were dropped since the last one that was handed over.
        var lost = 0
        /// The number of the listener; an earlier one receives nothing more.
        var listener = 0
        var waiter: CheckedContinuation<Data?, Never>?
    }

    private let state = Lock(State())

    func add(_ name: BridgeEventName, _ data: JSONObject, question: String? = nil) {
        let (waiter, event): (CheckedContinuation<Data?, Never>?, Data?) = state.withLock { state in
            state.insert(BridgeEvent(name: name, data: data, question: question))
            guard let waiter = state.waiter else { return (nil, nil) }
            state.waiter = nil
            return (waiter, state.next())
        }
        waiter?.resume(returning: event)
    }

    /// Removes a question that nobody has to answer any more.
    func removeQuestion(_ id: String) {
        state.withLock { state in state.events.removeAll { $0.question == id } }
    }

    /// The events from now on and those that wait; an earlier stream ends.
    func stream() -> AsyncStream<Data> {
        let number = replaceListener()
        return AsyncStream {
            await self.next(number)
        } onCancel: {
            self.end(number)
        }
    }

    private func replaceListener() -> Int {
        let (number, waiter) = state.withLock { state in
            state.listener += 1
            defer { state.waiter = nil }
            return (state.listener, state.waiter)
        }
        waiter?.resume(returning: nil)
        return number
    }

    private func next(_ number: Int) async -> Data? {
        await withCheckedContinuation { continuation in
            let (waits, event): (Bool, Data?) = state.withLock { state in
                guard state.listener == number else { return (false, nil) }
                if let event = state.next() { return (false, event) }
                state.waiter = continuation
                return (true, nil)
            }
            if !waits { continuation.resume(returning: event) }
        }
    }

    private func end(_ number: Int) {
        let waiter = state.withLock { state in
            guard state.listener == number else { return nil as CheckedContinuation<Data?, Never>? }
            state.listener += 1
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }
}

extension EventQueue.State {
    fileprivate mutating func insert(_ event: BridgeEvent) {
        switch event.name {
        case .availability, .outboxStatus: events.removeAll { $0.name == event.name }
        case .log where logCount == EventQueue.largestLog:
            if let oldest = events.firstIndex(where: { $0.name == .log }) { events.remove(at: oldest) }
            lost += 1
        case .log: logCount += 1
        case .question: break
        }
        events.append(event)
    }

    fileprivate mutating func next() -> Data? {
        guard !events.isEmpty else { return nil }
        var event = events.removeFirst()
        if event.name == .log {
            logCount -= 1
            event.data.members.append(.init("lost", .count(lost)))
            lost = 0
        }
        return event.encoded
    }
}
