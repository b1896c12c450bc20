import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import OpenAPIValidation
import TestSupport
import Testing

/// The repository's description of Apple's endpoints, with its validation of requests and responses.
struct OpenAPIDescription {
    let text: String
    let schema: OpenAPISchema

    init() throws {
        let file = PackageFolder.file("docs/openapi/apple-external-purchase.json")
        text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        schema = OpenAPISchema(document: try JSONReader().read(text))
    }

    /// One operation: the method in lower case and the path with its variables in braces.
    struct Operation: Hashable, CustomStringConvertible {
        let method: String
        let template: String

        var description: String { "\(method) \(template)" }
    }

    var document: JSONObject { schema.document.objectValue ?? JSONObject() }

    var schemas: JSONObject { document["components"]?.objectValue?["schemas"]?.objectValue ?? JSONObject() }

    var operations: [(operation: Operation, content: JSONObject)] {
        (document["paths"]?.objectValue?.members ?? []).flatMap { path in
            (path.value.objectValue?.members ?? []).map { method in
                (Operation(method: method.key, template: path.key), method.value.objectValue ?? JSONObject())
            }
        }
    }

    /// The operation of a request; nil for other paths than Apple's.
    func operation(_ exchange: EmulatorUnderTest.Exchange) -> Operation? {
        let parts = exchange.path.prefix { $0 != "?" }.split(separator: "/")
        return operations.map(\.operation).first { operation in
            let template = operation.template.split(separator: "/")
            return operation.method == exchange.method.rawValue.lowercased() && template.count == parts.count
                && zip(template, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
    }

    private func content(of operation: Operation) throws -> JSONObject {
        try #require(operations.first { $0.operation == operation }?.content)
    }

    /// The media types of a response with a status, and whether the body may be absent.
    func response(_ operation: Operation, status: Int) throws -> (content: JSONObject, mayBeEmpty: Bool)? {
        let responses = try schema.object(content(of: operation)["responses"], "responses")
        guard let reference = responses[String(status)] else { return nil }
        let response = try schema.resolved(reference)
        return (response["content"]?.objectValue ?? JSONObject(), response["x-body-may-be-empty"] == .bool(true))
    }

    /// The violations of the description in a response.
    func violations(_ answer: EmulatorUnderTest.Answer, to operation: Operation) throws -> [String] {
        guard let response = try response(operation, status: answer.status) else {
            return ["\(operation): \(answer.status) is not described"]
        }
        if answer.body.isEmpty { return response.mayBeEmpty ? [] : ["\(operation): no body"] }
        guard let type = answer.contentType, let media = response.content[type]?.objectValue,
            let expected = media["schema"]
        else { return ["\(operation): \(answer.contentType ?? "no content type") is not described"] }
        guard type == "application/json" else { return try schema.violations(.string(answer.body), expected) }
        guard let value = answer.json else { return ["\(operation): the body is not JSON"] }
        return try schema.violations(value, expected).map { "\(operation) \(answer.status): \($0)" }
    }

    /// The violations of the description in a request body.
    func requestViolations(_ body: String, to operation: Operation) throws -> [String] {
        let media = try schema.object(content(of: operation)["requestBody"], "requestBody")["content"]?.objectValue
        let expected = try #require(media?["application/json"]?.objectValue?["schema"])
        guard let value = try? JSONReader().read(body) else { return ["\(operation): the body is not JSON"] }
        return try schema.violations(value, expected).map { "\(operation): \($0)" }
    }
}
