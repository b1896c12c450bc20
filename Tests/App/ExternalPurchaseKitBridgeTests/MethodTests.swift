import Eligibility
import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKitBridge

/// Each method by the request of its section of the page, sent as it stands, over the simulated StoreKit.
@Suite("The methods of the bridge do what their page shows")
@MainActor
struct MethodTests {
    let page: BridgePage
    let schema: BridgeSchema

    init() throws {
        page = try BridgePage()
        schema = try BridgeSchema()
    }

    /// An app in the state in which the example of a method is right, and a purchase that goes on meanwhile.
    private func app(for method: BridgeMethod) async throws -> (BridgeFixture, purchase: Task<JSONValue, Never>?) {
        switch method {
        case .configure: return (try BridgeFixture(in: "DEU"), nil)
        case .start, .stop, .setCustomer, .refresh, .purchaseWithCustomLink, .wake:
            let app = try BridgeFixture(in: "DEU")
            await app.configure()
            return (app, nil)
        case .availability:
            let app = try BridgeFixture(in: "NLD")
            await app.configure()
            await app.result("refresh")
            return (app, nil)
        case .setGates:
            let app = try BridgeFixture(in: "DEU")
            await app.configure(#","gates":["age"]"#)
            return (app, nil)
        case .openLink:
            let app = try BridgeFixture(in: "NLD")
            await app.configure()
            return (app, nil)
        case .presentNoticeSheet:
            let app = try BridgeFixture(in: "KOR")
            await app.configure(#","customerId":"c-4711""#)
            return (app, nil)
        case .answerDisclosure, .answerOpenURL:
            let app = try BridgeFixture(in: "JPN")
            let questions = method == .answerDisclosure ? #","showsDisclosure":true"# : #","opensURL":true"#
            if method == .answerOpenURL { app.session.device.osVersion = OSVersion(27, 2) }
            await app.configure(questions)
            let purchase = Task {
                let destination = #"{"kind":"outOfApp","url":"https://shop.example.com/offer"}"#
                return await app.result("purchaseWithCustomLink", #"{"destination":\#(destination)}"#)
            }
            #expect(await app.next("question") != nil)
            return (app, purchase)
        case .answerSendToken:
            let app = try BridgeFixture(in: "KOR")
            await app.result("configure", #"{"delivery":{"kind":"host"}}"#)
            await app.result("presentNoticeSheet")
            let delivery = Task { await app.result("deliverDue") }
            #expect(await app.next("question") != nil)
            return (app, delivery)
        case .outboxStatus, .deliverDue:
            let app = try BridgeFixture(in: "KOR")
            await app.configure()
            await app.result("presentNoticeSheet")
            if method == .deliverDue { app.server.answer(.retry(reason: "status 503", after: nil)) }
            return (app, nil)
        case .refusedTokens, .retryRefused:
            let app = try BridgeFixture(in: "KOR")
            await app.configure()
            await app.result("presentNoticeSheet")
            app.server.answer(.refused(reason: "status 422: the token cannot be read"))
            await app.result("deliverDue")
            return (app, nil)
        case .dismissInterruptedRequests:
            let (sheets, sheet) = AsyncStream.makeStream(of: Void.self)
            let presenter = ScriptedPresenter(
                .decide { _ in
                    sheet.yield()
                    try await Task.sleep(for: .seconds(3_600))
                    return .cancel
                }
            )
            let killed = try BridgeFixture(in: "KOR", presenter)
            await killed.configure()
            Task { await killed.result("presentNoticeSheet") }
            for await _ in sheets { break }
            let app = try BridgeFixture(in: "KOR", folder: killed.folder)
            await app.configure()
            await app.result("deliverDue")
            #expect(await app.result("outboxStatus").objectValue?["interruptedRequests"] == .integer(1))
            return (app, nil)
        }
    }

    @Test("A request has the answer of the page, and both meet the schema (EK-50)", arguments: BridgeMethod.allCases)
    func method(_ method: BridgeMethod) async throws {
        let examples = try #require(page.methods[method.rawValue])
        try #require(examples.count == 2)
        #expect(try schema.violations(of: examples[0], in: "\(method.rawValue).request") == [])
        let (app, purchase) = try await app(for: method)
        let answer = await app.call(String(decoding: examples[0].encoded(), as: UTF8.self))
        #expect(answer.withoutExplanations.formatted() == examples[1].formatted())
        #expect(try schema.violations(of: answer, in: "answer") == [])
        let result = try #require(answer.objectValue?["result"])
        #expect(try schema.violations(of: result, in: "\(method.rawValue).result") == [])
        guard let purchase else { return }
        let outcome = await purchase.value
        if method == .answerSendToken {
            #expect(outcome == .members(["waitSeconds": .null]))
        } else {
            #expect(outcome.objectValue?["outcome"] == .string("continued"))
            #expect(try schema.violations(of: outcome, in: "purchaseWithCustomLink.result") == [])
        }
    }

    @Test("Code, page and schema have the same methods, events and error codes (EK-50)")
    func names() {
        let methods = BridgeMethod.allCases.map(\.rawValue)
        #expect(page.methods.keys.sorted() == methods.sorted())
        for part in ["request", "result"] {
            let defined = schema.definitions.filter { $0.hasSuffix(".\(part)") }.map { $0.dropLast(part.count + 1) }
            #expect(defined.map(String.init) == methods, "\(part)")
        }
        let events = BridgeEventName.allCases.map(\.rawValue)
        #expect(page.events.keys.sorted() == events.sorted())
        #expect(schema.definitions.filter { $0.hasSuffix(".event") } == events.map { "\($0).event" })
        let codes = BridgeError.Code.allCases.map(\.rawValue)
        let error = schema.document.objectValue?["$defs"]?.objectValue?["error"]?.objectValue
        let listed = error?["properties"]?.objectValue?["code"]?.objectValue?["enum"]?.arrayValue
        #expect(listed == codes.map(JSONValue.string))
        let rows = page.text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let inTable = rows.flatMap { $0.split(separator: "|")[0].matches(of: #/`([a-z-]+)`/#).map { String($0.1) } }
        #expect(Set(codes).isSubset(of: inTable))
    }

    @Test("Every example of the page is a message of version 1 (EK-50)")
    func examples() throws {
        #expect(page.all.count > 45)
        for example in page.all {
            let kind = ["method": "request", "event": "event"].first { example.objectValue?[$0.key] != nil }?.value
            #expect(try schema.violations(of: example, in: kind ?? "answer") == [], "\(example.formatted())")
        }
    }
}

extension JSONValue {
    /// The value as Apple's StoreKit would give it, which explains no answer.
    var withoutExplanations: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutExplanations))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { member in
                        let isExplanation = object["isAvailable"] != nil && member.key == "reason"
                        return .init(member.key, isExplanation ? .null : member.value.withoutExplanations)
                    }
                )
            )
        default: self
        }
    }
}
