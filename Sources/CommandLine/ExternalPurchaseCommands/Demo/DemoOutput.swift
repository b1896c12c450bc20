import CommandSupport
import Foundation

/// Prints the steps of the demo: what happened, where, and which of Apple's rules applies.
struct DemoOutput {
    /// The width of a narrow terminal; only a word that is longer makes a line longer.
    static let width = 80

    let style: TerminalStyle
    let print: @Sendable (String) -> Void
    private let start = ContinuousClock.now
    private var number = 0

    init(style: TerminalStyle, print: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.print = print
    }

    /// Prints the heading of the steps that follow.
    mutating func title(_ text: String) {
        if number > 0 { print("") }
        print(style.bold(text))
        print("")
    }

    /// Prints a completed step.
    mutating func accepted(_ what: String, at place: String, rule: String, details: [String] = []) {
        heading(style.green("✓ accepted"), what)
        wrapped(place, behind: "\(Self.indent)\(style.dim("where"))  ", of: Self.indent.count + 7, paint: style.cyan)
        wrapped(rule, behind: "\(Self.indent)\(style.dim("rule"))   ", of: Self.indent.count + 7)
        details.forEach(detail)
    }

    /// Prints the step that failed and ended the demo.
    mutating func failed(_ what: String, reason: String) {
        heading(style.red("✗ failed") + "  ", what)
        for part in reason.split(separator: "\n") { detail(String(part)) }
    }

    func note(_ text: String) {
        print(text)
    }

    var elapsed: String {
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        return String(format: "%.1f s", milliseconds / 1_000)
    }

    private mutating func heading(_ mark: String, _ what: String) {
        number += 1
        let text = String(number)
        let position = style.dim(String(repeating: " ", count: max(0, 2 - text.count)) + text)
        wrapped(what, behind: "\(position) \(mark)  ", of: 15, paint: style.bold)
    }

    private func detail(_ text: String) {
        wrapped(text, behind: "\(Self.indent)\(style.dim("·")) ", of: Self.indent.count + 2)
    }

    /// Prints a text in lines of at most ``width`` characters.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the first line.
    ///   - columns: the number of columns that the prefix takes on the screen.
    private func wrapped(
        _ text: String,
        behind prefix: String,
        of columns: Int,
        paint: (String) -> String = { $0 }
    ) {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= Self.width - columns {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        for (index, line) in lines.enumerated() {
            print((index == 0 ? prefix : String(repeating: " ", count: columns)) + paint(line))
        }
    }

    private static let indent = String(repeating: " ", count: 6)
}
