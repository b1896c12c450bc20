import Foundation

/// Colours for people: on a terminal only, and never with `NO_COLOR` (https://no-color.org).
struct TerminalStyle {
    let isColourful: Bool

    init(isTerminal: Bool, environment: [String: String]) {
        let noColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColourful = isTerminal && !noColour && environment["TERM"] != "dumb"
    }

    static var standardOutput: TerminalStyle {
        TerminalStyle(isTerminal: isatty(1) != 0, environment: ProcessInfo.processInfo.environment)
    }

    func green(_ text: String) -> String { paint(text, "32") }
    func red(_ text: String) -> String { paint(text, "31") }
    func cyan(_ text: String) -> String { paint(text, "36") }
    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColourful ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
