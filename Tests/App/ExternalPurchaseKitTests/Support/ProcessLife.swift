import Synchronization

/// The life of a simulated process: every step that matters ticks, and at one of them the process is killed.
///
/// The code of a killed process runs on in the test, but nothing that it does reaches disk, server or StoreKit.
final class ProcessLife: Sendable {
    struct Killed: Error {}

    private struct State {
        var steps = 0
        var killedAt: Int?
        var isAlive = true
    }

    private let state: Mutex<State>

    private let kill: @Sendable () -> Void

    /// - Parameters:
    ///   - step: the step at which the process is killed; nil for a process that nobody kills.
    ///   - kill: kills the process, if there is a real one.
    init(killedAt step: Int? = nil, kill: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(killedAt: step))
        self.kill = kill
    }

    var steps: Int { state.withLock { $0.steps } }
    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// Counts a step; false from the step on at which the process is killed.
    func tick() -> Bool {
        state.withLock { state in
            if state.steps == state.killedAt {
                state.isAlive = false
                kill()
            }
            state.steps += 1
            return state.isAlive
        }
    }
}
