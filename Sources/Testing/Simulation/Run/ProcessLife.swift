import Ledger
import LedgerTesting
import Synchronization

/// The life of one process of the merchant's: it may die at any commit and any sending, before or after.
///
/// A dead process keeps running in the simulation, but nothing that it does reaches the store or Apple any more.
final class ProcessLife: Sendable {
    private let state: Mutex<State>

    private struct State {
        var isDead = false
        /// How many more moments it lives; nil without an end.
        var left: Int?
    }

    init() {
        state = Mutex(State())
    }

    var isDead: Bool { state.withLock(\.isDead) }

    /// Lets the process die after that many more moments.
    func end(after moments: Int) {
        state.withLock { $0.left = max(0, moments) }
    }

    func end() {
        state.withLock { $0.isDead = true }
    }

    /// One moment at which a process may die.
    ///
    /// - Returns: false when it is dead from here on.
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

/// What keeps the commits of one process from the ledger: they may fail, and end with the process.
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

/// The failures that a store has ahead of it.
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

/// A value that the tasks of one world share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}
