import ExternalPurchaseCore
import Foundation
import HTTPTypes
import OpenAPIValidation
import TestSupport

@testable import ReportingServer

/// The repository's description of the server, with its validation of requests and responses.
struct ServerContract: Sendable {
    let text: String
    let schema: OpenAPISchema
    let operations: [Operation]

    /// The description of the repository; tests read it once.
    static let repository = Result<ServerContract, any Error> {
        let file = PackageFolder.file("docs/openapi/external-purchase-server.json")
        return try ServerContract(String(decoding: Data(contentsOf: file), as: UTF8.self))
    }

    init(_ text: String) throws {
        self.text = text
        schema = OpenAPISchema(document: try JSONReader().read(text))
        let paths = try schema.object(schema.document.objectValue?["paths"], "paths")
        operations = try paths.members.flatMap { [schema] path in
            try schema.object(path.value, "a path").members.map { method in
                Operation(
                    method: method.key.uppercased(),
                    template: path.key,
                    content: try schema.object(method.value, "an operation")
                )
            }
        }
    }

    /// A method of a path.
    struct Operation: Sendable, CustomStringConvertible {
        let method: String
        let template: String
        let content: JSONObject

        /// The path of the router; a path of the description cannot name several segments.
        var route: String { content["x-route"]?.stringValue ?? template }
        var description: String { "\(method) \(template)" }

        /// The endpoint of the operation.
        var endpoint: Endpoint? { Endpoint.all.first { $0.method.rawValue == method && $0.path == route } }

        /// Returns the values of the path's parameters; nil for another path.
        func values(of path: String) -> [(name: String, value: String)]? {
            var values: [(name: String, value: String)] = []
            var rest = path.split(separator: "/")[...]
            let names = template.split(separator: "/")
            for (index, part) in route.split(separator: "/").enumerated() {
                let value = part == "**" ? Substring(rest.joined(separator: "/")) : rest.first ?? ""
                guard !value.isEmpty, part.hasPrefix("{") || part == "**" || part == value else { return nil }
                if names[index].hasPrefix("{") {
                    values.append((String(names[index].dropFirst().dropLast()), String(value)))
                }
                rest = part == "**" ? [] : rest.dropFirst()
            }
            return rest.isEmpty ? values : nil
        }
    }

    /// A request that the server answered.
    struct Exchange: Sendable {
        let method: String
        let path: String
        let query: [(name: String, value: String)]
        let body: [UInt8]
        let status: Int
        let headers: HTTPFields
        let answer: [UInt8]
    }

    /// Returns the deviations from the description.
    func violations(_ exchange: Exchange) throws -> [String] {
        let method = exchange.method == "HEAD" ? "GET" : exchange.method
        let found = operations.filter { $0.values(of: exchange.path) != nil }
        guard let operation = found.first(where: { $0.method == method }) else {
            return try undescribed(exchange, hasPath: !found.isEmpty)
        }
        var violations = try answerViolations(exchange, of: operation)
        if exchange.status < 400 { violations += try requestViolations(exchange, of: operation) }
        return violations.map { "\(operation) \(exchange.status): \($0)" }
    }

    /// What the description has not is refused; pages for people are not its matter.
    private func undescribed(_ exchange: Exchange, hasPath: Bool) throws -> [String] {
        let isInterface = exchange.path.hasPrefix("/v1/") || exchange.path.hasPrefix("/health/")
        guard hasPath || isInterface else { return [] }
        // A path without a key is 401 before it is looked up.
        let statuses = hasPath ? [401, 403, 405, 429] : [401, 403, 404, 405, 429, 503]
        let problem = try schema.resolve(.string("#/components/schemas/Problem"))
        let what = "\(exchange.method) \(exchange.path) \(exchange.status)"
        guard statuses.contains(exchange.status) else { return ["\(what): the path is not described"] }
        guard exchange.method != "HEAD" else { return [] }
        return try schema.violations(try JSONReader().read(exchange.answer), problem).map { "\(what): \($0)" }
    }

