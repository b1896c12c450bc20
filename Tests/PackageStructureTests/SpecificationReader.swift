import Foundation

/// The rules that docs/spec defines, and what the files of the repository cite of them.
///
/// A rule is defined by its anchor, `<a id="TK-74"></a>`. It ends with its paragraph or table row, or with the next
/// anchor; the mark `[descriptive]` in it says that no test can show it.
struct SpecificationReader {
    struct Rule {
        let id: String
        /// Of the anchor.
        let path: String
        let line: Int
        let isDescriptive: Bool

        var place: String { "\(path):\(line)" }
    }

    /// By id; of two anchors with one id the first.
    private(set) var rules: [String: Rule] = [:]
    /// Anchors whose id has an anchor before, with file and line.
    private(set) var repeatedAnchors: [String] = []
    /// Citations of ids without an anchor, with file and line.
    private(set) var danglingCitations: [String] = []
    /// Ids that files of tests cite, names of lint rules and diagnostics included.
    private var idsInTests: Set<String> = []

    /// The rules with behaviour that no file of tests cites.
    var untestedRules: [Rule] {
        rules.values
            .filter { !$0.isDescriptive && !idsInTests.contains($0.id) }
            .sorted { ($0.path, $0.line) < ($1.path, $1.line) }
    }

    /// Reads the rules of one chapter.
    mutating func readChapter(_ text: String, path: String) {
        var line = 1
        var paragraph: (line: Int, lines: [Substring]) = (1, [])
        for content in text.split(separator: "\n", omittingEmptySubsequences: false) {
            // Each row of a table stands alone.
            let isAlone = content.hasPrefix("|")
            if isAlone || content.allSatisfy(\.isWhitespace) {
                readParagraph(paragraph.lines.joined(separator: "\n"), line: paragraph.line, path: path)
                paragraph = (line + 1, [])
            }
            if isAlone {
                readParagraph(String(content), line: line, path: path)
            } else if !content.isEmpty {
                paragraph.lines.append(content)
            }
            line += 1
        }
        readParagraph(paragraph.lines.joined(separator: "\n"), line: paragraph.line, path: path)
    }

    private mutating func readParagraph(_ text: String, line: Int, path: String) {
        let parts = text.components(separatedBy: "<a id=\"")
        var line = line
        for (previous, part) in zip(parts, parts.dropFirst()) {
            line += previous.count { $0 == "\n" }
            guard let end = part.range(of: "\"></a>") else { continue }
            let id = String(part[..<end.lowerBound])
            let rule = Rule(id: id, path: path, line: line, isDescriptive: part.contains("[descriptive]"))
            if rules[id] == nil { rules[id] = rule } else { repeatedAnchors.append("\(rule.place): \(id)") }
        }
    }

    /// Reads the citations of one file, after all chapters.
    mutating func readCitations(_ text: String, path: String) {
        let isTest = path.hasPrefix("Tests/")
        var text = text
        text.withUTF8 { bytes in
            CitationScanner(bytes: bytes, readsNames: isTest).scan { citation in
                if isTest { idsInTests.insert(citation.id) }
                guard citation.needsRule, rules[citation.id] == nil else { return }
                let place = "\(path):\(citation.line): \(citation.id)"
                // The end of a range is cited by the range and by itself.
                if danglingCitations.last != place { danglingCitations.append(place) }
            }
        }
    }
}

extension SpecificationReader {
    private static let folders = [
        "Sources", "Tests", "Data", "docs", "Examples", "Plugins", "Benchmarks", "Fuzz", "Scripts", "Conformance",
    ]
    private static let files = [
        "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "Package.swift", "run",
    ]
    /// Certificates, profiles and other encoded files contain ids by chance.
    private static let encoded: Set<String> = [
        "mobileprovision", "pem", "cer", "der", "p8", "p12", "ipa", "zip", "png", "sqlite",
    ]

