import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends the use of connections whose server neither answers nor closes them, such as one behind a stalled network.
///
/// libpq waits without limit, and the limits of a session are those of the server. A socket that is shut down ends the
/// wait, and the connection counts as lost.
final class AnswerDeadlines: Sendable {
    private struct Wait {
        let socket: Int32
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        var last = 0
        var waits: [Int: Wait] = [:]
        var timer: (any DispatchSourceTimer)?
    }

    static let shared = AnswerDeadlines()

    private let state = Mutex(State())

    /// Begins a wait for an answer.
    ///
    /// - Returns: the number for ``end(_:)``.
    func begin(_ socket: Int32, _ limit: Duration) -> Int {
        state.withLock { state in
            state.last += 1
            state.waits[state.last] = Wait(socket: socket, deadline: .now + limit)
            if state.timer == nil { state.timer = makeTimer() }
            return state.last
        }
    }

    /// Ends a wait; the socket may be closed afterwards.
    func end(_ wait: Int) { state.withLock { $0.waits[wait] = nil } }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { [weak self] in self?.shutDown() }
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        timer.resume()
        return timer
    }

    private func shutDown() {
        // Within the lock, so that the owner cannot close the socket meanwhile.
        state.withLock { state in
            for wait in state.waits.values where wait.deadline <= .now { _ = shutdown(wait.socket, Int32(SHUT_RDWR)) }
        }
    }
}
