import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKitBridge

@Suite("The events of the bridge")
@MainActor
struct EventTests {
    let page: BridgePage
    let schema: BridgeSchema

    init() throws {
        page = try BridgePage()
        schema = try BridgeSchema()
    }

    /// Compares an event with the example of its section.
    private func compare(_ name: String, number: Int = 0, _ event: JSONObject?) throws {
        let event = JSONValue.object(try #require(event))
        let examples = try #require(page.events[name])
        #expect(event.withoutExplanations.formatted() == examples[number].formatted())
        #expect(try schema.violations(of: event, in: "\(name).event") == [])
    }

    @Test("A change of what may be offered and of the outbox is an event, as the page shows it (EK-54)")
    func changes() async throws {
        let app = try BridgeFixture(in: "KOR")
        await app.configure()
        await app.result("refresh")
        try compare("availability", await app.next("availability"))
        await app.result("presentNoticeSheet")
        while let event = await app.next("outboxStatus") {
            guard event["data"]?.objectValue?["pending"] == .integer(1) else { continue }
            try compare("outboxStatus", event)
            break
        }
    }

    @Test("Questions are the events that the page shows (EK-56)")
    func questions() async throws {
        let app = try BridgeFixture(in: "JPN")
        let more = #""showsDisclosure":true,"opensURL":true"#
        await app.result("configure", #"{"delivery":{"kind":"host"},\#(more)}"#)
        async let purchase = app.result(
            "purchaseWithCustomLink",
            #"{"destination":{"kind":"outOfApp","url":"https://shop.example.com/offer"}}"#
        )
        try compare("question", number: 0, await app.next("question"))
        await app.result("answerDisclosure", #"{"question":"1","isContinued":true}"#)
        try compare("question", number: 1, await app.next("question"))
        await app.result("answerOpenURL", #"{"question":"2","isOpened":true}"#)
        #expect(await purchase.objectValue?["outcome"] == .string("continued"))
        async let delivery = app.result("deliverDue")
        try compare("question", number: 2, await app.next("question"))
        await app.result("answerSendToken", #"{"question":"3","delivery":"stored"}"#)
        #expect(await delivery == .members(["waitSeconds": .null]))
    }

    @Test("The log is an event, as the page shows it (EK-54)")
    func log() async throws {
        let app = try BridgeFixture(in: "KOR")
        await app.configure()
        await app.result("presentNoticeSheet")
        try compare("log", await app.next("log", kind: "stored"))
    }

    @Test("Of what nobody reads the newest state waits, every question, and a bounded log that says so (EK-54)")
    func bounds() async throws {
        let queue = EventQueue()
        queue.add(.question, JSONObject(), question: "1")
        for number in 0..<2_500 {
            queue.add(.outboxStatus, ["pending": .count(number)])
            queue.add(.log, ["message": .count(number)])
        }
        queue.add(.question, JSONObject(), question: "2")
        queue.add(.question, JSONObject(), question: "3")
        queue.removeQuestion("2")
        queue.add(.availability, JSONObject())
        var events: [JSONObject] = []
        for await event in queue.stream() {
            let object = try #require(try JSONReader().read(Array(event)).objectValue)
            events.append(object)
            if object["event"] == .string("availability") { break }
        }
        func data(_ name: String) -> [JSONObject] {
            events.filter { $0["event"] == .string(name) }.compactMap { $0["data"]?.objectValue }
        }
        #expect(data("question").count == 2)
        #expect(data("outboxStatus").map { $0["pending"] } == [.count(2_499)])
        let log = data("log")
        #expect(log.count == EventQueue.largestLog)
        #expect(log.first?["message"] == .count(1_500))
        #expect(log.map { $0["lost"] } == [.count(1_500)] + Array(repeating: .count(0), count: 999))
    }

    @Test("A second stream takes over, and a stream whose task ended takes nothing (EK-54)", .timeLimit(.minutes(10)))
    func listeners() async {
        let queue = EventQueue()
        let first = queue.stream()
        let reading = Task {
            var count = 0
            for await _ in first { count += 1 }
            return count
        }
        queue.add(.log, JSONObject())
        await Task.yield()
        let second = queue.stream()
        queue.add(.availability, JSONObject())
        let early = await reading.value
        let cancelled = Task { for await _ in queue.stream() {} }
        cancelled.cancel()
        await cancelled.value
        _ = second
        queue.add(.question, JSONObject(), question: "1")
        var seen = early
        for await event in queue.stream() {
            seen += 1
            if String(decoding: event, as: UTF8.self).contains("question") { break }
        }
        // Availability may have gone to the task that was cancelled.
        #expect(seen >= 2)
    }
}