    /// Reads the repository.
    init(root: URL) throws {
        self.init()
        let specification = root.appending(path: "docs/spec")
        for name in try FileManager.default.contentsOfDirectory(atPath: specification.path).sorted()
        where name.hasSuffix(".md") {
            let text = try String(contentsOf: specification.appending(path: name), encoding: .utf8)
            readChapter(text, path: "docs/spec/\(name)")
        }
        let paths = try Self.files + Self.folders.flatMap { try Self.paths(below: $0, root: root) }
        // The samples of these files are no citations.
        for path in paths
        where !path.hasSuffix("/SpecificationReader.swift") && !path.hasSuffix("/SpecificationTests.swift")
            && !path.hasPrefix("Tests/Site/")
        {
            if let text = try Self.text(of: root.appending(path: path)) { readCitations(text, path: path) }
        }
    }

    /// The files of a folder at any depth, without links, hidden folders and what a fuzzer found.
    private static func paths(below folder: String, root: URL) throws -> [String] {
        var paths: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
        where !name.hasPrefix(".") && name != "Findings" {
            let path = "\(folder)/\(name)"
            let type = try FileManager.default.attributesOfItem(atPath: root.appending(path: path).path)[.type]
            switch type as? FileAttributeType {
            case .typeDirectory: paths += try self.paths(below: path, root: root)
            case .typeRegular where !encoded.contains(String(name.split(separator: ".").last ?? "")): paths.append(path)
            default: continue
            }
        }
        return paths
    }

    /// The text of a file, nil for a file that is not UTF-8 text.
    private static func text(of file: URL) throws -> String? {
        let data = try Data(contentsOf: file)
        return data.prefix(4_096).contains(0) ? nil : String(data: data, encoding: .utf8)
    }
}

/// Finds the ids that a text cites, byte by byte: regular expressions take minutes over the repository in a debug
/// build.
///
/// - Two letters of a family, a hyphen and a number: TK-74.
/// - A letter and a number, as `Choices with a letter`, conditions, rows and error codes are named: C12, E26, E4r.
///   Hexadecimal text, escapes (%C3, U+E9, \u{E9}), anchors of addresses and times of day (T12:00) are no citations.
/// - A range of either: "TK-81 to TK-85", "NT-20 … 36", "EX-5-to-EX-7", "C1–C12", "E1 through E40".
/// - Names of lint rules and diagnostics, `link-url-has-query`.
struct CitationScanner {
    struct Citation {
        let id: String
        let line: Int
        /// False between the ends of a range, where numbers may be free, for a value in quotes and for a name.
        let needsRule: Bool
    }

    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether names of lint rules and diagnostics are cited too.
    let readsNames: Bool

    private static let families: Set<String> = ["OV", "CF", "SK", "TK", "SA", "RR", "NT", "OB", "EX", "EK", "CS"]
    private static let largestNumber: [UInt8: Int] = [
        UInt8(ascii: "E"): 99, UInt8(ascii: "C"): 99, UInt8(ascii: "T"): 99, UInt8(ascii: "D"): 10,
        UInt8(ascii: "S"): 14, UInt8(ascii: "R"): 6,
    ]
    /// Bytes before a letter and a number that make it part of something else.
    private static let joining = Set("{%+#.-\\&;$".utf8)
    private static let rangeWords = ["-to-", "to", "through", "until", "...", "…", "–", "—"].map { Array($0.utf8) }
    private static let quote = UInt8(ascii: "\"")
    private static let hyphen = UInt8(ascii: "-")

