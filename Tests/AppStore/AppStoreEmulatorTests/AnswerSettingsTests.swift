import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import Testing

@Suite("Settings change the form of an answer and not its decision (CS-11)")
struct AnswerSettingsTests {
    /// A report with several errors: on the report 4, on item a 4, 5, 12, on item b 16.
    private static func report(_ token: String) -> String {
        func item(_ id: String, _ more: String) -> String {
            #"{"lineItemId":"\#(id)","creationDate":1794477600000,"eventType":"BUY","productType":"ONE_TIME_BUY","#
                + #""productIdentifier":"p","amountTaxExclusive":10,"taxAmount":0,"amountTaxInclusive":10,"#
                + #""pricingCurrency":"EUR","reportingCurrency":"EUR",\#(more)}"#
        }
        let a = item("a", #""quantity":1,"exchangeRate":1,"netAmountTaxExclusive":9"#)
        let b = item("b", #""quantity":0,"netAmountTaxExclusive":10,"taxCountry":"AUT""#)
        return #"{"externalPurchaseId":"\#(token)","status":"LINE_ITEM","lineItems":[\#(a),\#(b)]}"#
    }

    private static let token = "SANDBOX_7d0c2a10-5b1e-4c58-9a44-0c0ffee00001"

    private static func run(
        _ settings: [String: String],
        _ body: @Sendable @escaping (EmulatorUnderTest) async throws -> Void
    ) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let now = try await emulator.control(.PUT, "/clock", #"{"now":"2026-11-20T12:00:00Z"}"#)
            #expect(now.status == 200)
            let created = try await emulator.control(
                .POST,
                "/tokens",
                #"{"bundleId":"\#(EmulatorUnderTest.shop.rawValue)","externalPurchaseId":"\#(token)"}"#
            )
            #expect(created.status == 201, "\(created.body)")
            let members = settings.map { JSONObject.Member($0.key, .string($0.value)) }
            let text = String(decoding: JSONValue.object(JSONObject(members)).encoded(), as: UTF8.self)
            let set = try await emulator.control(.PUT, "/settings", text)
            #expect(set.status == 200, "\(set.body)")
            try await body(emulator)
        }
    }

    @Test(
        "Order, number, members and codes of the errors",
        arguments: [
            (
                [:],
                [
                    "4 requestIdentifier -", "4 taxCountry a", "5 exchangeRate a", "12 netAmountTaxExclusive a",
                    "16 quantity b",
                ]
            ),
            (
                ["answers.order": "reversed"],
                [
                    "16 quantity b", "12 netAmountTaxExclusive a", "5 exchangeRate a", "4 taxCountry a",
                    "4 requestIdentifier -",
                ]
            ),
            (
                ["answers.order": "12,5"],
                [
                    "4 requestIdentifier -", "4 taxCountry a", "12 netAmountTaxExclusive a", "5 exchangeRate a",
                    "16 quantity b",
                ]
            ),
            (["answers.errors": "first"], ["4 requestIdentifier -"]),
            (
                ["answers.order": "reversed", "answers.errors": "first", "answers.lineItemId": "omitted"],
                ["16 quantity -"]
            ),
            (
                ["answers.fieldName": "omitted", "answers.codes": "4=104,12=112"],
                ["104 - -", "104 - a", "5 - a", "112 - a", "16 - b"]
            ),
            (["rules.off": "4,5,16"], ["12 netAmountTaxExclusive a"]),
        ] as [([String: String], [String])]
    )
    func errors(_ settings: [String: String], _ expected: [String]) async throws {
        try await Self.run(settings) { emulator in
            let answer = try await emulator.put(Self.report(Self.token))
            #expect(answer.status == 400)
            let errors = answer["errors"]?.arrayValue?.compactMap(\.objectValue) ?? []
            let words = errors.map { error in
                let code = error["errorCode"]?.int64Value ?? 0
                return "\(code) \(error["fieldName"]?.stringValue ?? "-") \(error["lineItemId"]?.stringValue ?? "-")"
            }
            #expect(words == expected)
        }
    }

    @Test("Statuses and bodies of each kind of answer")
    func forms() async throws {
        let settings = [
            "answers.status.refused": "422", "answers.status.malformed": "415", "answers.body.malformed": "{\"a\":1}",
            "answers.status.notFound": "404", "answers.status.accepted": "201", "messages.3": "Gone.",
            "answers.status.unauthenticated": "403", "answers.body.unauthenticated": "",
            "answers.status.wrongMethod": "400", "answers.body.unknownPath": "nothing here",
        ]
        try await Self.run(settings) { emulator in
            #expect(try await emulator.put(Self.report(Self.token)).status == 422)
            let malformed = try await emulator.put("{")
            #expect(malformed.status == 415 && malformed.body == "{\"a\":1}")
            let accepted = try await emulator.put(
                #"{"requestIdentifier":"5e7a0000-1111-4222-8333-000000000001","externalPurchaseId":"\#(Self.token)","status":"NO_LINE_ITEM"}"#
            )
            #expect(accepted.status == 201)
            let missing = try await emulator.get("5e7a0000-1111-4222-8333-000000000002")
            #expect(missing.status == 404 && missing["errorMessage"]?.stringValue == "Gone.")
        }
    }
}
