import ExternalPurchaseCore
import Foundation
import OpenAPIValidation
import TestSupport

/// `docs/wrapper-bridge.md`: the examples of its sections.
struct BridgePage {
    /// By the title of a section of the third level, in the chapters of methods and of events.
    let methods: [String: [JSONValue]]
    let events: [String: [JSONValue]]
    let all: [JSONValue]
    let text: String

    init() throws {
        text = try String(contentsOf: PackageFolder.file("docs/wrapper-bridge.md"), encoding: .utf8)
        let chapters = text.components(separatedBy: "\n## ")
        methods = try Self.sections(of: chapters.first { $0.hasPrefix("Methods\n") } ?? "")
        events = try Self.sections(of: chapters.first { $0.hasPrefix("Events\n") } ?? "")
        all = try Self.examples(in: text)
    }

    private static func sections(of chapter: String) throws -> [String: [JSONValue]] {
        var sections: [String: [JSONValue]] = [:]
        for section in chapter.components(separatedBy: "\n### `").dropFirst() {
            sections[String(section.prefix { $0 != "`" })] = try examples(in: section)
        }
        return sections
    }

    private static func examples(in text: String) throws -> [JSONValue] {
        try text.components(separatedBy: "```json\n").dropFirst().map { block in
            try JSONReader().read(block.components(separatedBy: "\n```")[0])
        }
    }
}

/// The schema of the bridge, judged by the validator of the OpenAPI descriptions.
struct BridgeSchema {
    let document: JSONValue
    private let validator: OpenAPISchema

    init() throws {
        let file = PackageFolder.file("docs/bridge/bridge-v1.schema.json")
        document = try JSONReader().read(Array(Data(contentsOf: file)))
        validator = OpenAPISchema(document: document)
    }

    /// The names of the definitions.
    var definitions: [String] { document.objectValue?["$defs"]?.objectValue?.members.map(\.key) ?? [] }

    func violations(of value: JSONValue, in definition: String) throws -> [String] {
        let reference = JSONValue.object(["$ref": .string("#/$defs/\(definition)")])
        return try validator.violations(value, reference)
    }
}
