import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import OpenAPIValidation
import Testing

@Suite("The description of Apple's endpoints is complete")
struct OpenAPIDescriptionTests {
    private let description: OpenAPIDescription

    init() throws { description = try OpenAPIDescription() }

    @Test("The emulator serves the file of the repository, to GET only")
    func served() async throws {
        let text = description.text
        try await EmulatorUnderTest.run { emulator in
            let answer = try await emulator.call(.GET, "/openapi.json")
            #expect(answer.status == 200)
            #expect(answer.contentType == "application/json")
            #expect(answer.body + "\n" == text)
            #expect(try await emulator.call(.DELETE, "/openapi.json").status == 405)
            // Reading the description is not a request to Apple's paths.
            #expect(try await emulator.journal().isEmpty)
        }
    }

    @Test("It is OpenAPI 3.1 and every operation has every status of its endpoint, no more (spec/04 section 3, NT-70)")
    func statuses() throws {
        #expect(description.document["openapi"]?.stringValue == "3.1.0")
        let expected: [String: Set<String>] = [
            "put /externalPurchase/v1/reports": ["200", "400", "401", "429", "500"],
            "get /externalPurchase/v1/reports/{requestIdentifier}": ["200", "400", "401", "429", "500"],
            "post /inApps/v1/notifications/test": ["200", "401", "404", "429", "500"],
            "get /inApps/v1/notifications/test/{testNotificationToken}": ["200", "400", "401", "404", "429", "500"],
            "post /inApps/v1/notifications/history": ["200", "400", "401", "404", "429", "500"],
        ]
        let found = description.operations.map { operation, content in
            (operation.description, Set(content["responses"]?.objectValue?.members.map(\.key) ?? []))
        }
        #expect(Dictionary(uniqueKeysWithValues: found) == expected)
        let ids = description.operations.compactMap { $0.content["operationId"]?.stringValue }
        #expect(Set(ids).count == expected.count)
    }

    @Test("Every reference has a target and every schema is used")
    func references() throws {
        var used: Set<String> = []
        func walk(_ value: JSONValue) throws {
            switch value {
            case .object(let object):
                for member in object.members {
                    if member.key == "$ref" {
                        _ = try description.schema.resolve(member.value)
                        used.insert(member.value.stringValue ?? "")
                    } else if member.key == "mapping" {
                        for target in member.value.objectValue?.members ?? [] {
                            _ = try description.schema.resolve(target.value)
                        }
                    } else {
                        try walk(member.value)
                    }
                }
            case .array(let array):
                for element in array { try walk(element) }
            default: break
            }
        }
        try walk(description.schema.document)
        for schema in description.schemas.members.map(\.key)
        where !["ReportErrorCode", "NotificationPayload"].contains(schema) {
            #expect(used.contains("#/components/schemas/\(schema)"), "\(schema) is not used")
        }
    }

