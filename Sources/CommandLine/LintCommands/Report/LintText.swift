import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// Prints the findings in the format of a compiler, with their number.
struct LintText {
    let report: LintReport
    let style: TerminalStyle
    let hasSummary: Bool
    /// True to print every note; otherwise the notes of a file are one line.
    var isVerbose = false

    /// Prints errors, then warnings, then notes, line by line, so that the text of many findings is never in memory at
    /// once.
    func printLines(_ print: (String) -> Void) {
        var sources = SourceCache()
        for severity in [Severity.error, .warning] + (isVerbose ? [.note] : []) {
            for subject in report.subjects {
                for reported in subject.findings where reported.finding.severity == severity {
                    for line in lines(reported.finding, &sources) { print(line + "\n") }
                }
            }
        }
        if hasSummary, !isVerbose { printNoteCounts(print) }
        // If nothing could be read, the following error is sufficient.
        if hasSummary, report.filesRead > 0 || report.unreadableFailure == nil { print(summary) }
    }

    private func printNoteCounts(_ print: (String) -> Void) {
        var counts: [String: Int] = [:]
        var files: [String] = []
        for subject in report.subjects {
            for reported in subject.findings where reported.finding.severity == .note {
                let file = reported.finding.file
                if counts[file] == nil { files.append(file) }
                counts[file, default: 0] += 1
            }
        }
        for file in files {
            let number = Self.number(counts[file] ?? 0, "note")
            print("\(style.bold(file.printable)): \(style.cyan(number)): run with --verbose\n")
        }
    }

    private func lines(_ finding: Finding, _ sources: inout SourceCache) -> [String] {
        let head = "\(style.bold(Self.place(finding.file, finding.position))): \(label(finding.severity)): "
        var lines = [head + style.bold(finding.message.printable) + style.dim(" [\(finding.rule)]")]
        let source = sources[finding.file]
        if let position = finding.position, let excerpt = Self.excerpt(source, position) {
            let number = String(position.line)
            let margin = String(repeating: " ", count: max(0, 5 - number.count))
            lines.append(style.dim("\(margin)\(number) | ") + excerpt.line)
            lines.append(style.dim("      | ") + paint(excerpt.underline, finding.severity))
        }
        if let hint = finding.hint { lines.append("      \(style.cyan("hint:")) \(hint.printable)") }
        for edit in finding.edits { lines.append("      \(style.green("fix:")) \(Self.words(edit))") }
        for place in finding.related {
            let head = "\(style.bold(Self.place(place.file, place.position))): \(label(.note)): "
            lines.append(head + place.message.printable)
            if let position = place.position, let excerpt = Self.excerpt(sources[place.file], position) {
                let number = String(position.line)
                let margin = String(repeating: " ", count: max(0, 5 - number.count))
                lines.append(style.dim("\(margin)\(number) | ") + excerpt.line)
                lines.append(style.dim("      | ") + paint(excerpt.underline, .note))
            }
        }
        return lines
    }

    private static func excerpt(_ source: SourceText?, _ position: SourcePosition) -> SourceExcerpt? {
        guard let line = source?.line(position.line), position.column >= 1, position.column <= line.count + 1 else {
            return nil
        }
        let start = position.column - 1
        return SourceExcerpt(line, marked: SourceText.element(in: line, at: start)?.whole ?? start..<(start + 1))
    }

    private static func place(_ file: String, _ position: SourcePosition?) -> String {
        file.printable + (position.map { ":\($0.line):\($0.column)" } ?? "")
    }

    /// The largest size of a replacement in the text; the other formats have it whole, because programs apply it.
    private static let shownBytes = 200

    private static func words(_ edit: FindingEdit) -> String {
        switch (edit.extent, edit.replacement) {
        case (_, ""): "remove it"
        case (.text, let text): "write \"\(text.clipped(to: shownBytes).printable)\""
        case (.element, let xml): "write \(xml.clipped(to: shownBytes).printable)"
        }
    }

    private func label(_ severity: Severity) -> String { paint(severity.rawValue, severity) }

    private func paint(_ text: String, _ severity: Severity) -> String {
        switch severity {
        case .error: style.red(text)
        case .warning: style.yellow(text)
        case .note: style.cyan(text)
        }
    }

    private var summary: String {
        let counts = [(Severity.error, "error"), (.warning, "warning"), (.note, "note")]
            .map { (report.count($0.0), $0.1) }
            .filter { $0.0 > 0 }
            .map(Self.number)
        let found = counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
        let accepted = report.accepted.map { $0 > 0 ? ", \($0) accepted by the baseline" : "" } ?? ""
        return "\(found) in \(Self.number(report.filesRead, "file")) (rule pack \(report.pack.id)\(accepted))"
    }

    private static func number(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}

/// A cache of the most recently read files; findings are sorted by file and refer to one or two others.
struct SourceCache {
    private static let maximum = 4
    private var sources: [String: SourceText?] = [:]

    subscript(path: String) -> SourceText? {
        mutating get {
            if let known = sources[path] { return known }
            if sources.count >= Self.maximum { sources = [:] }
            let source = SourceText(path: path)
            sources.updateValue(source, forKey: path)
            return source
        }
    }
}
