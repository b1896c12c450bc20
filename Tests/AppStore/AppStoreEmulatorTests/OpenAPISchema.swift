import ExternalPurchaseCore

/// The part of JSON Schema 2020-12 that the description uses: https://json-schema.org/draft/2020-12.
///
/// An unknown keyword throws, because a keyword that is ignored would prove nothing.
struct OpenAPISchema {
    /// The document that references point into.
    let document: JSONValue
    /// Whether members that the schema of an object does not name are violations.
    ///
    /// The description allows new members, but the emulator does not use any.
    var refusesUnnamed = true

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private static let annotations: Set<String> = [
        "title", "description", "example", "examples", "default", "discriminator", "deprecated",
    ]

    /// Returns the violations in a value, each with its position.
    func violations(_ value: JSONValue, _ schema: JSONValue, at place: String = "$") throws -> [String] {
        if case .bool(let takesAll) = schema { return takesAll ? [] : ["\(place): nothing is allowed"] }
        let schema = try object(schema, "a schema")
        var violations: [String] = []
        for member in schema.members {
            violations += try self.violations(value, keyword: member.key, member.value, in: schema, at: place)
        }
        return violations
    }

    /// The target of a `$ref`.
    func resolve(_ reference: JSONValue) throws -> JSONValue {
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
    func resolved(_ value: JSONValue?) throws -> JSONObject {
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
            return try isType(value, text(operand, keyword))
                ? [] : violation("is not of type \(try text(operand, keyword))")
        case "format":
            switch try text(operand, keyword) {
            case "int32":
                return value.int64Value.map { Int32(exactly: $0) != nil } ?? true ? [] : violation("beyond int32")
            case "int64": return Self.isBeyondInt64(value) ? violation("beyond int64") : []
            // The pattern beside it has the same meaning.
            case "uuid" where schema["pattern"] != nil: return []
            default: throw Unreadable(description: "format \(operand) is not known")
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
            return try string.firstMatch(of: Regex(text(operand, keyword))) != nil ? [] : violation("has another form")
        case "minimum", "exclusiveMinimum":
            guard case .number(let number) = value else { return [] }
            let (limit, isExclusive) = (try Double(integer(operand, keyword)), keyword != "minimum")
            // Doubles are sufficient for the limits 0, 1 and 10^12, which no rounding crosses.
            guard let found = Double(number.text) else { return violation("is no number") }
            return (isExclusive ? found > limit : found >= limit) ? [] : violation("\(keyword) \(limit)")
        case "minItems", "maxItems":
            guard let items = value.arrayValue else { return [] }
            let limit = try Int(integer(operand, keyword))
            return (keyword == "minItems" ? items.count >= limit : items.count <= limit) ? [] : violation(keyword)
        case "items":
            return try (value.arrayValue ?? []).enumerated().flatMap { index, item in
                try violations(item, operand, at: "\(place)[\(index)]")
            }
        case "required":
            guard let members = value.objectValue else { return [] }
            return try array(operand, keyword).map { try text($0, keyword) }
                .filter { members[$0] == nil }.flatMap { violation("lacks \($0)") }
        case "properties":
            return try properties(value, try object(operand, keyword), in: schema, at: place)
        case "additionalProperties":
            guard operand == .bool(false) else { throw Unreadable(description: "additionalProperties \(operand)") }
            let named = try object(schema["properties"], "properties")
            return unnamed(value, named).flatMap { violation("has \($0), which is not allowed") }
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
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("number", .number): true
        case ("integer", .number(let number)): number.integral != .fraction
        case ("object", _), ("array", _), ("string", _), ("boolean", _), ("number", _), ("integer", _): false
        default: throw Unreadable(description: "type \(type) is not known")
        }
    }

    private static func isBeyondInt64(_ value: JSONValue) -> Bool {
        if case .number(let number) = value { number.integral == .outOfRange } else { false }
    }

    /// Numbers are equal by value, in any spelling.
    private static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if let left = left.int64Value, let right = right.int64Value { return left == right }
        return left == right
    }

    // MARK: Reading the document

    func object(_ value: JSONValue?, _ what: String) throws -> JSONObject {
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
