import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKitBridge

@Suite("Requests that are wrong")
@MainActor
struct HostileRequestTests {
    let page: BridgePage
    let schema: BridgeSchema

    init() throws {
        page = try BridgePage()
        schema = try BridgeSchema()
    }

    nonisolated private static func request(_ method: String, _ parameters: String = "{}") -> String {
        #"{"version":1,"id":"7","method":"\#(method)","parameters":\#(parameters)}"#
    }

    nonisolated static let refusals: [(request: String, code: String, path: String?)] = [
        ("", "not-json", nil), ("{", "not-json", nil), (#"{"version":1}x"#, "not-json", nil),
        (String(repeating: "[", count: 40_000), "not-json", nil),
        (#"{"id":"\#(String(repeating: "x", count: 65_536))"}"#, "request-too-large", nil),
        ("[]", "invalid-value", ""), ("null", "invalid-value", ""),
        ("{}", "missing-member", "/version"), (#"{"version":2,"new":1}"#, "unsupported-version", "/version"),
        (#"{"version":"1"}"#, "unsupported-version", "/version"), (#"{"version":1}"#, "missing-member", "/id"),
        (#"{"version":1,"id":7,"method":"stop"}"#, "invalid-value", "/id"),
        (#"{"version":1,"id":"a\u0000b","method":"stop"}"#, "invalid-value", "/id"),
        (#"{"version":1,"id":"7"}"#, "missing-member", "/method"),
        (#"{"version":1,"id":"7","method":"Stop"}"#, "unknown-method", "/method"),
        (#"{"version":1,"id":"7","method":"stop","method":"start"}"#, "repeated-member", "/method"),
        (#"{"version":1,"id":"7","method":"stop","a~b/c":1}"#, "unknown-member", "/a~0b~1c"),
        (#"{"version":1,"id":"7","method":"stop","parameters":null}"#, "invalid-value", "/parameters"),
        (request("stop", #"{"now":true}"#), "unknown-member", "/parameters/now"),
        (request("configure"), "missing-member", "/parameters/delivery"),
        (request("configure", #"{"delivery":{"kind":"mail"}}"#), "invalid-value", "/parameters/delivery/kind"),
        (request("configure", #"{"delivery":{"kind":"host","url":1}}"#), "unknown-member", "/parameters/delivery/url"),
        (
            request("configure", #"{"delivery":{"kind":"server","url":"shop","publishableKey":"k"}}"#), "invalid-value",
            "/parameters/delivery/url"
        ),
        (
            request("configure", #"{"delivery":{"kind":"server","url":"http://a.example","publishableKey":"k"}}"#),
            "delivery-not-usable", "/parameters/delivery"
        ),
        (
            request("configure", #"{"delivery":{"kind":"host"},"policy":{"url":"https://a.example"}}"#),
            "missing-member", "/parameters/policy/publishableKey"
        ),
        (
            request(
                "configure",
                #"{"delivery":{"kind":"host"},"policy":{"url":"https://a.example","publishableKey":"k","whileUnknown":"no"}}"#
            ),
            "invalid-value", "/parameters/policy/whileUnknown"
        ),
        // A transport that sends tokens and asks for no policy.
        (
            request(
                "configure",
                #"{"delivery":{"kind":"host"},"policy":{"url":"https://a.example","publishableKey":"k"}}"#
            ),
            "policy-not-usable", "/parameters/policy"
        ),
        (
            request("configure", #"{"delivery":{"kind":"host"},"showDisclosure":true}"#), "unknown-member",
            "/parameters/showDisclosure"
        ),
        (
            request("configure", #"{"delivery":{"kind":"host"},"gates":["a","a"]}"#), "invalid-value",
            "/parameters/gates"
        ),
        (
            request("configure", #"{"delivery":{"kind":"host"},"tokenSchemes":{"de":{}}}"#), "unknown-member",
            "/parameters/tokenSchemes/de"
        ),
        (
            request("configure", #"{"delivery":{"kind":"host"},"tokenSchemes":{"JPN":{"kind":"transaction"}}}"#),
            "missing-member", "/parameters/tokenSchemes/JPN/withinApp"
        ),
        (request("setCustomer"), "missing-member", "/parameters/customerId"),
        (request("setCustomer", #"{"customerId":""}"#), "invalid-value", "/parameters/customerId"),
        (request("setGates", #"{"gates":{"age":{"isOpen":false}}}"#), "missing-member", "/parameters/gates/age/reason"),
        (request("setGates", #"{"gates":{"sex":{"isOpen":true}}}"#), "unknown-gate", "/parameters/gates/sex"),
        (
            request("purchaseWithCustomLink", #"{"destination":{"kind":"outOfApp","url":"javascript:alert(1)"}}"#),
            "invalid-value", "/parameters/destination/url"
        ),
        (
            request("purchaseWithCustomLink", #"{"destination":{"kind":"withinApp","url":null}}"#), "unknown-member",
            "/parameters/destination/url"
        ),
        (request("answerOpenURL", #"{"question":"1","isOpened":true}"#), "unknown-question", "/parameters/question"),
        (
            request("answerSendToken", #"{"question":"1","delivery":"retry","afterSeconds":1e9}"#), "invalid-value",
            "/parameters/afterSeconds"
        ),
    ]

    @Test("have an error with code and path, and do nothing (EK-51)", arguments: refusals.indices)
    func refusal(_ index: Int) async throws {
        let (request, code, path) = Self.refusals[index]
        let app = try BridgeFixture(in: "DEU")
        await app.configure(#","gates":["age"]"#)
        let answer = await app.call(request)
        #expect(try schema.violations(of: answer, in: "answer") == [])
        let error = try #require(answer.objectValue?["error"]?.objectValue, "\(answer)")
        #expect(error["code"] == .string(code), "\(answer)")
        #expect(error["path"] == .text(path), "\(answer)")
        #expect(app.bridge.model?.customerId == nil && app.session.diagnostics.isEmpty)
    }

    @Test("Before configure every other method is refused (EK-58)")
    func notConfigured() async throws {
        let app = try BridgeFixture(in: "DEU")
        for method in BridgeMethod.allCases where method != .configure {
            let example = try #require(page.methods[method.rawValue]?.first)
            let answer = await app.call(String(decoding: example.encoded(), as: UTF8.self))
            #expect(answer.objectValue?["error"]?.objectValue?["code"] == .string("not-configured"), "\(method)")
            #expect(answer.objectValue?["id"] == example.objectValue?["id"])
        }
    }

    /// The codes of requests that the schema does not describe.
    nonisolated static let formCodes: Set<String> = [
        "not-json", "request-too-large", "unsupported-version", "unknown-method", "missing-member", "unknown-member",
        "repeated-member", "invalid-value",
    ]

    @Test(
        "Whatever is changed in a request: the schema allows what is carried out; an error repeats no value (EK-51)",
        arguments: BridgeMethod.allCases
    )
    func agreement(_ method: BridgeMethod) async throws {
        let app = try BridgeFixture(in: "DEU")
        // Each change of `configure` that is allowed configures; the other methods find the gate that they decide.
        await app.configure(#","gates":["age"]"#)
        let example = try #require(page.methods[method.rawValue]?.first)
        var counts = [true: 0, false: 0]
        for changed in example.changes {
            // A request of another method than the example's is none of the schema's other requests.
            let isAllowed =
                try schema.violations(of: changed, in: "\(method.rawValue).request").isEmpty
                && !changed.repeatsMember
            counts[isAllowed, default: 0] += 1
            let answer = await app.call(String(decoding: changed.encoded(), as: UTF8.self))
            #expect(try schema.violations(of: answer, in: "answer") == [])
            let error = answer.objectValue?["error"]?.objectValue
            let code = error?["code"]?.stringValue
            #expect(error?["message"]?.stringValue?.contains(JSONValue.secret) != true)
            let isCarriedOut = !Self.formCodes.contains(code ?? "")
            #expect(isCarriedOut == isAllowed, "\(changed.formatted()) \(answer)")
        }
        #expect(counts[false, default: 0] > 50)
        #expect(counts[true, default: 0] > 0)
    }

    @Test("Any bytes have one answer that meets the schema (EK-51)")
    func bytes() async throws {
        let app = try BridgeFixture(in: "DEU")
        await app.configure()
        var random = SplitMix64(seed: 71)
        var refused = 0
        for round in 0..<2_000 {
            let method = BridgeMethod.allCases[round % BridgeMethod.allCases.count]
            // Deliveries and their waits are no concern of this test.
            guard method != .configure, method != .start, let example = page.methods[method.rawValue]?.first else {
                continue
            }
            var bytes = example.encoded()
            for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                case 3: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: #"\ud800"#.utf8, at: place)
                }
            }
            let answer = try JSONReader().read(Array(await app.bridge.call(Data(bytes))))
            #expect(try schema.violations(of: answer, in: "answer") == [])
            if answer.objectValue?["error"] != nil { refused += 1 }
        }
        #expect(refused > 700)
    }

    @Test("Two hundred calls at once have two hundred answers (EK-58)")
    func concurrency() async throws {
        let app = try BridgeFixture(in: "DEU")
        await app.configure()
        let bridge = app.bridge
        let methods = [
            "refresh", "availability", "outboxStatus", "presentNoticeSheet", "deliverDue", "start", "stop", "wake",
            "openLink", "refusedTokens",
        ]
        let ids = await withTaskGroup(of: String?.self) { group in
            for number in 0..<200 {
                let method = methods[number % methods.count]
                let request = Data(#"{"version":1,"id":"n-\#(number)","method":"\#(method)"}"#.utf8)
                group.addTask {
                    let answer = try? JSONReader().read(Array(await bridge.call(request))).objectValue
                    return answer?["result"] == nil ? nil : answer?["id"]?.stringValue
                }
            }
            var ids: Set<String?> = []
            for await id in group { ids.insert(id) }
            return ids
        }
        #expect(ids == Set((0..<200).map { "n-\($0)" }))
    }
}

extension JSONValue {
    static let secret = "c-customer-4711"

    /// Values that stand for every wrong type and form.
    private static let hostile: [JSONValue] = [
        .null, .bool(true), .bool(false), .integer(0), .integer(1), .integer(-1),
        .number(JSONNumber(unchecked: "1e400")),
        .number(JSONNumber(unchecked: "1.0")), .string(""), .string(secret), .string("a\u{0}b"), .string("\u{202E}"),
        .string(String(repeating: "x", count: 5_000)), .string("https://shop.example.com/\u{FC}"),
        .string("ftp://shop.example.com"), .array([]), .array([.string("age"), .string("age")]), .object(JSONObject()),
        ["kind": "withinApp"], ["isOpen": true],
    ]

    /// Whether an object has a member twice, of which the schema knows nothing.
    var repeatsMember: Bool {
        guard case .object(let object) = self else { return false }
        let names = object.members.map(\.key)
        return Set(names).count < names.count || object.members.contains { $0.value.repeatsMember }
    }

    /// The value with one change anywhere: another value, a member more, fewer or twice.
    var changes: [JSONValue] { Self.hostile + ownChanges }

    private var ownChanges: [JSONValue] {
        guard case .object(let object) = self else { return [] }
        var changes: [JSONValue] = [.object(JSONObject(object.members + [.init("unknown", .null)]))]
        for (index, member) in object.members.enumerated() {
            var (fewer, twice) = (object, object)
            fewer.members.remove(at: index)
            twice.members.append(member)
            changes += [.object(fewer), .object(twice)]
            for value in member.value.changes {
                var changed = object
                changed.members[index].value = value
                changes.append(.object(changed))
            }
        }
        return changes
    }
}
