import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Payments

@Suite("An event's envelope is read strictly, its object tolerantly")
struct StripeEventTests {
    static let envelope =
        #"{"id":"evt_1","object":"event","type":"invoice.paid","created":1795176000,"livemode":false,"#
        + #""api_version":"2025-03-31.basil","account":"acct_1","data":{"object":{"id":"in_1"},"#
        + #""previous_attributes":{"status":"open"}},"new_member":[1,{}]}"#

    @Test("Members of the envelope")
    func members() throws {
        let event = try StripeEvent(body: Array(Self.envelope.utf8))
        #expect(event.id == "evt_1")
        #expect(event.type == "invoice.paid")
        #expect(event.created == Timestamp(rfc3339: "2026-11-20T12:00:00Z"))
        #expect(!event.isLive)
        #expect(event.account == "acct_1")
        #expect(event.apiVersion == "2025-03-31.basil")
        #expect(event.object.objectValue?["id"] == .string("in_1"))
        #expect(event.previousAttributes?.objectValue?["status"] == .string("open"))
    }

    static let errors: [(from: String, to: String, error: StripeEventError)] = [
        (
            "\"id\":\"evt_1\"", "\"id\":7",
            .invalidMember(path: "/id", expected: "a text of 1 to 255 printable characters")
        ),
        ("\"id\":\"evt_1\",", "", .invalidMember(path: "/id", expected: "a text of 1 to 255 printable characters")),
        ("\"event\"", "\"list\"", .invalidMember(path: "/object", expected: "\"event\"")),
        ("\"event\"", "\"v2.core.event\"", .thin),
        ("invoice.paid", "", .invalidMember(path: "/type", expected: "a text of 1 to 255 printable characters")),
        ("1795176000", "1795176000.5", .invalidMember(path: "/created", expected: "a time in whole UNIX seconds")),
        ("1795176000", "-1", .invalidMember(path: "/created", expected: "a time in whole UNIX seconds")),
        ("1795176000", "1e300", .invalidMember(path: "/created", expected: "a time in whole UNIX seconds")),
        ("false", "\"no\"", .invalidMember(path: "/livemode", expected: "true or false")),
        ("\"acct_1\"", "{}", .invalidMember(path: "/account", expected: "a text")),
        ("{\"id\":\"in_1\"}", "[]", .invalidMember(path: "/data/object", expected: "an object")),
        ("{\"status\":\"open\"}", "1", .invalidMember(path: "/data/previous_attributes", expected: "an object")),
        ("\"livemode\"", "\"id\":\"evt_2\",\"livemode\"", .repeatedMember("id")),
        ("\"object\":{", "\"object\":{\"id\":\"in_0\"},\"object\":{", .repeatedMember("data.object")),
        ("{\"id\":\"in_1\"}", "{\"id\":\"in_1\",\"id\":\"in_2\"}", .repeatedMember("data.object.id")),
        (
            "{\"id\":\"in_1\"}", "{\"lines\":{\"data\":[{},{\"amount\":1,\"amount\":2}]}}",
            .repeatedMember("data.object.lines.data[1].amount")
        ),
        ("[1,{}]", "[[{\"a\":1,\"a\":1}]]", .repeatedMember("new_member[0][0].a")),
        ("\"new_member\":[1,{}]}", "", .notJSON(.notJSON(offset: 215, expected: "a member's name in quotes"))),
    ]

    @Test("One clear error says where and what would be right", arguments: errors)
    func error(_ row: (from: String, to: String, error: StripeEventError)) throws {
        let body = Self.envelope.replacing(row.from, with: row.to, maxReplacements: 1)
        #expect(throws: row.error) { try StripeEvent(body: Array(body.utf8)) }
    }

