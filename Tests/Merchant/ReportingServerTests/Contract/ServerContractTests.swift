import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import OpenAPIValidation
import Reporting
import Testing

@testable import ReportingServer

@Suite("The description of the server is complete")
struct ServerContractTests {
    private let contract: ServerContract

    init() throws { contract = try ServerContract.repository.get() }

    @Test("The server answers the file of the repository, without a key too, and its entity tag")
    func served() async throws {
        let server = try AccessFixture()
        try await server.key(.admin)
        try await server.application().test(.router) { [contract] client throws in
            let answer = try await client.send(.get, "/openapi.json")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(String(buffer: answer.body) == contract.text)
            let tag = try #require(answer.headers[.eTag])
            #expect(answer.headers[.cacheControl] == "no-cache")
            #expect(try await client.send(.head, "/openapi.json").status == .ok)
            #expect(try await client.send(.post, "/openapi.json").status == .methodNotAllowed)
            let conditions: [(String, HTTPResponse.Status)] = [
                (tag, .notModified), ("\"other\", W/\(tag)", .notModified), ("*", .notModified), ("\"other\"", .ok),
                (String(tag.dropLast()), .ok), ("", .ok),
            ]
            for (condition, status) in conditions {
                let answer = try await client.send(.get, "/openapi.json", headers: [.ifNoneMatch: condition])
                #expect(answer.status == status, "\(condition)")
                #expect((answer.body.readableBytes == 0) == (status == .notModified))
                #expect(answer.headers[.eTag] == tag)
            }
        }
    }

    @Test("The public port does not have it")
    func publicPort() async throws {
        let server = try AccessFixture()
        let router = ReportingServer(system: server.system, links: [:]).publicRouter()
        try await Application(router: router).test(.router) { client throws in
            #expect(try await client.send(.get, "/openapi.json").status == .notFound)
        }
    }

