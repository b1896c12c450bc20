import AppConfiguration
import ExternalPurchaseCore

/// The required type of a value (spec/01 sections 2 and 3).
enum Shape: Hashable, Sendable {
    case boolean
    case text
    case texts
    case textByCode
    case textsByCode

    /// Creates a shape from a type name of the rule packs.
    init?(_ name: String) {
        switch name {
        case "boolean": self = .boolean
        case "array<string>": self = .texts
        case "dictionary<string,string>": self = .textByCode
        case "dictionary<string,array<string>>": self = .textsByCode
        default: return nil
        }
    }

    /// The text after "must be" in messages.
    var description: String {
        switch self {
        case .boolean: "a Boolean"
        case .text: "a string"
        case .texts: "an array of strings"
        case .textByCode: "a dictionary of country codes and strings"
        case .textsByCode: "a dictionary of country codes and arrays of strings"
        }
    }

    /// A value of the type as a fragment of a property list.
    ///
    /// - Parameters:
    ///   - codes: region codes for the lists; not empty.
    ///   - isLink: true when the texts are links.
    ///   - isJSON: true for a description in JSON or YAML, which takes the same.
    func example(codes: [String], isLink: Bool, isJSON: Bool = false) -> String {
        guard !isJSON else { return exampleInJSON(codes: codes, isLink: isLink) }
        func link(_ code: String) -> String { "<string>https://shop.acme.example/\(code)</string>" }
        func text(_ code: String) -> String { isLink ? link(code) : "<string>\(code)</string>" }
        switch self {
        case .boolean: return "<true/>"
        case .text: return text(codes[0])
        case .texts: return "<array>\((isLink ? [codes[0]] : codes).map(text).joined())</array>"
        case .textByCode: return "<dict>\(codes.map { "<key>\($0)</key>\(link($0))" }.joined())</dict>"
        case .textsByCode:
            return "<dict>\(codes.map { "<key>\($0)</key><array>\(link($0))</array>" }.joined())</dict>"
        }
    }

    private func exampleInJSON(codes: [String], isLink: Bool) -> String {
        func link(_ code: String) -> String { "\"https://shop.acme.example/\(code)\"" }
        func text(_ code: String) -> String { isLink ? link(code) : "\"\(code)\"" }
        switch self {
        case .boolean: return "true"
        case .text: return text(codes[0])
        case .texts: return "[\((isLink ? [codes[0]] : codes).map(text).joined(separator: ", "))]"
        case .textByCode: return "{\(codes.map { "\"\($0)\": \(link($0))" }.joined(separator: ", "))}"
        case .textsByCode: return "{\(codes.map { "\"\($0)\": [\(link($0))]" }.joined(separator: ", "))}"
        }
    }

    /// True when the value has the type.
    ///
    /// Its content is checked separately.
    func admits(_ value: PropertyListValue) -> Bool {
        switch (self, value) {
        case (.boolean, .bool), (.text, .string), (.texts, .array), (.textByCode, .dictionary),
            (.textsByCode, .dictionary):
            true
        default: false
        }
    }
}

extension TypedValue {
    /// The member of the key with a value of the right type, as it is written in its file.
    func member(in context: LintContext) -> String {
        let key = location.key ?? ""
        return context.isDescription(location.file)
            ? "\"\(key)\": \(example(in: context))" : "<key>\(key)</key>\(example(in: context))"
    }

    /// The value in the right type, with the codes that it has.
    func example(in context: LintContext) -> String {
        let isLink = shape == .text || shape == .texts ? isLinkValue : false
        let path = location.path?.split(separator: "/").dropFirst().first.map(String.init)
        let own = isLink ? [path].compactMap { $0 } : node.value.texts
        let codes = own.filter { Country.region($0.lowercased()) != nil || $0 == "*" }.map { $0.lowercased() }
        let isAllowedRegions = location.key == Entitlement.allowedRegions.rawValue
        return shape.example(
            codes: codes.isEmpty ? [isAllowedRegions ? "jp" : "nl"] : Array(codes.prefix(3)),
            isLink: isLink,
            isJSON: context.isDescription(location.file)
        )
    }

    /// True for an element of a key whose dictionary contains links.
    private var isLinkValue: Bool {
        let keys: [PlistKey] = [.link, .multiLink, .linkAccount]
        return role == .element && keys.contains { $0.rawValue == location.key }
    }
}

extension PropertyListValue {
    /// The strings of a list, the keys of a dictionary, or a string.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements):
            elements.prefix(100).compactMap { node in
                guard case .string(let text) = node.value else { return nil }
                return text
            }
        case .dictionary(let members): members.prefix(100).map(\.key)
        default: []
        }
    }
}
