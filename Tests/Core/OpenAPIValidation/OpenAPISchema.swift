package import ExternalPurchaseCore
import Synchronization

/// The part of JSON Schema 2020-12 that the descriptions use: https://json-schema.org/draft/2020-12.
///
/// An unknown keyword throws, because a keyword that is ignored would prove nothing.
package struct OpenAPISchema: Sendable {
    /// The document that references point into.
    package let document: JSONValue
    /// Whether members that the schema of an object does not name are violations.
    ///
    /// The descriptions allow new members, but the servers do not use any.
    package var refusesUnnamed = true

    package init(document: JSONValue) {
        self.document = document
    }

    /// The document contains something that the validator does not understand.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    private static let annotations: Set<String> = [
        "title", "description", "example", "examples", "default", "discriminator", "deprecated",
    ]

    /// Returns the violations in a value, each with its position.
    package func violations(_ value: JSONValue, _ schema: JSONValue, at place: String = "$") throws -> [String] {
        if case .bool(let takesAll) = schema { return takesAll ? [] : ["\(place): nothing is allowed"] }
        let schema = try object(schema, "a schema")
        var violations: [String] = []
        for member in schema.members {
            violations += try self.violations(value, keyword: member.key, member.value, in: schema, at: place)
        }
        return violations
    }

    /// The target of a `$ref`.
    package func resolve(_ reference: JSONValue) throws -> JSONValue {
        guard let text = reference.stringValue, text.hasPrefix("#/") else {
            throw Unreadable(description: "not a reference into the document: \(reference)")
        }
        var found = document
        for part in text.dropFirst(2).split(separator: "/") {
            let key = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            guard let next = found.objectValue?[key] else { throw Unreadable(description: "\(text) is not there") }
            found = next
        }
        return found
    }

    /// The object itself, or the target of its `$ref`.
    package func resolved(_ value: JSONValue?) throws -> JSONObject {
        let object = try object(value, "a referenced object")
        return try object["$ref"].map { try self.object(resolve($0), "a reference's target") } ?? object
    }

    private func violations(
        _ value: JSONValue,
        keyword: String,
        _ operand: JSONValue,
        in schema: JSONObject,
        at place: String
    ) throws -> [String] {
        func violation(_ text: String) -> [String] { ["\(place): \(text)"] }
        switch keyword {
        case "$ref":
            return try violations(value, resolve(operand), at: place)
        case "type":
            let types = try (operand.arrayValue ?? [operand]).map { try text($0, keyword) }
            return try types.contains { try isType(value, $0) }
                ? [] : violation("is not of type \(types.joined(separator: " or "))")
        case "format":
            switch try text(operand, keyword) {
            case "int32":
                return value.int64Value.map { Int32(exactly: $0) != nil } ?? true ? [] : violation("beyond int32")
            case "int64": return Self.isBeyondInt64(value) ? violation("beyond int64") : []
            case let format:
                guard let form = Self.forms[format] else {
                    throw Unreadable(description: "format \(format) is not known")
                }
                guard let string = value.stringValue else { return [] }
                return try Self.matches(string, form) ? [] : violation("is no \(format)")
            }
        case "const":
            return Self.areEqual(value, operand) ? [] : violation("is not the one value that it may have")
        case "enum":
            return try array(operand, keyword).contains { Self.areEqual(value, $0) } ? [] : violation("is not listed")
        case "minLength", "maxLength":
            guard let text = value.stringValue else { return [] }
            let (count, limit) = (text.unicodeScalars.count, try Int(integer(operand, keyword)))
            return (keyword == "minLength" ? count >= limit : count <= limit) ? [] : violation("\(keyword) \(limit)")
        case "pattern":
            guard let string = value.stringValue else { return [] }
            return try Self.matches(string, text(operand, keyword)) ? [] : violation("has another form")
        case "minimum", "exclusiveMinimum", "maximum":
            guard case .number(let number) = value else { return [] }
            let limit = try integer(operand, keyword)
            // Doubles are sufficient for numbers with a fraction: no rounding crosses the limits.
            let isBelow = value.int64Value.map { $0 < limit } ?? ((Double(number.text) ?? .nan) < Double(limit))
            let isEqual = value.int64Value.map { $0 == limit } ?? ((Double(number.text) ?? .nan) == Double(limit))
            let holds =
                switch keyword {
                case "minimum": !isBelow
                case "exclusiveMinimum": !isBelow && !isEqual
                default: isBelow || isEqual
                }
            return holds ? [] : violation("\(keyword) \(limit)")
        case "minItems", "maxItems":
            guard let items = value.arrayValue else { return [] }
            let limit = try Int(integer(operand, keyword))
            return (keyword == "minItems" ? items.count >= limit : items.count <= limit) ? [] : violation(keyword)
        case "items":
            return try (value.arrayValue ?? []).enumerated().flatMap { index, item in
                try violations(item, operand, at: "\(place)[\(index)]")
            }
        case "uniqueItems":
            let items = value.arrayValue ?? []
            return operand == .bool(false) || Set(items).count == items.count ? [] : violation("repeats an element")
        case "maxProperties":
            guard let members = value.objectValue?.members else { return [] }
            return try members.count <= Int(integer(operand, keyword)) ? [] : violation(keyword)
        case "propertyNames":
            return try (value.objectValue?.members ?? []).flatMap { member in
                try violations(.string(member.key), operand, at: "\(place).\(member.key)")
            }
        case "required":
            guard let members = value.objectValue else { return [] }
            return try array(operand, keyword).map { try text($0, keyword) }
                .filter { members[$0] == nil }.flatMap { violation("lacks \($0)") }
        case "properties":
            return try properties(value, try object(operand, keyword), in: schema, at: place)
        case "additionalProperties":
            let named = schema["properties"]?.objectValue ?? JSONObject()
            let others = unnamed(value, named)
            if operand == .bool(false) { return others.flatMap { violation("has \($0), which is not allowed") } }
            return try others.flatMap { name in
                try violations(value.objectValue?[name] ?? .null, operand, at: "\(place).\(name)")
            }
        case "dependentRequired":
            guard let members = value.objectValue else { return [] }
            return try object(operand, keyword).members.filter { members[$0.key] != nil }.flatMap { member in
                try array(member.value, keyword).map { try text($0, keyword) }
                    .filter { members[$0] == nil }.flatMap { violation("lacks \($0), which \(member.key) needs") }
            }
        case "oneOf":
            let verdicts = try array(operand, keyword).map { try violations(value, $0, at: place) }
            let count = verdicts.count { $0.isEmpty }
            return count == 1 ? [] : violation("meets \(count) of oneOf: \(verdicts.joined().sorted())")
        case "anyOf":
            let verdicts = try array(operand, keyword).map { try violations(value, $0, at: place) }
            return verdicts.contains { $0.isEmpty }
                ? [] : violation("meets none of anyOf: \(verdicts.joined().sorted())")
        case "not":
            return try violations(value, operand, at: place).isEmpty ? violation("is what it must not be") : []
        case "if":
            let holds = try violations(value, operand, at: place).isEmpty
            return try holds ? violations(value, schema["then"] ?? .bool(true), at: place) : []
        case "then" where schema["if"] != nil:
            return []
        default:
            guard Self.annotations.contains(keyword) || keyword.hasPrefix("x-") else {
                throw Unreadable(description: "keyword \(keyword) at \(place) is not known")
            }
            return []
        }
    }

    private func properties(
        _ value: JSONValue,
        _ named: JSONObject,
        in schema: JSONObject,
        at place: String
    ) throws -> [String] {
        guard let members = value.objectValue else { return [] }
        var violations = members.repeatedKeys.map { "\(place): \($0) occurs more than once" }
        for member in members.members {
            guard let schema = named[member.key] else { continue }
            violations += try self.violations(member.value, schema, at: "\(place).\(member.key)")
        }
        // Schemas without a type are conditions, which only name the members that they test.
        if refusesUnnamed, schema["type"] != nil, schema["additionalProperties"] == nil {
            violations += unnamed(value, named).map { "\(place): has \($0), which the description does not name" }
        }
        return violations
    }

    private func unnamed(_ value: JSONValue, _ named: JSONObject) -> [String] {
        (value.objectValue?.members ?? []).map(\.key).filter { named[$0] == nil }
    }

    private func isType(_ value: JSONValue, _ type: String) throws -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("number", .number),
            ("null", .null):
            true
        case ("integer", .number(let number)): number.integral != .fraction
        case ("object", _), ("array", _), ("string", _), ("boolean", _), ("number", _), ("integer", _), ("null", _):
            false
        default: throw Unreadable(description: "type \(type) is not known")
        }
    }

    /// The patterns of the formats of texts.
    private static let forms = [
        "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        "date-time":
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
    ]

    /// Whether a text has a match of a pattern, by Unicode scalars as JSON Schema counts them.
    private static func matches(_ text: String, _ pattern: String) throws -> Bool {
        try patterns.withLock { patterns in
            let regex = try patterns[pattern] ?? Regex(pattern).matchingSemantics(.unicodeScalar)
            patterns[pattern] = regex
            return text.firstMatch(of: regex) != nil
        }
    }

    /// Parsed patterns: every request of a test is held against the description, and parsing takes longer than matching.
    private static let patterns = Mutex<[String: Regex<AnyRegexOutput>]>([:])

    private static func isBeyondInt64(_ value: JSONValue) -> Bool {
        if case .number(let number) = value { number.integral == .outOfRange } else { false }
    }

    /// Numbers are equal by value, in any spelling.
    private static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if let left = left.int64Value, let right = right.int64Value { return left == right }
        return left == right
    }

    // MARK: Reading the document

    package func object(_ value: JSONValue?, _ what: String) throws -> JSONObject {
        guard let object = value?.objectValue else { throw Unreadable(description: "\(what) is not an object") }
        return object
    }

    private func array(_ value: JSONValue, _ keyword: String) throws -> [JSONValue] {
        guard let array = value.arrayValue else { throw Unreadable(description: "\(keyword) is not an array") }
        return array
    }

    private func text(_ value: JSONValue, _ keyword: String) throws -> String {
        guard let text = value.stringValue else { throw Unreadable(description: "\(keyword) is not a text") }
        return text
    }

    private func integer(_ value: JSONValue, _ keyword: String) throws -> Int64 {
        guard let integer = value.int64Value else { throw Unreadable(description: "\(keyword) is not a whole number") }
        return integer
    }
}
