import CommandSupport
import Dispatch
import ExternalPurchaseCore
import Foundation
import Synchronization

/// Handles SIGINT and SIGTERM of a server.
///
/// The first signal starts a graceful shutdown. A second signal ends the process at once, and so does a deadline. It
/// uses a dispatch queue of its own, because blocked tasks may occupy all threads of Swift's pool.
final class Interruption: Sendable {
    private struct State {
        var isStopping = false
        var isOver = false
    }

    /// The time after the connections' deadline in which the rest of the process can end by itself.
    static let grace = Duration.seconds(2)

    private let state = Mutex(State())
    private let queue: DispatchQueue
    /// Immutable; Dispatch's sources are thread-safe, but their type is not marked `Sendable` on Linux.
    private nonisolated(unsafe) let sources: [(number: Int32, source: any DispatchSourceSignal)]
    private let deadline: @Sendable () -> Duration
    private let stop: @Sendable () -> Void

    /// - Parameters:
    ///   - deadline: returns the time; called at the first signal.
    ///   - stop: begins a graceful shutdown.
    init(deadline: @escaping @Sendable () -> Duration, stop: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.stop = stop
        let queue = DispatchQueue(label: "external-purchase.interruption")
        self.queue = queue
        sources = [SIGINT, SIGTERM].map { ($0, DispatchSource.makeSignalSource(signal: $0, queue: queue)) }
    }

    /// Begins to handle signals.
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

    /// Ends the handling of signals, because the process ends normally.
    func end() {
        state.withLock { $0.isOver = true }
        for (_, source) in sources { source.cancel() }
    }

    private func caught(_ number: Int32) {
        let isSecond = state.withLock { state in
            defer { state.isStopping = true }
            return state.isStopping
        }
        // The exit code by which shells recognise a process ended by a signal.
        if isSecond { _exit(128 + number) }
        stop()
        let wait = deadline() + Self.grace
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: wait.wholeMilliseconds))) { [self] in
            guard !state.withLock(\.isOver) else { return }
            StandardStreams.error(
                "external-purchase: error: did not stop within \(wait.wholeMilliseconds) ms; the process ends now"
            )
            _exit(3)
        }
    }
}
