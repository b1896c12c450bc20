import HTTPSupport

/// A runbook as a page: the part of Markdown that `docs/runbooks` is written in.
///
/// Links to other runbooks lead to their pages, and links to the web stay; of a link into the documents of the package,
/// which a server has not, the text is left.
struct RunbookView {
    /// The title in words, also where it is the name of a kind.
    let title: String
    let html: String

    private static let blocks = HTMLTemplate(WebFiles.runbookHTML)
    private static let parts = HTMLTemplate(WebFiles.runbookpartHTML)

    /// - Parameters:
    ///   - markdown: the text of the runbook; its first line is its title.
    ///   - names: the names of all runbooks.
    init(_ markdown: String, among names: Set<String>) {
        var lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)[...]
        let heading = lines.popFirst().map { String($0.drop { $0 == "#" || $0 == " " }) } ?? ""
        title = (heading.contains(" ") ? heading : heading.replacing("-", with: " ")).capitalizedFirst
        html = Self.html(lines, names)
    }

    // MARK: Blocks

    private static func html(_ all: ArraySlice<Substring>, _ names: Set<String>) -> String {
        var (lines, values): (ArraySlice<Substring>, [HTMLTemplate.Values]) = (all, [])
        while let line = lines.first {
            if line.allSatisfy(\.isWhitespace) {
                lines.removeFirst()
            } else if line.hasPrefix("```") {
                lines.removeFirst()
                let code = lines.prefix { !$0.hasPrefix("```") }
                lines = lines.dropFirst(code.count + 1)
                values.append(block("codes", [["text": .text(code.joined(separator: "\n"))]]))
            } else if line.hasPrefix("#") {
                lines.removeFirst()
                values.append(block("headings", [content(line.drop { $0 == "#" || $0 == " " }, names)]))
            } else if line.hasPrefix("|") {
                let rows = lines.prefix { $0.hasPrefix("|") }
                lines = lines.dropFirst(rows.count)
                values.append(block("tables", [table(rows, names)]))
            } else if isItem(line) {
                var items: [ArraySlice<Substring>] = []
                while let first = lines.first, isItem(first) {
                    let rest = lines.dropFirst().prefix { $0.isEmpty || $0.hasPrefix("   ") }
                    lines = lines.dropFirst(rest.count + 1)
                    items.append([first.dropFirst(3)] + rest.map { $0.dropFirst(3) }[...])
                }
                values.append(
                    block("lists", [["items": .list(items.map { ["content": .markup(html($0, names))] })]])
                )
            } else {
                let text = lines.prefix { !$0.isEmpty && !$0.hasPrefix("```") && !$0.hasPrefix("|") && !isItem($0) }
                lines = lines.dropFirst(text.count)
                values.append(block("paragraphs", [content(Substring(text.joined(separator: " ")), names)]))
            }
        }
        return blocks.filled(with: ["blocks": .list(values)])
    }

    private static func isItem(_ line: Substring) -> Bool {
        line.count > 3 && line.first?.isNumber == true && line.dropFirst().hasPrefix(". ")
    }

    private static func block(_ kind: String, _ content: [HTMLTemplate.Values]) -> HTMLTemplate.Values {
        var values: HTMLTemplate.Values = [:]
        for name in ["codes", "headings", "tables", "lists", "paragraphs"] {
            values[name] = .list(name == kind ? content : [])
        }
        return values
    }

    private static func table(_ rows: ArraySlice<Substring>, _ names: Set<String>) -> HTMLTemplate.Values {
        let cells = rows.map { row in
            row.dropFirst().dropLast(row.hasSuffix("|") ? 1 : 0).split(separator: "|", omittingEmptySubsequences: false)
                .map { content(Substring($0.trimmingSpaces), names) }
        }
        return [
            "heads": .list(cells.first ?? []),
            // The second line separates the head.
            "rows": .list(cells.dropFirst(2).map { ["cells": .list($0)] }),
        ]
    }

    // MARK: Text

    private static func content(_ text: Substring, _ names: Set<String>) -> HTMLTemplate.Values {
        ["content": .markup(parts.filled(with: ["parts": .list(parts(of: text, names))]))]
    }

    private static func part(_ kind: String, _ values: HTMLTemplate.Values) -> HTMLTemplate.Values {
        var all: HTMLTemplate.Values = [:]
        for name in ["texts", "strongs", "codes", "links"] { all[name] = .list(name == kind ? [values] : []) }
        return all
    }

    private static func parts(of text: Substring, _ names: Set<String>) -> [HTMLTemplate.Values] {
        var (rest, plain, found): (Substring, String, [HTMLTemplate.Values]) = (text, "", [])
        func flush() {
            if !plain.isEmpty { found.append(part("texts", ["text": .text(plain)])) }
            plain = ""
        }
        while let character = rest.first {
            if character == "`", let end = rest.dropFirst().firstIndex(of: "`") {
                flush()
                found.append(part("codes", ["text": .text(String(rest[rest.index(after: rest.startIndex)..<end]))]))
                rest = rest[rest.index(after: end)...]
            } else if rest.hasPrefix("**"), let end = rest.dropFirst(2).firstRange(of: "**") {
                flush()
                let start = rest.index(rest.startIndex, offsetBy: 2)
                found.append(part("strongs", ["text": .text(String(rest[start..<end.lowerBound]))]))
                rest = rest[end.upperBound...]
            } else if character == "[", let middle = rest.firstRange(of: "]("),
                let end = rest[middle.upperBound...].firstIndex(of: ")")
            {
                let label = rest[rest.index(after: rest.startIndex)..<middle.lowerBound].filter { $0 != "`" }
                if let href = href(rest[middle.upperBound..<end], names) {
                    flush()
                    found.append(part("links", ["href": .text(href), "text": .text(String(label))]))
                } else {
                    plain += label
                }
                rest = rest[rest.index(after: end)...]
            } else {
                plain.append(character)
                rest.removeFirst()
            }
        }
        flush()
        return found
    }

    /// The address of a link; nil for a document that the server has not.
    private static func href(_ target: Substring, _ names: Set<String>) -> String? {
        if target.hasPrefix("https://") { return String(target) }
        let file = target.prefix { $0 != "#" }
        guard file.hasSuffix(".md"), names.contains(String(file.dropLast(3))) else { return nil }
        return "/runbooks/\(file.dropLast(3))"
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String { String(self).trimmed }
}
