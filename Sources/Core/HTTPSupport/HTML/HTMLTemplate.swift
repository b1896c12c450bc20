/// A page of `Web/` with placeholders for values.
///
/// The syntax is the part of [Mustache](https://mustache.github.io/mustache.5.html) that the pages use:
///
/// - `{{name}}` inserts text, escaped for element content and quoted attributes.
/// - `{{{name}}}` inserts markup unescaped: a filled template, or a style sheet, a script or JSON of this package.
/// - `{{#name}}…{{/name}}` is repeated for every element of a list, or included if a condition is true.
/// - `{{^name}}…{{/name}}` is included if the list is empty or the condition is false.
///
/// Text is escaped by Unicode scalar: a quotation mark with a combining character behind it is one `Character` and would
/// still end an attribute.
///
/// A line that contains only a section's tag is removed. A name inside an element of a list is looked up in that
/// element first, then outside of it. Inserted text is not searched for placeholders.
package struct HTMLTemplate: Sendable {
    package typealias Values = [String: Value]

    package enum Value: Sendable {
        case text(String)
        /// Text that is inserted unescaped; only a filled template or a file of this package.
        case markup(String)
        case condition(Bool)
        case list([Values])
    }

    private enum Node {
        case literal(Substring)
        case text(name: Substring, isEscaped: Bool)
        case section(name: Substring, isInverted: Bool, content: [Node])
    }

    private let nodes: [Node]

    /// Parses a template.
    ///
    /// Templates are compiled in, so a malformed one is a programming error, which the tests of its page detect.
    package init(_ source: String) {
        var parser = Parser(source)
        nodes = parser.content(of: nil)
    }

    /// Returns the page with the given values; every name needs a value.
    package func filled(with values: Values) -> String {
        var result = ""
        Self.append(nodes, with: [values], to: &result)
        return result
    }

    private static func append(_ nodes: [Node], with scopes: [Values], to result: inout String) {
        func value(_ name: Substring) -> Value {
            guard let value = scopes.reversed().lazy.compactMap({ $0[String(name)] }).first else {
                preconditionFailure("the page's template has a placeholder without a value: \(name)")
            }
            return value
        }
        for node in nodes {
            switch node {
            case .literal(let text):
                result += text
            case .text(let name, let isEscaped):
                switch (value(name), isEscaped) {
                case (.text(let text), true): result += escaped(text)
                case (.markup(let text), false): result += text
                default: preconditionFailure("the value of the page's placeholder \(name) is of another kind")
                }
            case .section(let name, let isInverted, let content):
                switch value(name) {
                case .text, .markup: preconditionFailure("the value of the page's section \(name) is a text")
                case .condition(let isTrue):
                    if isTrue != isInverted { append(content, with: scopes, to: &result) }
                case .list(let elements):
                    if isInverted {
                        if elements.isEmpty { append(content, with: scopes, to: &result) }
                    } else {
                        for element in elements { append(content, with: scopes + [element], to: &result) }
                    }
                }
            }
        }
    }

    /// Returns text escaped for element content and quoted attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private struct Parser {
        private var rest: Substring

        init(_ source: String) {
            // The last line has no line break.
            let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
            let text = lines.dropLast().map { Self.sectionTag(alone: $0) ?? $0 + "\n" }.joined()
            rest = text + lines[lines.count - 1]
        }

        /// The section tag of a line that contains nothing else; nil for other lines.
        private static func sectionTag(alone line: Substring) -> Substring? {
            let tag = line.drop { $0 == " " }
            let isSection = ["{{#", "{{^", "{{/"].contains { tag.hasPrefix($0) }
            return isSection && tag.firstRange(of: "}}")?.upperBound == tag.endIndex ? tag : nil
        }

        /// The nodes up to the end of a section or of the template.
        mutating func content(of section: Substring?) -> [Node] {
            var nodes: [Node] = []
            while let opening = rest.firstRange(of: "{{") {
                if opening.lowerBound > rest.startIndex { nodes.append(.literal(rest[..<opening.lowerBound])) }
                rest = rest[opening.upperBound...]
                switch rest.first {
                case "#": nodes.append(self.section(isInverted: false))
                case "^": nodes.append(self.section(isInverted: true))
                case "{": nodes.append(.text(name: name(between: "{", and: "}}}"), isEscaped: false))
                case "/":
                    let closed = name(between: "/", and: "}}")
                    precondition(closed == section, "the page's template closes \(closed) out of turn")
                    return nodes
                default: nodes.append(.text(name: name(between: "", and: "}}"), isEscaped: true))
                }
            }
            precondition(section == nil, "the page's template does not close a section")
            if !rest.isEmpty { nodes.append(.literal(rest)) }
            return nodes
        }

        private mutating func section(isInverted: Bool) -> Node {
            let name = name(between: isInverted ? "^" : "#", and: "}}")
            return .section(name: name, isInverted: isInverted, content: content(of: name))
        }

        private mutating func name(between opening: String, and closing: String) -> Substring {
            let start = rest.dropFirst(opening.count)
            guard let end = start.firstRange(of: closing) else {
                preconditionFailure("the page's template does not close a placeholder")
            }
            let name = start[..<end.lowerBound]
            precondition(!name.isEmpty && name.allSatisfy(\.isLetter), "'\(name)' is no name of a placeholder")
            rest = start[end.upperBound...]
            return name
        }
    }
}

extension HTMLTemplate.Value: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
}

extension HTMLTemplate.Value: ExpressibleByBooleanLiteral {
    package init(booleanLiteral condition: Bool) { self = .condition(condition) }
}

extension HTMLTemplate.Value: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: HTMLTemplate.Values...) { self = .list(elements) }
}
