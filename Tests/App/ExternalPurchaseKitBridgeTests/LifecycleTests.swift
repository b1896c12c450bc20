import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Synchronization
import Testing

@testable import ExternalPurchaseKitBridge

@Suite("A bridge over the life of an app")
@MainActor
struct LifecycleTests {
    private static let purchase = #"{"destination":{"kind":"outOfApp","url":"https://shop.example.com/offer"}}"#

    /// Waits for a condition that another task brings about.
    private func eventually(_ what: String, _ condition: () async -> Bool) async {
        for _ in 0..<60_000 {
            if await condition() { return }
            try? await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(what) did not happen")
    }

    @Test("After the start the launch's tokens are sent, a storefront is followed, and a stop ends it (EK-57)")
    func running() async throws {
        let app = try BridgeFixture(in: "DEU")
        await app.configure()
        await app.result("start")
        await app.result("start")
        await eventually("the delivery") { app.server.arrivals.count == 2 }
        app.session.storefront = "NLD"
        await eventually("the storefront") { app.bridge.model?.availability?.storefront == "NLD" }
        app.foreground.yield()
        await app.result("stop")
        app.session.storefront = "KOR"
        #expect(
            await app.result("availability").objectValue?["availability"]?.objectValue?["storefront"] == .string("NLD")
        )
        // A start after a stop sends again, at once or not.
        await app.result("start")
        await app.result("stop")
        await app.result("start")
        await eventually("the storefront") { app.bridge.model?.availability?.storefront == "KOR" }
        await app.result("presentNoticeSheet")
        await eventually("the delivery") { app.server.arrivals.count == 3 }
        await app.result("stop")
    }