    @Test("Each operation names the parameters of its path, and no query parameter twice")
    func operations() throws {
        for operation in contract.operations {
            let parameters = try (operation.content["parameters"]?.arrayValue ?? []).map {
                try contract.schema.resolved($0)
            }
            let query = parameters.filter { $0["in"]?.stringValue == "query" }.compactMap { $0["name"]?.stringValue }
            #expect(Set(query).count == query.count, "\(operation)")
            let inPath = parameters.filter { $0["in"]?.stringValue == "path" }.compactMap { $0["name"]?.stringValue }
            let named = operation.template.split(separator: "/").filter { $0.hasPrefix("{") }
            #expect(inPath == named.map { String($0.dropFirst().dropLast()) }, "\(operation)")
            let isOpen = operation.content["security"]?.arrayValue?.isEmpty == true
            #expect(operation.content["security"] == nil || isOpen)
            let scopes = operation.content["x-scopes"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(scopes.allSatisfy { KeyScope(rawValue: $0) != nil }, "\(operation)")
            #expect(scopes.isEmpty == isOpen, "\(operation)")
        }
        #expect(contract.operations.count > 30)
    }

    @Test("The filters of the lists and their values are those that the lists know", arguments: MerchantList.allCases)
    func filters(_ list: MerchantList) throws {
        let operation = try #require(contract.operations.first { $0.description == "GET /v1/\(list.rawValue)" })
        let parameters = try (operation.content["parameters"]?.arrayValue ?? []).map {
            try contract.schema.resolved($0)
        }
        let query = parameters.filter { $0["in"]?.stringValue == "query" }.compactMap { $0["name"]?.stringValue }
        #expect(Set(query) == Set(["limit", "after"] + list.parameterNames))
        for parameter in list.parameters {
            let found = try #require(parameters.first { $0["name"]?.stringValue == parameter.name.rawValue })
            let schema = try contract.schema.resolved(found["schema"])
            let values = schema["enum"]?.arrayValue?.compactMap(\.stringValue)
            #expect(values.map { Set($0) } == parameter.known.map { Set($0) }, "\(parameter.name)")
        }
    }

    @Test("It is OpenAPI 3.1, operations have names of their own, every reference has a target, every part is used")
    func references() throws {
        let document = try contract.schema.object(contract.schema.document, "the document")
        #expect(document["openapi"]?.stringValue == "3.1.0")
        let ids = contract.operations.compactMap { $0.content["operationId"]?.stringValue }
        #expect(Set(ids).count == contract.operations.count)
        var used: Set<String> = []
        func walk(_ value: JSONValue) throws {
            for member in value.objectValue?.members ?? [] {
                if member.key == "$ref" {
                    _ = try contract.schema.resolve(member.value)
                    used.insert(member.value.stringValue ?? "")
                }
                try walk(member.value)
            }
            for element in value.arrayValue ?? [] { try walk(element) }
        }
        try walk(contract.schema.document)
        let components = try contract.schema.object(document["components"], "components")
        for part in ["schemas", "parameters", "responses", "headers"] {
            for name in components[part]?.objectValue?.members.map(\.key) ?? [] {
                #expect(used.contains("#/components/\(part)/\(name)"), "\(name) is not used")
            }
        }
    }

    /// Every schema of the document, with its position.
    private func schemas() -> [(place: String, schema: JSONValue)] {
        var found: [(place: String, schema: JSONValue)] = []
        func schema(_ value: JSONValue, _ place: String) {
            found.append((place, value))
            for member in value.objectValue?.members ?? [] {
                let place = "\(place).\(member.key)"
                switch member.key {
                case "properties": for item in member.value.objectValue?.members ?? [] { schema(item.value, place) }
                case "oneOf", "anyOf": for item in member.value.arrayValue ?? [] { schema(item, place) }
                case "items", "not", "additionalProperties": schema(member.value, place)
                default: break
                }
            }
        }
        func walk(_ value: JSONValue, _ place: String) {
            for member in value.objectValue?.members ?? [] {
                let place = "\(place).\(member.key)"
                switch member.key {
                case "schema": schema(member.value, place)
                case "schemas":
                    for item in member.value.objectValue?.members ?? [] { schema(item.value, "\(place).\(item.key)") }
                default: walk(member.value, place)
                }
            }
            for element in value.arrayValue ?? [] { walk(element, place) }
        }
        walk(contract.schema.document, "$")
        return found
    }

    @Test("Every schema has only keywords that the tests understand, and its examples are valid")
    func examples() throws {
        let member: JSONObject = ["a": .null]
        let probes: [JSONValue] = [.null, .string("a"), .integer(1), .bool(true), .array([.null]), .object(member)]
        var count = 0
        for (place, schema) in schemas() {
            for probe in probes { _ = try contract.schema.violations(probe, schema) }
            for example in schema.objectValue?["examples"]?.arrayValue ?? [] {
                #expect(try contract.schema.violations(example, schema) == [], "\(place)")
                count += 1
            }
        }
        #expect(schemas().count > 500)
        #expect(count > 30)
    }

    @Test("The server takes the examples of the requests")
    func exampleRequests() async throws {
        let server = try AccessFixture()
        let example = { @Sendable [contract] (name: String) throws -> [String: Any] in
            let schema = try contract.schema.resolve(.string("#/components/schemas/\(name)"))
            let value = try #require(schema.objectValue?["examples"]?.arrayValue?.first)
            return try #require(JSONSerialization.jsonObject(with: Data(value.encoded())) as? [String: Any])
        }
        try await server.application().test(.router) { client throws in
            let token = "/v1/tokens/SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60"
            for (path, name, status) in [
                ("/v1/tokens", "TokenRequest", 201), ("/v1/sales", "Purchase", 201), ("/v1/sales", "Order", 201),
                ("/v1/sales", "SubscriptionCharge", 201), ("/v1/sales", "Refund", 201),
                ("/v1/erasures", "ErasureRequest", 200), ("\(token)/customer", "TokenCustomerRequest", 200),
                ("/v1/sales/refund-1/void", "VoidRequest", 200), ("/v1/batch", "BatchRequest", 200),
                ("/v1/corrections", "CorrectionConfirmation", 422), ("/v1/review/1", "ReviewDecision", 404),
            ] {
                let answer = try await client.send(.post, path, body: try example(name))
                #expect(answer.status.code == status, "\(name): \(String(buffer: answer.body))")
            }
        }
    }

    // MARK: The description can refuse

    /// The value with an error at one position, for every position: another type, or an unknown member.
    private static func wrong(_ value: JSONValue) -> [JSONValue] {
        var results: [JSONValue] = [value.arrayValue == nil ? .array([.bool(true)]) : .bool(true)]
        switch value {
        case .object(let object):
            results.append(.object(JSONObject(object.members + [.init("surprise", .null)])))
            for (index, member) in object.members.enumerated() {
                for wrong in wrong(member.value) {
                    var members = object.members
                    members[index].value = wrong
                    results.append(.object(JSONObject(members)))
                }
            }
        case .array(let array):
            for wrong in array.first.map(wrong) ?? [] { results.append(.array([wrong] + array.dropFirst())) }
        default: break
        }
        return results
    }

    private func exchange(
        _ answer: TestResponse,
        _ path: String,
        status: Int? = nil,
        type: String? = nil,
        body: JSONValue? = nil
    ) -> ServerContract.Exchange {
        var headers = answer.headers
        if let type { headers[.contentType] = type }
        return ServerContract.Exchange(
            method: "GET",
            path: path,
            query: [],
            body: [],
            status: status ?? Int(answer.status.code),
            headers: headers,
            answer: body?.encoded() ?? Array(answer.body.readableBytesView)
        )
    }

    @Test("An answer with an unknown status, type or member, a wrong one or without one differs")
    func refusals() async throws {
        let server = try AccessFixture()
        try await server.application().test(.router) { client throws in
            let sale = AccessFixture.sale("order-1")
            let token = ["token": AccessFixture.token("T"), "customerId": "c-1", "storefront": "NLD"]
            #expect(try await client.send(.post, "/v1/tokens", body: token).status == .created)
            #expect(try await client.send(.post, "/v1/sales", body: sale).status == .created)
            for path in [
                "/v1/sales", "/v1/sales/order-1", "/v1/tokens", "/v1/due", "/v1/tokens/unknown", "/v1/sales?limit=0",
                "/health/live",
            ] {
                let answer = try await client.send(.get, path)
                let bare = String(path.prefix { $0 != "?" })
                #expect(try contract.violations(exchange(answer, bare)) == [])
                let value = try JSONReader().read(Array(answer.body.readableBytesView))
                for wrong in Self.wrong(value) {
                    let violations = try contract.violations(exchange(answer, bare, body: wrong))
                    #expect(violations != [], "\(path): \(String(decoding: wrong.encoded(), as: UTF8.self))")
                }
                for member in value.objectValue?.members ?? [] {
                    let rest = JSONValue.object(
                        JSONObject(value.objectValue?.members.filter { $0.key != member.key } ?? [])
                    )
                    #expect(try contract.violations(exchange(answer, bare, body: rest)) != [], "\(path) \(member.key)")
                }
                #expect(try contract.violations(exchange(answer, bare, status: 418)) != [])
                #expect(try contract.violations(exchange(answer, bare, type: "text/html")) != [])
            }
            let missing = try await client.send(.get, "/v1/nothing")
            #expect(try contract.violations(exchange(missing, "/v1/nothing")) == [])
            #expect(try contract.violations(exchange(missing, "/v1/nothing", status: 200)) != [])
        }
    }

    @Test("A description without a member, status, method or path of the answer differs")
    func shorterDescriptions() async throws {
        let server = try AccessFixture()
        try await server.application().test(.router) { client throws in
            #expect(try await client.send(.post, "/v1/sales", body: AccessFixture.sale("order-1")).status == .created)
            let answer = try await client.send(.get, "/v1/sales")
            for (place, name) in [
                (["components", "schemas", "ListedSale", "properties"], "standing"),
                (["paths", "/v1/sales", "get", "responses"], "200"), (["paths", "/v1/sales"], "get"),
                (["paths"], "/v1/sales"),
            ] {
                var document = contract.schema.document
                document.remove(name, at: place[...])
                let shorter = try ServerContract(String(decoding: document.encoded(), as: UTF8.self))
                #expect(try shorter.violations(exchange(answer, "/v1/sales")) != [], "\(name)")
            }
        }
    }
}

extension JSONValue {
    /// Removes the member at the end of a path of members.
    fileprivate mutating func remove(_ name: String, at path: ArraySlice<String>) {
        guard case .object(var object) = self else { return }
        if let first = path.first {
            for index in object.members.indices where object.members[index].key == first {
                object.members[index].value.remove(name, at: path.dropFirst())
            }
        } else {
            object.members.removeAll { $0.key == name }
        }
        self = .object(object)
    }
}
