import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore

extension LintReport {
    /// Prints the object of `lint --format json`, whose format is stable.
    ///
    /// The findings are printed one by one, because one value with all of them would need many times the memory.
    func printJSON(_ print: (String) -> Void) {
        print("{\"diagnostics\":[")
        var separator = ""
        for subject in subjects {
            for reported in subject.findings {
                print(separator)
                print(Self.text(of: Self.diagnostic(reported.finding)))
                separator = ","
            }
        }
        print("],")
        // The other members follow without the opening brace of their object.
        print(String(Self.text(of: .object(about)).dropFirst()))
    }

    private static func text(of value: JSONValue) -> String { String(decoding: value.encoded(), as: UTF8.self) }

    /// The members other than the findings.
    private var about: JSONObject {
        var members: JSONObject = [
            "summary": [
                "errors": .integer(Int64(count(.error))),
                "warnings": .integer(Int64(count(.warning))),
                "notes": .integer(Int64(count(.note))),
                "files": .integer(Int64(filesRead)),
            ],
            "rulePack": .string(pack.id),
        ]
        if let accepted {
            let baseline: JSONObject = [
                "accepted": .integer(Int64(accepted)), "stale": .array(stale.map(\.json)),
            ]
            members["baseline"] = .object(baseline)
        }
        if !unreadable.isEmpty {
            let files = unreadable.map { error in
                JSONValue.object(["file": .string(error.file), "message": .string(error.message)])
            }
            members["unreadable"] = .array(files)
        }
        return members
    }

    private static func diagnostic(_ finding: Finding) -> JSONValue {
        .object(
            JSONObject(
                [
                    .init("rule", .string(finding.rule)), .init("severity", .string(finding.severity.rawValue)),
                    .init("file", .string(finding.file)),
                ] + place(finding.position) + [
                    .init("key", text(finding.key)), .init("path", text(finding.path)),
                    .init("country", text(finding.country)), .init("message", .string(finding.message)),
                    .init("hint", text(finding.hint)), .init("fix", text(finding.fix)),
                    .init("edits", .array(finding.edits.map(edit))),
                    .init("related", .array(finding.related.map(related))),
                ]
            )
        )
    }

    private static func edit(_ edit: FindingEdit) -> JSONValue {
        .object(
            JSONObject(
                [
                    .init("extent", .string(edit.extent == .text ? "text" : "element")),
                    .init("replacement", .string(edit.replacement)),
                ] + place(edit.position)
            )
        )
    }

    private static func related(_ place: RelatedLocation) -> JSONValue {
        .object(
            JSONObject(
                [.init("file", .string(place.file))] + self.place(place.position) + [
                    .init("message", .string(place.message))
                ]
            )
        )
    }

    private static func place(_ position: SourcePosition?) -> [JSONObject.Member] {
        [
            .init("line", position.map { .integer(Int64($0.line)) } ?? .null),
            .init("column", position.map { .integer(Int64($0.column)) } ?? .null),
        ]
    }

    private static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
