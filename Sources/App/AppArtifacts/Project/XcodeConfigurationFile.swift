import AppConfiguration
import ExternalPurchaseCore

/// The settings of an `.xcconfig` file, line by line.
struct XcodeConfigurationFile {
    /// A line that sets a build setting or names another file, whose settings stand in the place of the line.
    enum Line {
        case setting(BuildSetting)
        case include(Include)
    }

    struct Include {
        let name: String
        let position: SourcePosition
        /// True for `#include?`, of which a missing file is no fault.
        let isOptional: Bool
    }

    /// The lines in the order of the file.
    let lines: [Line]

    /// The settings of the file itself.
    var settings: [BuildSetting] {
        lines.compactMap { line in
            if case .setting(let setting) = line { setting } else { nil }
        }
    }

    /// Reads the assignments line by line.
    ///
    /// Other lines are ignored, and those that are not stream-safe.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - path: the path for messages.
    init(_ bytes: [UInt8], path: String) {
        var lines: [Line] = []
        for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: line, as: UTF8.self)
            guard line.isStreamSafe else { continue }
            let text = line.trimmingBlanks
            let indent = line.utf8.prefix { $0 == 0x20 || $0 == 0x09 }.count
            let position = SourcePosition(line: number + 1, column: indent + 1)
            if text.hasPrefix("#include") {
                let name = text.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
                let isOptional = text.hasPrefix("#include?")
                lines.append(.include(Include(name: String(name ?? ""), position: position, isOptional: isOptional)))
                continue
            }
            guard !text.hasPrefix("//"), let equals = Self.assignment(in: text) else { continue }
            let left = String(text[..<equals]).trimmingBlanks
            var right = String(text[text.index(after: equals)...])
            if let comment = right.firstOccurrence(of: "//") { right = String(right[..<comment]) }
            lines.append(
                .setting(
                    BuildSetting(
                        written: left,
                        value: right.trimmingBlanks,
                        file: path,
                        position: position
                    )
                )
            )
        }
        self.lines = lines
    }

    /// Finds the `=` of the assignment.
    ///
    /// A `=` in `[sdk=…]` belongs to the condition.
    private static func assignment(in text: String) -> String.Index? {
        var isCondition = false
        for index in text.indices {
            switch text[index] {
            case "[": isCondition = true
            case "]": isCondition = false
            case "=" where !isCondition: return index
            default: break
            }
        }
        return nil
    }
}

extension String {
    /// The text without blanks, tabs and line ends at both ends.
    fileprivate var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
        var slice = self[...]
        while let first = slice.first, isBlank(first) { slice.removeFirst() }
        while let last = slice.last, isBlank(last) { slice.removeLast() }
        return String(slice)
    }

    fileprivate func firstOccurrence(of part: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(part) }
    }
}
