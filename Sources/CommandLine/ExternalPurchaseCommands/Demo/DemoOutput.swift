import CommandSupport
import Foundation

/// Prints the steps of the demo: what happened, where, and which of Apple's rules applies.
struct DemoOutput {
    let style: TerminalStyle
    let print: @Sendable (String) -> Void
    private let start = ContinuousClock.now
    private var number = 0

    init(style: TerminalStyle, print: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.print = print
    }

    mutating func title(_ text: String) {
        print(style.bold(text))
        print("")
    }

    /// Prints a completed step.
    mutating func accepted(_ what: String, at place: String, rule: String, details: [String] = []) {
        number += 1
        let mark = style.green("✓ accepted")
        print("\(position) \(mark)  \(style.bold(what))")
        line("where", style.cyan(place))
        line("rule", rule)
        details.forEach(detail)
    }

    /// Prints the step that failed and ended the demo.
    mutating func failed(_ what: String, reason: String) {
        number += 1
        print("\(position) \(style.red("✗ failed"))    \(style.bold(what))")
        for part in reason.split(separator: "\n") { detail(String(part)) }
    }

    func note(_ text: String) {
        print(text)
    }

    var elapsed: String {
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        return String(format: "%.1f s", milliseconds / 1_000)
    }

    private var position: String {
        let text = String(number)
        return style.dim(String(repeating: " ", count: max(0, 2 - text.count)) + text)
    }

    private func line(_ name: String, _ text: String) {
        print("\(Self.indent)\(style.dim(name + String(repeating: " ", count: 5 - name.count)))  \(text)")
    }

    /// Prints a detail, wrapped to the width of a narrow terminal.
    private func detail(_ text: String) {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 76 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        for (index, line) in lines.enumerated() {
            print("\(Self.indent)\(index == 0 ? style.dim("·") : " ") \(line)")
        }
    }

    private static let indent = String(repeating: " ", count: 15)
}
