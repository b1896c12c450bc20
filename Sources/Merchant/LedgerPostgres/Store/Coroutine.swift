import Foundation

/// A function that runs by turns with its caller, on a thread of its own whose stack keeps its place.
///
/// One of the two waits while the other runs, so that they may share what is not `Sendable`.
final class Coroutine: @unchecked Sendable {
    private enum Turn {
        case caller
        case body
    }

    private let condition = NSCondition()
    private var turn = Turn.caller
    private var body: (() -> Void)?
    private var hasEnded = false

    /// - Parameter body: the function, which calls ``pause()``.
    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    /// Runs the function until it pauses or ends.
    ///
    /// - Returns: false after its end.
    func resume() -> Bool {
        if let body {
            self.body = nil
            nonisolated(unsafe) let function = body
            Thread.detachNewThread { [self] in
                wait(for: .body)
                function()
                condition.withLock {
                    (turn, hasEnded) = (.caller, true)
                    condition.signal()
                }
            }
        }
        if hasEnded { return false }
        pass(to: .body)
        return !hasEnded
    }

    /// Lets the caller go on until it resumes the function, which calls this.
    func pause() { pass(to: .caller) }

    private func pass(to next: Turn) {
        condition.withLock {
            turn = next
            condition.signal()
        }
        wait(for: next == .body ? .caller : .body)
    }

    private func wait(for own: Turn) {
        condition.withLock {
            while turn != own { condition.wait() }
        }
    }
}
