package import Ledger
import Synchronization

/// A fault of one write.
package struct LedgerFault: Hashable, Sendable {
    /// The point at which a write fails.
    package enum Point: Hashable, Sendable {
        /// Before the transaction begins.
        case start
        /// Instead of one of its statements, counted from 0.
        case statement(Int)
        /// After one of its statements.
        case afterStatement(Int)
        /// After every statement, before the commit.
        case commit
        /// After the commit, so that the caller does not learn of its success.
        case answer
    }

    package let point: Point
    package let error: LedgerError

    package init(_ point: Point, _ error: LedgerError) {
        self.point = point
        self.error = error
    }
}

/// Decides which reads and writes of a ``FaultyLedgerStore`` fail, and at which point.
package protocol LedgerFaultPlan: Sendable {
    /// Called before a read.
    func nextRead() -> LedgerReadFault?
    /// Called before a write.
    func nextWrite() -> LedgerFault?
    /// Called after a commit; an error hides the commit from the caller.
    func nextAnswer() -> LedgerError?
}

/// A fault of one read.
package enum LedgerReadFault: Hashable, Sendable {
    case error(LedgerError)
    /// The read repeats a query until the store cancels it, like a read of a very large ledger.
    case endless
}

/// A fault plan that a test controls.
package final class LedgerFaultScript: LedgerFaultPlan {
    private let everyRead: LedgerReadFault?
    private let everyWrite: LedgerError?
    /// The fault of a later write, and the number of writes before it.
    private let pending = Mutex<(fault: LedgerFault, left: Int)?>(nil)

    /// - Parameters:
    ///   - everyRead: the fault of every read.
    ///   - everyWrite: the error of every write, before its transaction begins.
    package init(everyRead: LedgerReadFault? = nil, everyWrite: LedgerError? = nil) {
        self.everyRead = everyRead
        self.everyWrite = everyWrite
    }

    /// Makes one of the next writes fail, counted from 0.
    package func failWrite(_ number: Int = 0, at point: LedgerFault.Point) {
        let error: LedgerError =
            switch point {
            case .start: .full
            case .statement, .afterStatement: .failed("a fault that was asked for")
            case .commit, .answer: .busy
            }
        pending.withLock { $0 = (LedgerFault(point, error), number) }
    }

    package func nextRead() -> LedgerReadFault? { everyRead }

    package func nextWrite() -> LedgerFault? {
        if let everyWrite { return LedgerFault(.start, everyWrite) }
        return pending.withLock { pending in
            guard let next = pending else { return nil }
            pending = next.left == 0 ? nil : (next.fault, next.left - 1)
            return next.left == 0 ? next.fault : nil
        }
    }

    package func nextAnswer() -> LedgerError? { nil }
}
