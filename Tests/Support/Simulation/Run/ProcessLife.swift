import Ledger
import LedgerTesting
import Synchronization

/// The lifetime of one simulated process, which may crash before or after any commit and any request.
///
/// A crashed process continues to run in the simulation, but its actions no longer reach the store or Apple.
final class ProcessLife: Sendable {
    private let state: Mutex<State>

    private struct State {
        var isDead = false
        /// The number of remaining crash points; nil for no crash.
        var left: Int?
    }

    init() {
        state = Mutex(State())
    }

    var isDead: Bool { state.withLock(\.isDead) }

    /// Schedules a crash after the given number of crash points.
    func end(after moments: Int) {
        state.withLock { $0.left = max(0, moments) }
    }

    func end() {
        state.withLock { $0.isDead = true }
    }

    /// Passes one crash point.
    ///
    /// - Returns: false when the process has crashed.
    func passes() -> Bool {
        state.withLock { state in
            if let left = state.left {
                if left == 0 { state.isDead = true }
                state.left = left - 1
            }
            return !state.isDead
        }
    }
}

/// The store faults of one process: commits can fail, and all fail after a crash.
struct ProcessFaults: LedgerFaultPlan {
    let life: ProcessLife
    let trouble: StoreTrouble

    private static let dead = LedgerError.failed("the process is dead")

    func nextRead() -> LedgerReadFault? { life.isDead ? .error(Self.dead) : nil }

    func nextWrite() -> LedgerFault? {
        if life.isDead || !life.passes() { return LedgerFault(.start, Self.dead) }
        return switch trouble.next() {
        case .none: nil
        case .early: LedgerFault(.start, .full)
        case .late: LedgerFault(.commit, .busy)
        }
    }

    func nextAnswer() -> LedgerError? { life.passes() ? nil : Self.dead }
}

/// The scheduled failures of a store.
final class StoreTrouble: Sendable {
    enum Failure: Sendable {
        case none
        case early
        case late
    }

    private let plan = Mutex<Action.StoreFault?>(nil)

    func begin(_ fault: Action.StoreFault) { plan.withLock { $0 = fault } }

    func end() { plan.withLock { $0 = nil } }

    func next() -> Failure {
        plan.withLock { plan in
            guard var fault = plan else { return .none }
            if fault.after > 0 {
                fault.after -= 1
                plan = fault
                return .none
            }
            fault.count -= 1
            plan = fault.count > 0 ? fault : nil
            return fault.isLate ? .late : .early
        }
    }
}

/// A value shared by the tasks of one world.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}