    private func answerViolations(_ exchange: Exchange, of operation: Operation) throws -> [String] {
        let responses = try schema.object(operation.content["responses"], "responses")
        guard let described = responses[String(exchange.status)] else { return ["the status is not described"] }
        let response = try schema.resolved(described)
        var violations: [String] = []
        for member in response["headers"]?.objectValue?.members ?? [] {
            let header = try schema.resolved(member.value)
            let value = HTTPField.Name(member.key).flatMap { exchange.headers[$0] }
            if let value {
                violations += try parameterViolations(value, header, at: member.key)
            } else if header["required"] == .bool(true) {
                violations.append("the header \(member.key) is missing")
            }
        }
        guard exchange.method != "HEAD" else { return violations }
        guard let content = response["content"]?.objectValue else {
            return violations + (exchange.answer.isEmpty ? [] : ["the answer has a body"])
        }
        let type = exchange.headers[.contentType].map { String($0.prefix { $0 != ";" }) }
        guard let type, let expected = content[type]?.objectValue?["schema"] else {
            return violations + ["the content type \(type ?? "none") is not described"]
        }
        if type == "application/x-ndjson" {
            for line in exchange.answer.split(separator: UInt8(ascii: "\n")) {
                violations += try schema.violations(try JSONReader().read(Array(line)), expected)
            }
            return violations
        }
        guard type.hasSuffix("json") else {
            return violations
                + (try schema.violations(.string(String(decoding: exchange.answer, as: UTF8.self)), expected))
        }
        return violations + (try schema.violations(try JSONReader().read(exchange.answer), expected))
    }

    /// Returns the deviations of a request that was accepted.
    private func requestViolations(_ exchange: Exchange, of operation: Operation) throws -> [String] {
        let parameters = try (operation.content["parameters"]?.arrayValue ?? []).map { try schema.resolved($0) }
        var violations: [String] = []
        func check(_ name: String, _ value: String, in place: String) throws {
            let known = parameters.first { $0["in"]?.stringValue == place && $0["name"]?.stringValue == name }
            if let known {
                violations += try parameterViolations(value, known, at: "\(place) \(name)")
            } else if operation.endpoint?.parameters != nil {
                violations.append("the parameter \(name) is not described")
            }
        }
        for (name, value) in exchange.query { try check(name, value, in: "query") }
        for (name, value) in operation.values(of: exchange.path) ?? [] {
            try check(name, value.removingPercentEncoding ?? value, in: "path")
        }
        for parameter in parameters
        where parameter["required"] == .bool(true) && parameter["in"]?.stringValue == "query" {
            let name = parameter["name"]?.stringValue ?? ""
            if !exchange.query.contains(where: { $0.name == name }) {
                violations.append("the parameter \(name) is missing")
            }
        }
        guard let request = operation.content["requestBody"]?.objectValue else {
            return violations
        }
        let media = try schema.object(request["content"], "the content of a request")["application/json"]
        let expected = try schema.object(media, "application/json")["schema"] ?? .bool(false)
        let body = try JSONReader().read(exchange.body)
        let accepted = try operation.template == "/v1/batch" ? batch(body, exchange) : body
        return violations + (try schema.violations(accepted, expected).map { "the request: \($0)" })
    }

    /// The items of a batch that were accepted; wrong ones are refused in their results.
    private func batch(_ body: JSONValue, _ exchange: Exchange) throws -> JSONValue {
        let results = try JSONReader().read(exchange.answer).objectValue?["results"]?.arrayValue ?? []
        let items = zip(body.objectValue?["items"]?.arrayValue ?? [], results)
            .filter { ($0.1.objectValue?["status"]?.int64Value ?? 0) < 400 }.map(\.0)
        // A batch without an accepted item has at least the form of one.
        return try items.isEmpty ? Self.example(schema) : ["items": .array(items)]
    }

    private static func example(_ schema: OpenAPISchema) throws -> JSONValue {
        let batch = try schema.resolve(.string("#/components/schemas/BatchRequest"))
        return batch.objectValue?["examples"]?.arrayValue?.first ?? .null
    }

    /// Returns the deviations of a parameter or header, whose text is read by the type of its schema.
    private func parameterViolations(_ text: String, _ parameter: JSONObject, at place: String) throws -> [String] {
        let schema = parameter["schema"] ?? .bool(true)
        let isNumber = try self.schema.resolved(schema)["type"]?.stringValue == "integer"
        let value: JSONValue = try isNumber ? JSONReader().read(text) : .string(text)
        return try self.schema.violations(value, schema, at: place)
    }
}
