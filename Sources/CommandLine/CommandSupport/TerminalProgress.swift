import ExternalPurchaseCore
import Foundation
import Synchronization

/// How far a long run is, on a terminal's standard error.
package final class TerminalProgress: Sendable {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter isQuiet: shows nothing; nothing is shown either where standard error is no terminal.
    package init(isQuiet: Bool) {
        isShown = !isQuiet && isatty(2) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A line that the next one overwrites; short runs show nothing.
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
        // \r and the code that erases the rest of the line.
        if isTime { try? FileHandle.standardError.write(contentsOf: Data("\r\(text().printable)\u{1B}[K".utf8)) }
    }

    /// Takes the line away.
    package func end() {
        let wasShown = last.withLock { last in
            defer { last = nil }
            return last != nil
        }
        if wasShown { try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8)) }
    }
}
