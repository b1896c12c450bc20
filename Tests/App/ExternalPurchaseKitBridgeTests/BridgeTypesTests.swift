import ExternalPurchaseCore
import Foundation
import TestSupport
import Testing

@Suite("The TypeScript types are those of the schema (EK-50)")
struct BridgeTypesTests {
    private let schema: BridgeSchema
    /// The text of each type by its name.
    private let types: [String: String]

    init() throws {
        schema = try BridgeSchema()
        let text = try String(contentsOf: PackageFolder.file("docs/bridge/bridge-v1.d.ts"), encoding: .utf8)
        types = Dictionary(
            text.components(separatedBy: "\nexport type ").dropFirst().map { part in
                (String(part.prefix { $0 != " " }), part)
            }
        ) { first, _ in first }
    }

    private static func name(of definition: String) -> String {
        definition.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    @Test("Every definition has its type, with every member, constant and reference")
    func complete() throws {
        let definitions = schema.document.objectValue?["$defs"]?.objectValue?.members ?? []
        #expect(definitions.count > 60)
        for definition in definitions {
            let name = Self.name(of: definition.key)
            let type = try #require(types[name], "no type \(name)")
            for part in parts(of: definition.value) { #expect(type.contains(part), "\(name) lacks \(part)") }
        }
        #expect(types.count == definitions.count)
    }

    /// What the type of a definition must say.
    private func parts(of value: JSONValue) -> [String] {
        if let elements = value.arrayValue { return elements.flatMap(parts) }
        guard let object = value.objectValue else { return [] }
        var parts: [String] = []
        for member in object.members {
            switch member.key {
            case "$ref":
                parts.append(Self.name(of: String((member.value.stringValue ?? "").dropFirst("#/$defs/".count))))
            case "const", "enum":
                parts += (member.value.arrayValue ?? [member.value]).map {
                    String(decoding: $0.encoded(), as: UTF8.self)
                }
            case "properties":
                let required = object["required"]?.arrayValue ?? []
                for property in member.value.objectValue?.members ?? [] {
                    let mark = required.contains(.string(property.key)) ? ":" : "?:"
                    parts.append("  \(property.key)\(mark) ")
                    parts += self.parts(of: property.value)
                }
            default: parts += self.parts(of: member.value)
            }
        }
        return parts
    }
}