    @Test("An event names the objects of its payment, never the customer")
    func objectIds() throws {
        let cases: [(type: String, object: String, ids: Set<StripeObjectId>)] = [
            (
                "checkout.session.completed",
                #"{"id":"cs_1","payment_intent":"pi_1","invoice":"in_1","customer":"cus_1"}"#, ["cs_1", "pi_1", "in_1"]
            ),
            (
                "invoice.paid",
                #"{"id":"in_1","charge":"ch_1","payment_intent":{"id":"pi_1","object":"payment_intent"},"#
                    + #""subscription":"sub_1","customer":"cus_1"}"#, ["in_1", "ch_1", "pi_1", "sub_1"]
            ),
            (
                "invoice.paid",
                #"{"id":"in_1","parent":{"subscription_details":{"subscription":"sub_1"}},"#
                    + #""payments":{"data":[{"payment":{"payment_intent":"pi_1"}}]}}"#, ["in_1", "sub_1", "pi_1"]
            ),
            (
                "invoice_payment.paid",
                #"{"id":"inpay_1","invoice":"in_1","payment":{"type":"charge","charge":"py_1"}}"#, ["in_1", "py_1"]
            ),
            ("refund.created", #"{"id":"pyr_1","charge":"py_1","payment_intent":null}"#, ["pyr_1", "py_1"]),
            ("charge.dispute.closed", #"{"id":"du_1","charge":"ch_1","payment_intent":7}"#, ["du_1", "ch_1"]),
            (
                "payment_intent.succeeded",
                #"{"id":"pi_1","latest_charge":"ch_2","charges":{"data":[{"id":"ch_1"}]}}"#, ["pi_1", "ch_1", "ch_2"]
            ),
            ("x", #"{"id":"../../etc","charge":"ch_1?x=1","invoice":""}"#, []),
        ]
        for (type, object, ids) in cases {
            let body = Self.envelope.replacing("invoice.paid", with: type).replacing("{\"id\":\"in_1\"}", with: object)
            #expect(try StripeEvent(body: Array(body.utf8)).objectIds == ids, "\(object)")
        }
    }

    /// Every number, text and object of every scenario is replaced in turn by values of other kinds and sizes.
    @Test("No value inside an event crashes the reading or gives an impossible sale", arguments: StripeFixture.names)
    func hostileValues(_ name: String) throws {
        let fixture = try StripeFixture(name)
        let values: [JSONValue] = [
            .null, .bool(true), .integer(-1), .integer(.max), .integer(.min), .string("x"), .array([.null]),
            ["data": .integer(1)], .number(JSONNumber(unchecked: "1e999999999")),
        ]
        var random = SplitMix64(seed: 7)
        let bodies = try fixture.bodies.map { try JSONReader().read($0) }
        for _ in 0..<150 {
            let place = Int.random(in: bodies.indices, using: &random)
            var changed = bodies
            changed[place] = bodies[place].replacingSomething(by: values.randomElement(using: &random)!, &random)
            let events = changed.compactMap { try? StripeEvent(json: $0) }
            let reading = fixture.interpret(events)
            #expect(Set(reading.outcomes.keys) == Set(events.map(\.id)))
            for sale in reading.sales.map(\.sale) { #expect(sale.isPossible, "\(sale)") }
        }
    }
}

extension JSONValue {
    /// The value with one part of it, chosen at random, replaced.
    fileprivate func replacingSomething(by value: JSONValue, _ random: inout SplitMix64) -> JSONValue {
        switch self {
        case .object(var object) where !object.members.isEmpty:
            let index = Int.random(in: object.members.indices, using: &random)
            object.members[index].value = object.members[index].value.replacingSomething(by: value, &random)
            return .object(object)
        case .array(var elements) where !elements.isEmpty:
            let index = Int.random(in: elements.indices, using: &random)
            elements[index] = elements[index].replacingSomething(by: value, &random)
            return .array(elements)
        default: return value
        }
    }
}

extension Sale {
    /// What the intake of sales accepts.
    fileprivate var isPossible: Bool {
        let areLinesPossible = purchases.allSatisfy { line in
            guard line.inclusive >= 0, line.inclusive < 1_000_000_000_000, line.quantity > 0,
                (1...256).contains(line.productId.unicodeScalars.count)
            else { return false }
            if case .amount(let tax) = line.tax { return tax >= 0 && tax <= line.inclusive }
            return true
        }
        return areLinesPossible && (1...100).contains(saleId.rawValue.unicodeScalars.count)
            && (refund.map { $0.inclusive > 0 } ?? true)
            && (subscriptionCharge.map { $0.period.start <= $0.period.end } ?? true)
    }
}
