import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

extension LintReport {
    /// The findings as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
    var sarif: JSONValue {
        var log = SARIFLog()
        return log.object(of: self)
    }
}

/// Builds a log with one run; it lists every rule, so that results can refer to rules by index.
private struct SARIFLog {
    private static let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private static let repository = "https://github.com/OWNER/external-purchase"
    /// The base folder of paths, which is the checkout; readers of the log resolve it.
    private static let base = "%SRCROOT%"

    private let rules = ConfigurationLinter.rules
    private let indices: [String: Int]
    private var sources = SourceCache()
    private let folder = FileManager.default.currentDirectoryPath

    init() {
        let ids = rules.enumerated().map { ($0.element.id, $0.offset) }
        indices = Dictionary(ids) { first, _ in first }
    }

    mutating func object(of report: LintReport) -> JSONValue {
        let results = report.findings.map { result($0) }
        return .of(
            ("$schema", .string(Self.schema)),
            ("version", .string("2.1.0")),
            (
                "runs",
                .array([
                    .of(
                        ("tool", .of(("driver", driver))),
                        ("columnKind", .string("unicodeCodePoints")),
                        // Old files use CR alone as line break, which is not a default of the format.
                        ("newlineSequences", .array([.string("\r\n"), .string("\n"), .string("\r")])),
                        (
                            "originalUriBaseIds",
                            .of((Self.base, .of(("description", message("The folder in which the linter ran.")))))
                        ),
                        ("invocations", .array([invocation(report)])),
                        ("results", .array(results)),
                        ("properties", .of(("rulePack", .string(report.pack.id))))
                    )
                ])
            )
        )
    }

    private var driver: JSONValue {
        .of(
            ("name", .string("external-purchase-lint")),
            ("version", .string(CommandRun.version)),
            ("semanticVersion", .string(CommandRun.version)),
            ("informationUri", .string(Self.repository)),
            ("rules", .array(rules.map(rule)))
        )
    }

    private func rule(_ rule: RuleDescription) -> JSONValue {
        .of(
            ("id", .string(rule.id)),
            (
                "name",
                .string(rule.id.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
            ),
            ("shortDescription", message(rule.summary)),
            ("fullDescription", message(rule.summary)),
            ("helpUri", .string("\(Self.repository)/blob/main/\(rule.page)")),
            ("help", .of(("text", .string(rule.explanation)), ("markdown", .string(rule.explanation)))),
            ("defaultConfiguration", .of(("level", .string(rule.severity.rawValue)))),
            (
                "properties",
                .of(
                    ("tags", .array([.string("app-store"), .string("external-purchase")])),
                    ("problem.severity", .string(rule.severity == .note ? "recommendation" : rule.severity.rawValue)),
                    ("precision", .string("very-high")),
                    ("fixable", .bool(rule.isFixable))
                )
            )
        )
    }

    private func invocation(_ report: LintReport) -> JSONValue {
        let notifications = report.unreadable.map { error in
            JSONValue.of(
                ("level", .string("error")),
                ("message", message(error.message)),
                ("locations", .array([location(error.file, error.position)]))
            )
        }
        return .of(
            ("executionSuccessful", .bool(report.unreadable.isEmpty)),
            ("toolExecutionNotifications", .array(notifications))
        )
    }

    private mutating func result(_ reported: LintReport.Reported) -> JSONValue {
        let finding = reported.finding
        var members: [(String, JSONValue)] = [("ruleId", .string(finding.rule))]
        if let index = indices[finding.rule] { members.append(("ruleIndex", .integer(Int64(index)))) }
        members += [
            ("level", .string(finding.severity.rawValue)),
            ("message", message([finding.message, finding.hint].compactMap { $0 }.joined(separator: ". "))),
            ("locations", .array([location(finding.file, finding.position, path: finding.path ?? finding.key)])),
        ]
        if !finding.related.isEmpty {
            let places = finding.related.enumerated().map { index, place in
                location(place.file, place.position, id: index, message: place.message)
            }
            members.append(("relatedLocations", .array(places)))
        }
        let entry = Baseline.Entry(reported, from: folder)
        members.append(("partialFingerprints", .of(("externalPurchaseLint/v1", .string(entry.fingerprint)))))
        if let fix = fix(finding) { members.append(("fixes", .array([fix]))) }
        var properties: [(String, JSONValue)] = []
        if let key = finding.key { properties.append(("key", .string(key))) }
        if let country = finding.country { properties.append(("country", .string(country))) }
        if !properties.isEmpty { members.append(("properties", .of(properties))) }
        return .of(members)
    }

    private func location(
        _ file: String,
        _ position: SourcePosition?,
        path: String? = nil,
        id: Int? = nil,
        message text: String? = nil
    ) -> JSONValue {
        var physical: [(String, JSONValue)] = [("artifactLocation", artifact(file))]
        if let position {
            let region: [(String, JSONValue)] = [
                ("startLine", .integer(Int64(position.line))), ("startColumn", .integer(Int64(position.column))),
            ]
            physical.append(("region", .of(region)))
        }
        var members: [(String, JSONValue)] = []
        if let id { members.append(("id", .integer(Int64(id)))) }
        members.append(("physicalLocation", .of(physical)))
        if let path {
            let logical = JSONValue.of(("fullyQualifiedName", .string(path)), ("kind", .string("member")))
            members.append(("logicalLocations", .array([logical])))
        }
        if let text { members.append(("message", message(text))) }
        return .of(members)
    }

    private func artifact(_ file: String) -> JSONValue {
        let relative = RelativePath.from(folder, to: file)
        guard !relative.hasPrefix("../") else {
            return .of(("uri", .string("file://" + Self.percentEncoded(RelativePath.absolute(file)))))
        }
        return .of(("uri", .string(Self.percentEncoded(relative))), ("uriBaseId", .string(Self.base)))
    }

    /// The fix of a finding; nil if one of its edits spans several lines, as some removals of collections do.
    private mutating func fix(_ finding: Finding) -> JSONValue? {
        guard !finding.edits.isEmpty, let source = sources[finding.file] else { return nil }
        var replacements: [JSONValue] = []
        for edit in finding.edits {
            guard let position = edit.position, let element = source.element(at: position) else { return nil }
            guard let columns = edit.extent == .text ? element.text : element.whole else { return nil }
            let inserted = edit.extent == .text ? edit.replacement.xmlEscaped : edit.replacement
            replacements.append(
                .of(
                    (
                        "deletedRegion",
                        .of(
                            ("startLine", .integer(Int64(position.line))),
                            ("startColumn", .integer(Int64(columns.lowerBound + 1))),
                            ("endLine", .integer(Int64(position.line))),
                            ("endColumn", .integer(Int64(columns.upperBound + 1)))
                        )
                    ),
                    ("insertedContent", .of(("text", .string(inserted))))
                )
            )
        }
        let change = JSONValue.of(
            ("artifactLocation", artifact(finding.file)),
            ("replacements", .array(replacements))
        )
        return .of(
            ("description", message(finding.hint ?? "Repair it.")),
            ("artifactChanges", .array([change]))
        )
    }

    private func message(_ text: String) -> JSONValue { .of(("text", .string(text))) }

    /// The path percent-encoded by RFC 3986, including colons, which could be read as a scheme.
    private static func percentEncoded(_ path: String) -> String {
        path.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }
}

extension JSONValue {
    fileprivate static func of(_ members: (String, JSONValue)...) -> JSONValue { of(members) }

    fileprivate static func of(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }
}
