import CommandSupport
import Dispatch
import Foundation
import Synchronization

/// What SIGINT and SIGTERM do to a server: the first one stops it gracefully, a second one ends the process at once, and so
/// does a deadline, whatever still runs.
///
/// It has a queue of its own, because the threads of Swift's tasks may be what does not end.
final class Interruption: Sendable {
    private struct State {
        var isStopping = false
        var isOver = false
    }

    /// Time beyond the deadline of the connections in which the rest of the process may end by itself, in ms.
    static let grace: Int64 = 2_000

    private let state = Mutex(State())
    private let queue: DispatchQueue
    /// Never changed; Dispatch's sources may be used from every thread, but their type does not say so on Linux.
    private nonisolated(unsafe) let sources: [(number: Int32, source: any DispatchSourceSignal)]
    private let deadline: @Sendable () -> Int64
    private let stop: @Sendable () -> Void

    /// - Parameters:
    ///   - deadline: in ms; asked when the first signal comes.
    ///   - stop: begins a graceful shutdown.
    init(deadline: @escaping @Sendable () -> Int64, stop: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.stop = stop
        let queue = DispatchQueue(label: "external-purchase.interruption")
        self.queue = queue
        sources = [SIGINT, SIGTERM].map { ($0, DispatchSource.makeSignalSource(signal: $0, queue: queue)) }
    }

    /// Catches the signals from now on.
    func begin() async {
        for (number, source) in sources {
            #if canImport(Darwin)
            signal(number, SIG_IGN)
            #endif
            source.setEventHandler { [self] in caught(number) }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
        }
    }

    /// Catches no more signals; the process ends in the ordinary way.
    func end() {
        state.withLock { $0.isOver = true }
        for (_, source) in sources { source.cancel() }
    }

    private func caught(_ number: Int32) {
        let isSecond = state.withLock { state in
            defer { state.isStopping = true }
            return state.isStopping
        }
        // As a shell tells a process that a signal ended.
        if isSecond { _exit(128 + number) }
        stop()
        let wait = deadline() + Self.grace
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: wait))) { [self] in
            guard !state.withLock(\.isOver) else { return }
            StandardStreams.error("external-purchase: error: did not stop within \(wait) ms; the process ends now")
            _exit(3)
        }
    }
}
