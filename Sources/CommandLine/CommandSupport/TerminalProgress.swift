import ExternalPurchaseCore
import Foundation
import Synchronization

/// Shows the progress of a long run on standard error if it is a terminal.
package final class TerminalProgress: Sendable {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter isQuiet: disables the output; it is also disabled where standard error is not a terminal.
    package init(isQuiet: Bool) {
        isShown = !isQuiet && isatty(2) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Shows a line that the next call overwrites; short runs show nothing.
    package func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isTime = last.withLock { last in
            guard now - start > .milliseconds(300), last.map({ now - $0 > .milliseconds(100) }) ?? true else {
                return false
            }
            last = now
            return true
        }
        // \r and the control sequence that clears the rest of the line.
        if isTime { try? FileHandle.standardError.write(contentsOf: Data("\r\(text().printable)\u{1B}[K".utf8)) }
    }

    /// Removes the line.
    package func end() {
        let wasShown = last.withLock { last in
            defer { last = nil }
            return last != nil
        }
        if wasShown { try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8)) }
    }
}