    @Test("A host that is loaded anew: open questions are closed, a purchase ends, waiting tokens stay (EK-56, EK-57)")
    func reload() async throws {
        let app = try BridgeFixture(in: "JPN")
        let more = #","showsDisclosure":true,"opensURL":true"#
        await app.configure(more)
        app.server.answer(.retry(reason: "status 503", after: nil))
        async let declined = app.result("purchaseWithCustomLink", Self.purchase)
        let question = try #require(await app.next("question"))
        #expect(question["data"]?.objectValue?["kind"] == .string("disclosure"))
        await app.configure(more)
        #expect(await declined.objectValue?["outcome"] == .string("cancelled"))
        #expect(
            await app.result("answerDisclosure", #"{"question":"1","isContinued":true}"#).code == "unknown-question"
        )
        // The next one keeps its token, and the host is gone before the website is open.
        async let second = app.result("purchaseWithCustomLink", Self.purchase)
        _ = await app.next("question", kind: "disclosure")
        // Another method does not answer it.
        #expect(await app.result("answerOpenURL", #"{"question":"2","isOpened":true}"#).code == "unknown-question")
        await app.result("answerDisclosure", #"{"question":"2","isContinued":true}"#)
        _ = await app.next("question", kind: "openURL")
        await app.result("configure", #"{"delivery":{"kind":"host"}}"#)
        #expect(await second.objectValue?["outcome"] == .string("destinationNotOpened"))
        #expect(await app.result("outboxStatus").objectValue?["pending"] == .integer(1))
        // The new host sends it.
        async let delivery = app.result("deliverDue")
        let send = try #require(await app.next("question", kind: "sendToken"))
        let token = send["data"]?.objectValue?["token"]?.objectValue
        #expect(token?["type"] == .string("LINK_OUT") && token?["text"]?.stringValue?.isEmpty == false)
        let id = try #require(send["data"]?.objectValue?["question"]?.stringValue)
        await app.result("answerSendToken", #"{"question":"\#(id)","delivery":"stored"}"#)
        #expect(await delivery == .members(["waitSeconds": .null]))
        #expect(await app.result("outboxStatus").objectValue?["pending"] == .integer(0))
    }

    @Test("A new configuration waits for a sheet that is shown, and the next purchase is under it (EK-57)")
    func configurationDuringPurchase() async throws {
        let (sheets, sheet) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let presenter = ScriptedPresenter(
            .decide { _ in
                sheet.yield()
                for await _ in answers { break }
                return .continue
            }
        )
        let app = try BridgeFixture(in: "KOR", presenter)
        await app.configure()
        async let purchase = app.result("presentNoticeSheet")
        for await _ in sheets { break }
        let isConfigured = Mutex(false)
        let configuring = Task {
            await app.configure(#","gates":["age"]"#)
            isConfigured.withLock { $0 = true }
        }
        for _ in 0..<20 { await Task.yield() }
        #expect(await app.result("presentNoticeSheet").outcome == "notOffered")
        #expect(isConfigured.withLock { !$0 })
        answer.yield()
        #expect(await purchase.outcome == "continued")
        await configuring.value
        let refused = await app.result("presentNoticeSheet")
        #expect(refused.objectValue?["notOffered"]?.objectValue?["kind"] == .string("gateClosed"))
    }

    @Test("A gate is closed until the host opens it, and a decision outlives a configuration (EK-55)")
    func gates() async throws {
        let app = try BridgeFixture(in: "DEU")
        await app.configure(#","gates":["age","consent"]"#)
        #expect(await app.result("purchaseWithCustomLink", Self.purchase).outcome == "notOffered")
        let half = await app.result("setGates", #"{"gates":{"age":{"isOpen":true}}}"#)
        let gate = half.objectValue?["availability"]?.objectValue?["closedGate"]?.objectValue
        #expect(gate?["name"] == .string("consent"))
        let open = await app.result("setGates", #"{"gates":{"consent":{"isOpen":true}}}"#)
        #expect(open.objectValue?["availability"]?.objectValue?["closedGate"] == .null)
        await app.configure(#","gates":["age"]"#)
        #expect(await app.result("purchaseWithCustomLink", Self.purchase).outcome == "continued")
    }

    @Test("What came of a flow is a result, whatever it is (EK-52)")
    func outcomes() async throws {
        let cancelling = try BridgeFixture(in: "KOR", ScriptedPresenter(.cancel, .fail(CancellationError())))
        await cancelling.configure()
        #expect(await cancelling.result("presentNoticeSheet").outcome == "cancelled")
        #expect(await cancelling.result("presentNoticeSheet").outcome == "failed")
        #expect(await cancelling.result("openLink").outcome == "notOffered")

        let links = try BridgeFixture(in: "NLD")
        await links.configure()
        let other = await links.result("openLink", #"{"url":"https://shop.example.com/other"}"#)
        #expect(other.objectValue?["notOffered"]?.objectValue?["kind"] == .string("noLinkChosen"))

        let japan = try BridgeFixture(in: "JPN")
        await japan.configure()
        let missing = await japan.result("purchaseWithCustomLink", Self.purchase)
        #expect(missing.objectValue?["notOffered"]?.objectValue?["kind"] == .string("disclosureMissing"))
        await japan.configure(#","tokenSchemes":{"JPN":{"kind":"periods","types":["SERVICES"]}}"#)
        let schemes = await japan.result("purchaseWithCustomLink", Self.purchase)
        #expect(schemes.objectValue?["missing"]?.arrayValue?.isEmpty == false)

        japan.session.canMakePayments = false
        let none = await japan.result("purchaseWithCustomLink", Self.purchase)
        #expect(none.objectValue?["notOffered"]?.objectValue?["kind"] == .string("paymentsNotAllowed"))
    }

    @Test("A disk that takes nothing is a result of a flow and an error of an operation (EK-52)")
    func disk() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bridge-file-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let app = try BridgeFixture(in: "KOR", folder: file.appending(path: "outbox"))
        await app.configure()
        let result = await app.result("presentNoticeSheet")
        let reason = result.objectValue?["notOffered"]?.objectValue
        #expect(reason?["kind"] == .string("storageFailed"))
        #expect(reason?["failure"]?.objectValue?["operation"] == .string("createFolder"))
        #expect(try BridgeSchema().violations(of: result, in: "presentNoticeSheet.result") == [])
        #expect(await app.result("retryRefused").code == "storage-failed")
        #expect(await app.result("dismissInterruptedRequests").code == "storage-failed")
    }

    @Test("The text of a token is in the question to send it and in the refused tokens, nowhere else (EK-53, EK-30)")
    func texts() async throws {
        let app = try BridgeFixture(in: "DEU")
        let stream = app.bridge.events
        let received = Mutex<[String]>([])
        let listening = Task {
            for await event in stream { received.withLock { $0.append(String(decoding: event, as: UTF8.self)) } }
        }
        func call(_ method: String, _ parameters: String = "{}") async {
            let answer = await app.result(method, parameters)
            received.withLock { $0.append("\(method) " + String(decoding: answer.encoded(), as: UTF8.self)) }
        }
        await call("configure", #"{"delivery":{"kind":"host"},"customerId":"c-4711"}"#)
        await call("refresh")
        async let delivery = app.result("deliverDue")
        await eventually("the question") { received.withLock { $0.contains { $0.contains("sendToken") } } }
        await call("answerSendToken", #"{"question":"1","delivery":"retry","afterSeconds":30}"#)
        let waits = await delivery
        received.withLock { $0.append("deliverDue " + String(decoding: waits.encoded(), as: UTF8.self)) }
        await app.configure(#","customerId":"c-4711""#)
        app.server.answer(.refused(reason: "status 422"))
        app.clock.advance(.seconds(60))
        await call("deliverDue")
        await call("refusedTokens")
        await call("retryRefused")
        await call("purchaseWithCustomLink", Self.purchase)
        await call("outboxStatus")
        await eventually("the log") { received.withLock { $0.contains { $0.contains("refused by the server") } } }
        listening.cancel()
        let messages = received.withLock(\.self)
        let texts = messages.filter { $0.contains("eyJ") }
        #expect(texts.count == 2, "\(texts)")
        #expect(texts.allSatisfy { $0.hasPrefix("refusedTokens ") || $0.contains(#""kind":"sendToken""#) })
        #expect(messages.filter { $0.contains(#""event":"log""#) }.allSatisfy { !$0.contains("c-4711") })
    }

    @Test("A host that never answers is asked again later; the token stays (EK-56)")
    func silentHost() async throws {
        let app = try BridgeFixture(in: "KOR")
        await app.result("configure", #"{"delivery":{"kind":"host"}}"#)
        await app.result("presentNoticeSheet")
        async let delivery = app.result("deliverDue")
        _ = await app.next("question")
        await app.result("stop")
        #expect(await delivery == .members(["waitSeconds": .integer(5)]))
        let status = await app.result("outboxStatus").objectValue
        #expect(status?["pending"] == .integer(1) && status?["lastFailure"] == .string("the host gave no answer"))
    }

    @Test("The native part of the page works as it stands (EK-50)")
    func shim() async throws {
        let app = try BridgeFixture(in: "KOR")
        let received = Mutex<[String]>([])
        let folder = app.folder.appending(path: "shim")
        let module = PurchaseModule(store: SimulatedExternalPurchaseStore(session: app.session), folder: folder) {
            event in
            received.withLock { $0.append(event) }
        }
        func configure(_ url: String) async -> String {
            let delivery = #"{"kind":"server","url":"\#(url)","publishableKey":"epk_publishable_1"}"#
            return await module.call(
                #"{"version":1,"id":"1","method":"configure","parameters":{"delivery":\#(delivery)}}"#
            )
        }
        // The transport of the kit refuses it with its own words, which the host sees.
        #expect(await configure("http://reports.example.com").contains("right is https://reports.example.com"))
        #expect(await configure("https://reports.example.com").contains(#""result""#))
        #expect(await module.call(#"{"version":1,"id":"2","method":"refresh"}"#).contains("noticeSheet"))
        await eventually("the event") { received.withLock { $0.contains { $0.contains(#""event":"availability""#) } } }
    }
}

extension JSONValue {
    /// The code of an answer that is an error.
    fileprivate var code: String? { objectValue?["error"]?.objectValue?["code"]?.stringValue }
    fileprivate var outcome: String? { objectValue?["outcome"]?.stringValue }
}