    func scan(_ cite: (Citation) -> Void) {
        var line = 1
        var previous = UInt8(ascii: "\n")
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if !Self.isWord(previous) {
                if Self.isUpper(byte) {
                    readId(at: index, previous: previous, line: line, cite)
                } else if readsNames, Self.isLower(byte), previous != Self.hyphen {
                    readName(at: index, line: line, cite)
                }
            }
            previous = byte
        }
    }

    private func readId(at start: Int, previous: UInt8, line: Int, _ cite: (Citation) -> Void) {
        let isNumbered = Self.isUpper(byte(start + 1))
        let prefixEnd = isNumbered ? start + 3 : start + 1
        guard let (number, numberEnd) = number(at: prefixEnd) else { return }
        var end = numberEnd
        var isValue = false
        if isNumbered {
            guard previous != Self.hyphen, byte(start + 2) == Self.hyphen, !Self.isWord(byte(end)),
                Self.families.contains(text(start..<start + 2))
            else { return }
        } else {
            guard let largest = Self.largestNumber[bytes[start]], 1...largest ~= number,
                byte(prefixEnd) != UInt8(ascii: "0"), !Self.joining.contains(previous)
            else { return }
            if bytes[start] == UInt8(ascii: "E"), byte(end) == UInt8(ascii: "r") { end += 1 }
            guard isEnd(end), byte(end) != UInt8(ascii: ":") else { return }
            isValue = previous == Self.quote && byte(end) == Self.quote
        }
        cite(Citation(id: text(start..<end), line: line, needsRule: !isValue))
        guard end == numberEnd, let last = rangeEnd(at: end, prefix: start..<prefixEnd) else { return }
        guard number < last, last <= number + 60 else { return }
        let prefix = text(start..<prefixEnd)
        for between in number + 1..<last { cite(Citation(id: "\(prefix)\(between)", line: line, needsRule: false)) }
        cite(Citation(id: "\(prefix)\(last)", line: line, needsRule: true))
    }

    /// The last number of a range whose first id ends before an index.
    ///
    /// Its prefix may be left out: "TK-81 to 85".
    private func rangeEnd(at index: Int, prefix: Range<Int>) -> Int? {
        let start = skippingBlank(index)
        guard let word = Self.rangeWords.first(where: { has($0, at: start) }) else { return nil }
        var next = skippingBlank(start + word.count)
        if Self.isUpper(byte(next)) {
            guard has(Array(bytes[prefix]), at: next) else { return nil }
            next += prefix.count
        }
        guard let (number, end) = number(at: next), isEnd(end) else { return nil }
        return [UInt8(ascii: ":"), UInt8(ascii: "%")].contains(byte(end)) ? nil : number
    }

    private func readName(at start: Int, line: Int, _ cite: (Citation) -> Void) {
        var end = start
        var hyphens = 0
        while Self.isWord(byte(end)) || byte(end) == Self.hyphen {
            if Self.isUpper(byte(end)) || byte(end) == UInt8(ascii: "_") { return }
            if byte(end) == Self.hyphen { hyphens += 1 }
            end += 1
        }
        if hyphens > 0 { cite(Citation(id: text(start..<end), line: line, needsRule: false)) }
    }

    /// A number of at most three digits.
    private func number(at start: Int) -> (value: Int, end: Int)? {
        var value = 0
        var end = start
        while Self.isDigit(byte(end)), end < start + 3 {
            value = value * 10 + Int(byte(end) - UInt8(ascii: "0"))
            end += 1
        }
        return end == start ? nil : (value, end)
    }

    /// True where an id can end: not in a word, before "-1" or before ".a".
    private func isEnd(_ index: Int) -> Bool {
        if byte(index) == Self.hyphen { return !Self.isDigit(byte(index + 1)) }
        if byte(index) == UInt8(ascii: ".") { return !Self.isWord(byte(index + 1)) }
        return !Self.isWord(byte(index))
    }

    private func skippingBlank(_ index: Int) -> Int {
        byte(index) == UInt8(ascii: " ") ? index + 1 : index
    }

    private func has(_ expected: [UInt8], at index: Int) -> Bool {
        index + expected.count <= bytes.count && bytes[index..<index + expected.count].elementsEqual(expected)
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// The byte at an index, a line's end outside the text.
    private func byte(_ index: Int) -> UInt8 {
        index < bytes.count ? bytes[index] : UInt8(ascii: "\n")
    }

    private static func isUpper(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

    private static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLower(byte) || isUpper(byte) || isDigit(byte) || byte == UInt8(ascii: "_")
    }
}
