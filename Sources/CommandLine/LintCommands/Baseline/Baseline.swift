import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// The findings that a project has accepted, so that only new ones are reported.
///
/// Entries contain file, path and value instead of line numbers, so that edits elsewhere in the file do not matter.
struct Baseline: Equatable {
    /// One accepted finding.
    struct Entry: Hashable {
        var rule: String
        /// The path relative to the folder of the baseline.
        var file: String
        /// The key path of the entry without array indices; the value identifies the element.
        var path: String?
        var country: String?
        var value: String?
    }

    /// The sorted entries; a finding that occurs twice has two entries.
    private(set) var entries: [Entry]
    private static let version: Int64 = 1

    init(entries: [Entry]) {
        self.entries = entries.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
    }

    /// The number of times each finding is accepted.
    var counts: [Entry: Int] { entries.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

    /// The folder to which the entries' paths are relative.
    static func folder(of path: String) -> String {
        let absolute = RelativePath.absolute(path)
        return absolute.lastIndex(of: "/").map { String(absolute[..<$0]) } ?? "/"
    }

    /// Reads a baseline file.
    init(reading path: String) throws(CommandFailure) {
        let bytes = try InputFile.read(path)
        let root: JSONValue
        do {
            root = try JSONReader().read(bytes)
        } catch {
            let reason = error.message(in: bytes)
            throw .input(
                "\(path.printable): is not a baseline: it \(reason); delete it and write it with --write-baseline"
            )
        }
        guard let object = root.objectValue, object["version"]?.int64Value == Self.version,
            let list = object["findings"]?.arrayValue
        else {
            throw .input(
                "\(path.printable): is not a baseline of version \(Self.version); write it with --write-baseline"
            )
        }
        var entries: [Entry] = []
        for (index, value) in list.enumerated() {
            guard let entry = Entry(value) else {
                throw .input("\(path.printable): findings[\(index)] has no 'rule' and 'file'; write it again")
            }
            entries.append(entry)
        }
        self.init(entries: entries)
    }

    /// Writes the file atomically; replaces only a baseline.
    func write(to path: String) throws(CommandFailure) {
        if FileManager.default.fileExists(atPath: path) {
            let existing = try InputFile.read(path)
            guard existing.isEmpty || (try? JSONReader().read(existing))?.objectValue?["findings"]?.arrayValue != nil
            else {
                throw .input("\(path.printable): is not a baseline and would be lost; delete it or name another file")
            }
        }
        let object: JSONObject = [
            "version": .integer(Self.version), "findings": .array(entries.map(\.json)),
        ]
        try AtomicFile.write(Array((JSONValue.object(object).formatted() + "\n").utf8), to: path)
    }
}

extension Baseline.Entry {
    /// Creates the entry of a finding.
    ///
    /// - Parameters:
    ///   - reported: the finding with its value.
    ///   - folder: the folder to which the file's path is relative.
    init(_ reported: LintReport.Reported, from folder: String) {
        let finding = reported.finding
        rule = finding.rule
        file = RelativePath.from(folder, to: finding.file)
        path = (finding.path ?? finding.key).map { path in
            path.split(separator: "/", omittingEmptySubsequences: false)
                .filter { $0.isEmpty || !$0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
                .joined(separator: "/")
        }
        country = finding.country
        value = reported.value.map(Self.short)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let object = value.objectValue, let rule = object["rule"]?.stringValue,
            let file = object["file"]?.stringValue
        else { return nil }
        self.rule = rule
        self.file = file
        path = object["path"]?.stringValue
        country = object["country"]?.stringValue
        self.value = object["value"]?.stringValue
    }

    /// The entry as JSON in the baseline file and in reports.
    var json: JSONValue {
        var members: JSONObject = ["rule": .string(rule), "file": .string(file)]
        if let path { members["path"] = .string(path) }
        if let country { members["country"] = .string(country) }
        if let value { members["value"] = .string(value) }
        return .object(members)
    }

    /// All fields in one text, by which entries are sorted and fingerprinted.
    fileprivate var sortKey: [UInt8] {
        Array([file, path ?? "", rule, country ?? "", value ?? ""].joined(separator: "\u{0}").utf8)
    }

    /// A stable fingerprint of 16 hexadecimal digits, by which other tools recognise a finding.
    var fingerprint: String { Self.hash(sortKey) }

    /// The maximum length of a value; longer values are replaced by their beginning and a hash.
    private static let valueLength = 200

    private static func short(_ value: String) -> String {
        let scalars = value.unicodeScalars
        guard scalars.count > valueLength else { return value }
        return String(String.UnicodeScalarView(scalars.prefix(valueLength))) + "…" + hash(Array(value.utf8))
    }

    /// The 64-bit FNV-1a hash (RFC 9923), which needs no library.
    private static func hash(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