    @Test("Every schema uses only keywords that are understood")
    func keywords() throws {
        let member: JSONObject = ["a": .null]
        let probes: [JSONValue] = [.null, .string("a"), .integer(1), .array([.null]), .object(member)]
        var count = 0
        func check(_ schema: JSONValue) throws {
            count += 1
            for probe in probes { _ = try description.schema.violations(probe, schema) }
            for member in schema.objectValue?.members ?? [] {
                switch member.key {
                case "properties": for property in member.value.objectValue?.members ?? [] { try check(property.value) }
                case "oneOf": for choice in member.value.arrayValue ?? [] { try check(choice) }
                case "items", "not", "if", "then": try check(member.value)
                default: break
                }
            }
        }
        for schema in description.schemas.members { try check(schema.value) }
        #expect(count > 200)
        #expect(throws: OpenAPISchema.Unreadable.self) {
            try description.schema.violations(.null, ["minimumLength": .integer(1)])
        }
    }

    @Test("The description contains the error codes with their names, texts, fields and line items (SA-21)")
    func codes() throws {
        let code = try #require(description.schemas["ReportErrorCode"]?.objectValue)
        let all = ReportErrorEntry.all
        #expect(code["enum"]?.arrayValue?.compactMap(\.int64Value) == all.map { Int64($0.code.rawValue) })
        #expect(code["x-enum-varnames"]?.arrayValue?.compactMap(\.stringValue) == all.map(\.name))
        #expect(code["x-enum-descriptions"]?.arrayValue?.compactMap(\.stringValue) == all.map(\.message))
        for entry in all {
            let schema = try #require(description.schemas[entry.name]?.objectValue, "\(entry.name)")
            let members = try #require(schema["properties"]?.objectValue)
            let required = schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(members["errorCode"]?.objectValue?["const"]?.int64Value == Int64(entry.code.rawValue))
            let text = members["errorMessage"]?.objectValue
            if entry.isMessagePublished {
                #expect(text?["const"]?.stringValue == entry.message)
            } else {
                #expect(text?["const"] == nil)
                #expect(text?["examples"]?.arrayValue == [.string(entry.message)])
            }
            let fields = members["fieldName"]?.objectValue?["enum"]?.arrayValue?.compactMap(\.stringValue)
            #expect(fields ?? [] == entry.fieldNames, "\(entry.name)")
            #expect(required.contains("fieldName") == !entry.fieldNames.isEmpty, "\(entry.name)")
            #expect((members["lineItemId"] != nil) == (entry.lineItem != .absent), "\(entry.name)")
            #expect(required.contains("lineItemId") == (entry.lineItem == .required), "\(entry.name)")
        }
        let error = description.schemas["ReportError"]?.objectValue?["oneOf"]?.arrayValue
        #expect(
            error?.compactMap { $0.objectValue?["$ref"]?.stringValue } == all.map { "#/components/schemas/\($0.name)" }
        )
    }

    @Test("Currencies and countries are those of the tables")
    func tables() throws {
        let currencies = description.schemas["ReportingCurrency"]?.objectValue?["enum"]?.arrayValue
        #expect(currencies?.compactMap(\.stringValue) == Currency.all.filter(\.reportable).map(\.code))
        #expect(currencies?.count == 44)
        let countries = description.schemas["TaxCountry"]?.objectValue?["enum"]?.arrayValue
        #expect(countries?.compactMap(\.stringValue) == Country.all.map(\.alpha3).sorted())
    }

    // MARK: Limits

    static let put = OpenAPIDescription.Operation(method: "put", template: "/externalPurchase/v1/reports")
    static let history = OpenAPIDescription.Operation(
        method: "post",
        template: "/inApps/v1/notifications/history"
    )

    /// A report with one line item whose members have other JSON texts; nil removes a member.
    private func report(_ kind: String, _ changes: [(String, String?)]) -> String {
        var item = [
            ("lineItemId", #""a""#), ("creationDate", "1794906000000"), ("amountTaxExclusive", "1"), ("taxAmount", "0"),
            ("amountTaxInclusive", "1"), ("netAmountTaxExclusive", "1"), ("pricingCurrency", #""EUR""#),
            ("reportingCurrency", #""EUR""#), ("taxCountry", #""ESP""#),
        ]
        switch kind {
        case "refund": item += [("eventType", #""REFUND""#), ("referenceLineItemId", #""b""#)]
        case "buy": item += [("eventType", #""BUY""#), ("productType", #""ONE_TIME_BUY""#)]
        default:
            item += [
                ("eventType", #""BUY""#), ("productType", #""SUBSCRIPTION""#),
                ("subscriptionEvent", #""\#(kind == "start" ? "SUBSCRIPTION_START" : "RENEWAL")""#),
                ("subscriptionStartDate", "1794906000000"), ("subscriptionEndDate", "1794906000001"),
                ("subscriptionDaysOfPaidService", "0"),
            ]
            if kind == "event" { item.append(("referenceLineItemId", #""b""#)) }
        }
        if kind != "refund" { item += [("productIdentifier", #""p""#), ("quantity", "1")] }
        var report = [
            ("requestIdentifier", #""00000000-0000-4000-8000-000000000001""#), ("externalPurchaseId", #""t""#),
            ("status", #""LINE_ITEM""#),
        ]
        for (name, text) in changes {
            let isTop = ["requestIdentifier", "externalPurchaseId", "status", "lineItems"].contains(name)
            if isTop { report.removeAll { $0.0 == name } } else { item.removeAll { $0.0 == name } }
            if let text { if isTop { report.append((name, text)) } else { item.append((name, text)) } }
        }
        func object(_ members: [(String, String)]) -> String {
            "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        }
        if !changes.contains(where: { $0.0 == "lineItems" }) { report.append(("lineItems", "[\(object(item))]")) }
        return object(report)
    }

    private func isTaken(_ report: String) throws -> Bool {
        try description.requestViolations(report, to: Self.put).isEmpty
    }

    @Test("Each field's limits are those of the API (spec/04 sections 4 and 5)")
    func limits() throws {
        func letters(_ count: Int) -> String { "\"" + String(repeating: "é", count: count) + "\"" }
        func digits(_ count: Int) -> String { "\"1." + String(repeating: "5", count: count - 2) + "\"" }
        let id = "00000000-0000-4000-8000-00000000000"
        let limits: [(name: String, right: [String], wrong: [String])] = [
            ("requestIdentifier", [#""\#(id)a""#, #""\#(id)F""#], [#""\#(id)""#, #""\#(id)g""#, "1", "null"]),
            ("externalPurchaseId", [#""x""#], [#""""#, "7"]),
            ("status", [#""LINE_ITEM""#], [#""line_item""#, #""NO_LINE_ITEM""#, #""OTHER""#]),
            ("lineItemId", [letters(1), letters(128)], [letters(0), letters(129), "1"]),
            ("creationDate", ["1", "9223372036854775807", "10.0"], ["9223372036854775808", "1.5", #""1""#]),
            ("eventType", [#""BUY""#], [#""SELL""#, #""REFUND""#]),
            ("productType", [#""ONE_TIME_BUY""#], [#""SUBSCRIPTION""#, #""""#]),
            ("productIdentifier", [letters(256)], [letters(0), letters(257)]),
            ("quantity", ["1", "9223372036854775807"], ["0", "-1", "9223372036854775808", "0.5"]),
            ("amountTaxExclusive", ["0", "9223372036854775807"], ["-1", "9223372036854775808", "1.5", #""1""#]),
            ("taxAmount", ["0"], ["-1", "true"]),
            ("amountTaxInclusive", ["0"], ["-1"]),
            ("netAmountTaxExclusive", ["0"], ["-1"]),
            ("pricingCurrency", [#""ISK""#], [#""isk""#, #""IS""#, #""EURO""#]),
            ("reportingCurrency", [#""SEK""#], [#""ISK""#, #""eur""#]),
            (
                "exchangeRate", ["0.0069", #""0.0069""#, #""12""#, digits(128)],
                [
                    "0", "-1", #""0""#, #""0.0""#, #""1e5""#, #""+1""#, #""1.""#, #"".5""#, #""1,5""#, digits(129),
                    "true",
                ]
            ),
            ("taxCountry", [#""SWE""#], [#""SE""#, #""swe""#, #""XXX""#]),
            ("restatement", ["true", "false"], [#""true""#, "1"]),
            ("erroneouslySubmitted", ["false"], ["true", "0"]),
        ]
        for limit in limits {
            for text in limit.right {
                #expect(try isTaken(report("buy", [(limit.name, text)])), "\(limit.name) \(text)")
            }
            for text in limit.wrong {
                #expect(try !isTaken(report("buy", [(limit.name, text)])), "\(limit.name) \(text)")
            }
        }
        #expect(try isTaken(report("buy", [("erroneouslySubmitted", "true"), ("restatement", "true")])))
        #expect(try !isTaken(report("buy", [("erroneouslySubmitted", "true"), ("restatement", "false")])))
        for (name, right, wrong) in [
            ("subscriptionDaysOfPaidService", "2147483647", "2147483648"),
            ("subscriptionStartDate", "1000000000000", "999999999999"),
            ("subscriptionEndDate", "1000000000000", "999999999999"),
            ("referenceLineItemId", letters(128), letters(129)),
        ] {
            #expect(try isTaken(report("event", [(name, right)])), "\(name)")
            #expect(try !isTaken(report("event", [(name, wrong)])), "\(name)")
        }
        #expect(try !isTaken(report("event", [("subscriptionDaysOfPaidService", "-1")])))
        #expect(try !isTaken(report("start", [("subscriptionDaysOfPaidService", "1")])))
        let item = try #require(JSONReader().read(report("buy", [])).objectValue?["lineItems"]?.arrayValue?.first)
        let text = String(decoding: item.encoded(), as: UTF8.self)
        for (count, isRight) in [(0, false), (1, true), (1_000, true), (1_001, false)] {
            let items = Array(repeating: text, count: count).joined(separator: ",")
            #expect(try isTaken(report("buy", [("lineItems", "[\(items)]")])) == isRight, "\(count)")
        }
        #expect(try !isTaken(report("buy", [("status", #""NO_LINE_ITEM""#), ("lineItems", "[]")])))
    }

    @Test("Each kind of line item has the members that it must and may have (spec/04 section 5)")
    func members() throws {
        let common = [
            "lineItemId", "creationDate", "eventType", "amountTaxExclusive", "taxAmount", "amountTaxInclusive",
            "netAmountTaxExclusive", "pricingCurrency", "reportingCurrency", "taxCountry",
        ]
        let product = ["productType", "productIdentifier", "quantity"]
        let subscription = [
            "subscriptionEvent", "subscriptionStartDate", "subscriptionEndDate", "subscriptionDaysOfPaidService",
        ]
        let reference = ["referenceLineItemId"]
        let kinds: [(kind: String, required: [String])] = [
            ("buy", common + product), ("start", common + product + subscription),
            ("event", common + product + subscription + reference), ("refund", common + reference),
        ]
        let all = Set(common + product + subscription + reference)
        for (kind, required) in kinds {
            #expect(try isTaken(report(kind, [])), "\(kind)")
            for name in required { #expect(try !isTaken(report(kind, [(name, nil)])), "\(kind) without \(name)") }
            for name in all.subtracting(required) {
                let value =
                    switch name {
                    case "quantity", "subscriptionDaysOfPaidService": "1"
                    case "subscriptionStartDate", "subscriptionEndDate": "1794906000000"
                    case "productType": #""SUBSCRIPTION""#
                    case "subscriptionEvent": #""RENEWAL""#
                    default: #""x""#
                    }
                #expect(try !isTaken(report(kind, [(name, value)])), "\(kind) with \(name)")
            }
            for (name, value) in [("exchangeRate", "2"), ("restatement", "true")] {
                #expect(try isTaken(report(kind, [(name, value)])), "\(kind) with \(name)")
            }
        }
    }

    @Test(
        "Questions to the history have their limits (spec/06 section 8)",
        arguments: [
            (#"{"startDate":1000000000000,"endDate":1000000000001}"#, true),
            (#"{"startDate":1000000000000,"endDate":1000000000001,"transactionId":"1","onlyFailures":true}"#, true),
            (#"{"startDate":1,"endDate":2,"notificationType":"TEST"}"#, false),
            (#"{"startDate":1000000000000}"#, false),
            (#"{"startDate":"1000000000000","endDate":1000000000001}"#, false),
            (#"{"startDate":1000000000000,"endDate":1000000000001,"notificationSubtype":"CREATED"}"#, false),
            (
                #"{"startDate":1000000000000,"endDate":1000000000001,"transactionId":"1","notificationType":"TEST"}"#,
                false
            ),
            (#"{"startDate":1000000000000,"endDate":1000000000001,"onlyFailures":"yes"}"#, false),
        ]
    )
    func questions(body: String, isRight: Bool) throws {
        #expect(try description.requestViolations(body, to: Self.history).isEmpty == isRight)
    }

    // MARK: Examples

    @Test("Every example validates in its place")
    func examples() throws {
        var count = 0
        for (operation, content) in description.operations {
            var media = [content["requestBody"]?.objectValue?["content"]]
            for response in content["responses"]?.objectValue?.members ?? [] {
                media.append(try description.schema.resolved(response.value)["content"])
            }
            for media in media.compactMap({ $0?.objectValue?["application/json"]?.objectValue }) {
                let schema = try #require(media["schema"])
                for example in media["examples"]?.objectValue?.members ?? [] {
                    let value = try #require(example.value.objectValue?["value"])
                    #expect(try description.schema.violations(value, schema) == [], "\(operation) \(example.key)")
                    count += 1
                }
            }
        }
        #expect(count >= 14 + 5)
    }

    private static func members(_ value: JSONValue?) throws -> NSDictionary {
        let bytes = try #require(value).encoded()
        return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    @Test("The examples are one story that the emulator accepts in their order (spec/04 section 10)")
    func story() async throws {
        let content = try #require(description.operations.first { $0.operation == Self.put }?.content)
        let media = content["requestBody"]?.objectValue?["content"]?.objectValue?["application/json"]?.objectValue
        let examples = try #require(media?["examples"]?.objectValue?.members)
        #expect(
            examples.map(\.key) == [
                "EX-1", "EX-2", "EX-3", "EX-4", "EX-5-to-EX-7", "EX-8", "EX-9-and-EX-10", "EX-11", "EX-12", "EX-13",
                "EX-14", "EX-15", "EX-16", "EX-17",
            ]
        )
        let reports = examples.compactMap { $0.value.objectValue?["value"] }
        try await EmulatorUnderTest.run { emulator in
            let first = "4d3f0000-0000-4000-8000-00000000000"
            for end in ["a", "d", "e"] { try await emulator.addToken(first + end) }
            for end in ["b", "c"] {
                let body =
                    #"{"bundleId":"com.example.shop","externalPurchaseId":"\#(first)\#(end)","tokenType":"SERVICES","#
                    + #""creationDate":1790812800000,"expirationDate":1822348800000}"#
                #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            }
            for report in reports {
                let answer = try await emulator.put(String(decoding: report.encoded(), as: UTF8.self))
                #expect(answer.status == 200, "\(report): \(answer.body)")
                let id = try #require(report.objectValue?["requestIdentifier"]?.stringValue)
                let kept = try await emulator.get(id)
                // Members may come in another order.
                #expect(try Self.members(kept["report"]) == Self.members(report), "\(kept.body)")
            }
        }
    }
}
