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

    /// Shows how many of some things are done, such as `120,000 of 387,858 entries`.
    package func show(_ done: Int, of total: Int? = nil, _ things: String) {
        show(Self.count(done, of: total, things))
    }

    package static func count(_ done: Int, of total: Int?, _ things: String) -> String {
        "\(grouped(done))\(total.map { " of \(grouped($0))" } ?? "") \(things)"
    }

    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return digits
    }

    /// Shows a line while a step runs that does not say how far it is.
    package func show<Value, Failure: Error>(
        _ text: String,
        while step: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard isShown else { return try await step() }
        let shown = Task {
            while !Task.isCancelled {
                show(text)
                try? await Task.sleep(for: .milliseconds(400))
            }
        }
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await step())
        } catch {
            result = .failure(error)
        }
        shown.cancel()
        await shown.value
        return try result.get()
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
