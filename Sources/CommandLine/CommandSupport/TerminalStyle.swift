import Foundation

/// Colours for terminal output, never with `NO_COLOR` (https://no-color.org).
package struct TerminalStyle: Sendable {
    /// True when colours are enabled.
    let isColourful: Bool

    /// Creates the style of a stream.
    ///
    /// - Parameters:
    ///   - isTerminal: whether the stream is a terminal.
    ///   - environment: the variables of the process; `NO_COLOR` and `TERM=dumb` forbid colours.
    init(isTerminal: Bool, environment: [String: String]) {
        let noColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColourful = isTerminal && !noColour && environment["TERM"] != "dumb"
    }

    /// The style of this process's standard output.
    package static var standardOutput: TerminalStyle {
        TerminalStyle(isTerminal: isatty(1) != 0, environment: ProcessInfo.processInfo.environment)
    }

    /// For correct values.
    package func green(_ text: String) -> String { paint(text, "32") }
    /// For possible problems.
    package func yellow(_ text: String) -> String { paint(text, "33") }
    /// For errors.
    package func red(_ text: String) -> String { paint(text, "31") }
    /// For locations.
    package func cyan(_ text: String) -> String { paint(text, "36") }
    /// For headings and key information.
    package func bold(_ text: String) -> String { paint(text, "1") }
    /// For less important text.
    package func dim(_ text: String) -> String { paint(text, "2") }

    /// Every control sequence that the style writes; empty without colours.
    var codes: [String] {
        isColourful ? ["32", "33", "31", "36", "1", "2", "0"].map { "\u{1B}[\($0)m" } : []
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColourful ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
