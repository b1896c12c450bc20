import CommandProgram
import ExternalPurchaseCore
import Foundation

/// How far a long run is, on a terminal's standard error.
final class LintProgress {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    init(isQuiet: Bool) {
        isShown = !isQuiet && isatty(2) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A line that the next one overwrites; short runs show nothing.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        guard now - start > .milliseconds(300), last.map({ now - $0 > .milliseconds(100) }) ?? true else { return }
        last = now
        // \r and the code that erases the rest of the line.
        try? FileHandle.standardError.write(contentsOf: Data("\r\(text().printable)\u{1B}[K".utf8))
    }

    /// Takes the line away.
    func end() {
        guard last != nil else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
        last = nil
    }
}
