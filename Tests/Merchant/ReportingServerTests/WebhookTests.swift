import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Payments
import Synchronization
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("Events to webhooks")
struct WebhookTests {
    /// A receiver in the same process, which answers as the test says.
    private final class Receiver: Sendable {
        struct Message: Hashable, Sendable {
            let eventId: String
            let body: [UInt8]
            let status: Int

            var json: [String: Any] {
                ((try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]) ?? [:]
            }
            var type: String { json["type"] as? String ?? "" }
            var subject: String { (json["subject"] as? [String: Any])?["id"] as? String ?? "" }
        }

        private let state = Mutex((messages: [Message](), answer: { @Sendable (_: Message) -> Int in 200 }))

        var messages: [Message] { state.withLock(\.messages) }
        var accepted: [Message] { messages.filter { $0.status == 200 } }

        func answer(_ status: @escaping @Sendable (Message) -> Int) { state.withLock { $0.answer = status } }

        func webhook(_ name: String, types: [String] = ["*"], apps: Set<BundleId>? = nil) -> EventWebhook {
            EventWebhook(
                name: name,
                types: types.reduce(into: []) { $0.formUnion(ChangeType.matching($1)) },
                apps: apps
            ) { [self] body, eventId in
                let asked = Message(eventId: eventId, body: body, status: 0)
                let status = state.withLock { state in
                    let status = state.answer(asked)
                    state.messages.append(Message(eventId: eventId, body: body, status: status))
                    return status
                }
                return DeliveryAnswer(status: status, error: status == 200 ? nil : "the receiver answered \(status)")
            }
        }
    }

    /// Starts the webhook `erp`, which gets the next change and all later ones.
    private static func start(
        _ types: [String] = ["*"],
        at sides: EmulatedMerchant
    ) async -> (receiver: Receiver, webhook: EventWebhook, sender: WebhookSender) {
        let receiver = Receiver()
        let webhook = receiver.webhook("erp", types: types)
        let sender = sides.merchant.webhookSender([webhook])
        await settle(sender, webhook)
        return (receiver, webhook, sender)
    }

    /// Runs rounds until nothing is due.
    private static func settle(_ sender: WebhookSender, _ webhook: EventWebhook) async {
        for _ in 0..<100 where await sender.round(of: webhook) == .more {}
    }

    @Test("A webhook gets the changes after its start that it selects, in commit order, as the feed has them")
    func selection() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let (all, sales, other) = (Receiver(), Receiver(), Receiver())
            let webhooks = [
                all.webhook("all"), sales.webhook("sales", types: ["sale.*", "report.accepted"]),
                other.webhook("other", apps: ["com.example.other"]),
            ]
            let sender = sides.merchant.webhookSender(webhooks)
            for webhook in webhooks { await Self.settle(sender, webhook) }
            let start = try await sides.get("/v1/changes?limit=1000").json["next"] as? String ?? ""
            for number in 1...3 { try await sides.sell("s\(number)", checkout: checkout) }
            await sides.runUntilIdle()
            for webhook in webhooks { await Self.settle(sender, webhook) }
            let told = try await sides.list("/v1/changes?limit=1000&after=\(start)", "changes")
            let types = told.compactMap { $0["type"] as? String }
            #expect(all.accepted.map(\.type).sorted() == types.sorted())
            #expect(
                all.accepted.map { $0.json as NSDictionary }.allSatisfy { message in
                    told.contains { message.isEqual(to: $0) }
                }
            )
            let selected = types.filter { $0.hasPrefix("sale.") || $0 == "report.accepted" }
            #expect(sales.accepted.map(\.type).sorted() == selected.sorted())
            #expect(other.messages.isEmpty)
            // Of each subject in order.
            for (subject, messages) in Dictionary(grouping: all.accepted, by: \.subject) {
                let cursors = messages.compactMap { $0.json["cursor"] as? String }
                let expected = told.filter { ($0["subject"] as? [String: Any])?["id"] as? String == subject }
                    .compactMap { $0["cursor"] as? String }
                #expect(cursors == expected)
            }
        }
    }

    @Test(
        "What is not accepted is sent again under its id with its bytes; later events of the subject wait, others do not"
    )
    func order() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, webhook, sender) = await Self.start(["sale.*"], at: sides)
            let checkout = try await sides.receiveToken()
            receiver.answer { $0.subject == "bad" ? 500 : 200 }
            try await sides.sell("bad", checkout: checkout)
            try await sides.sell("good", checkout: checkout)
            await sides.runUntilIdle()
            await Self.settle(sender, webhook)
            #expect(receiver.accepted.map(\.subject).contains("good"))
            // Of the refused subject only the first event was tried.
            let tried = receiver.messages.filter { $0.subject == "bad" }
            #expect(Set(tried.map(\.eventId)).count == 1)
            var attempts = tried.count
            for _ in 0..<5 {
                sides.advance(by: .minutes(30))
                await Self.settle(sender, webhook)
                let now = receiver.messages.filter { $0.subject == "bad" }
                #expect(now.count == attempts + 1 || now.count == attempts)
                #expect(Set(now.map(\.body)).count == 1)
                attempts = now.count
            }
            #expect(attempts > 2)
            receiver.answer { _ in 200 }
            sides.advance(by: .hours(8))
            await Self.settle(sender, webhook)
            let events = receiver.accepted.filter { $0.subject == "bad" }
            #expect(events.count > 1)
            #expect(events.first?.eventId == tried.first?.eventId)
            #expect(Set(events.map(\.eventId)).count == events.count)
        }
    }

    @Test("After three days an event is parked with a review item; it is not overtaken, and a person has it sent again")
    func parked() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, other) = (Receiver(), Receiver())
            let webhooks = [receiver.webhook("erp", types: ["sale.*"]), other.webhook("other", types: ["sale.*"])]
            let sender = sides.merchant.webhookSender(webhooks)
            for webhook in webhooks { await Self.settle(sender, webhook) }
            let checkout = try await sides.receiveToken()
            receiver.answer { _ in 503 }
            try await sides.sell("s", checkout: checkout)
            await sides.runUntilIdle()
            for _ in 0..<30 {
                for webhook in webhooks { await Self.settle(sender, webhook) }
                sides.advance(by: .hours(3))
            }
            // A receiver that is down stops no other one.
            #expect(other.accepted.count > 1)
            #expect(receiver.accepted.isEmpty)
            let parked = try await sides.list("/v1/deliveries?state=parked&webhook=erp", "deliveries")
            #expect(parked.count == 1)
            let tries = try #require(parked.first?["attempts"] as? [[String: Any]])
            #expect((8...30).contains(tries.count))
            #expect(
                tries.allSatisfy { $0["status"] as? Int == 503 && $0["error"] as? String != nil && $0["at"] != nil }
            )
            let review = try await sides.list("/v1/review", "review")
            #expect(review.map { $0["kind"] as? String } == ["webhook-parked"])
            receiver.answer { _ in 200 }
            sides.advance(by: .days(1))
            await Self.settle(sender, webhooks[0])
            #expect(receiver.accepted.isEmpty, "events behind a parked one wait")
            let id = try #require(parked.first?["id"] as? String)
            let answer = try await sides.post("/v1/deliveries/\(id)/redeliver", "")
            #expect(answer.status == .ok, "\(answer.json)")
            #expect(answer.json["state"] as? String == "waiting")
            let entries = try await sides.list("/v1/audit?kind=webhook-redelivered", "audit")
            #expect(entries.map { ($0["content"] as? [String: Any])?["webhook"] as? String } == ["erp"], "\(entries)")
            await Self.settle(sender, webhooks[0])
            #expect(receiver.accepted.map(\.eventId) == other.accepted.map(\.eventId))
            #expect(
                try await sides.list("/v1/deliveries?state=delivered&webhook=erp", "deliveries").count
                    == receiver.accepted.count
            )
        }
    }

    @Test("Pages of deliveries, filters that are wrong, and deliveries that nobody knows")
    func route() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, webhook, sender) = await Self.start(at: sides)
            _ = try await sides.receiveToken()
            _ = try await sides.receiveToken()
            await Self.settle(sender, webhook)
            let whole = try await sides.list("/v1/deliveries?limit=1000", "deliveries").compactMap {
                $0["id"] as? String
            }
            #expect(whole.count == receiver.accepted.count)
            var (pages, next): ([String], String?) = ([], nil)
            repeat {
                let answer = try await sides.get("/v1/deliveries?limit=1" + (next.map { "&after=\($0)" } ?? "")).json
                pages += (answer["deliveries"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
                next = answer["next"] as? String
            } while next != nil
            #expect(pages == whole)
            #expect(try await sides.list("/v1/deliveries?webhook=none", "deliveries").isEmpty)
            #expect(try await sides.get("/v1/deliveries?state=lost").status == .unprocessableContent)
            for id in ["999", "x", "-1"] {
                #expect(try await sides.post("/v1/deliveries/\(id)/redeliver", "").status == .notFound)
            }
            // One that was accepted goes out once more, under its id.
            let first = try #require(receiver.accepted.first)
            let id = try #require(whole.first)
            #expect(try await sides.post("/v1/deliveries/\(id)/redeliver", "").status == .ok)
            await Self.settle(sender, webhook)
            #expect(receiver.messages.last == first)
        }
    }

    @Test("An event that no webhook of the configuration takes is not sent again, and the answer says what is right")
    func withoutReceiver() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, webhook, sender) = await Self.start(["token.*"], at: sides)
            _ = try await sides.receiveToken()
            await Self.settle(sender, webhook)
            let path = "/v1/deliveries/1/redeliver"
            for (configured, part) in [
                ([receiver.webhook("other")], "no webhook 'erp'"),
                ([receiver.webhook("erp", types: ["sale.*"])], "does not take token."),
                ([receiver.webhook("erp", apps: ["com.example.other"])], "does not take token."),
            ] {
                _ = sides.merchant.webhookSender(configured)
                let answer = try await sides.post(path, "")
                #expect(answer.status == .conflict)
                #expect((answer.json["detail"] as? String)?.contains(part) == true, "\(answer.json)")
            }
            #expect(try await sides.list("/v1/audit?kind=webhook-redelivered", "audit").isEmpty)
            #expect(try await sides.list("/v1/deliveries?state=waiting", "deliveries").isEmpty)
        }
    }

    @Test("A server that ends before it recorded an answer sends the event again under its id, and none is lost")
    func restart() async throws {
        try await EmulatedMerchant.run { sides in
            let receiver = Receiver()
            let webhook = receiver.webhook("erp")
            await Self.settle(sides.merchant.webhookSender([webhook]), webhook)
            for _ in 0..<3 { _ = try await sides.receiveToken() }
            // The position and the deliveries are one commit, so that another process goes on where this one ended.
            _ = await sides.merchant.webhookSender([webhook]).round(of: webhook)
            let copy = try sides.copyLedger()
            for _ in 0..<2 { _ = try await sides.receiveToken() }
            await Self.settle(sides.merchant.webhookSender([webhook]), webhook)
            let expected = Set(receiver.messages.map(\.eventId))
            let again = Receiver()
            try await sides.restored(from: copy) { restored in
                let webhook = again.webhook("erp")
                await Self.settle(restored.merchant.webhookSender([webhook]), webhook)
                let known = try await restored.list("/v1/deliveries?limit=1000", "deliveries")
                #expect(Set(known.compactMap { $0["eventId"] as? String }).isSubset(of: expected))
                #expect(known.allSatisfy { $0["state"] as? String == "delivered" })
            }
            #expect(expected.count == receiver.messages.count)
        }
    }

    @Test("The pages of deliveries show each attempt, and an operator has an event sent again")
    func pages() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, webhook, sender) = await Self.start(["token.*"], at: sides)
            receiver.answer { _ in 500 }
            _ = try await sides.receiveToken()
            await Self.settle(sender, webhook)
            let first = try #require(receiver.messages.first)
            let people = DashboardAccess(
                isSignInNeeded: { true },
                user: { name, _ in Self.user(name) },
                present: { Self.user($0) }
            )
            let server = ReportingServer(system: sides.merchant, links: [:], dashboard: people)
            try await Application(router: server.router()).test(.router) { client in
                let (viewer, person) = (DashboardBrowser(client), DashboardBrowser(client))
                try await viewer.signIn("viewer")
                try await person.signIn("operator")
                for page in ["/deliveries", "/deliveries?webhook=erp&state=waiting", "/deliveries/1"] {
                    let html = try await viewer.page(page)
                    #expect(html.contains("the receiver answered 500"), "\(page)")
                    #expect(html.contains(first.eventId) == (page == "/deliveries/1"), "\(page)")
                    #expect(html.contains("/tokens/"), "\(page)")
                }
                #expect(try await viewer.page("/deliveries?state=parked").contains("No delivery matches"))
                #expect(try await viewer.send(.get, "/deliveries?state=lost").status == .unprocessableContent)
                #expect(try await viewer.send(.get, "/deliveries/999").status == .notFound)
                #expect(try await !viewer.page("/deliveries/1").contains("Send again"))
                #expect(try await viewer.submit("/deliveries/1/redeliver", from: "/").status == .forbidden)
                #expect(try await person.page("/deliveries/1").contains("Send again"))
                let done = try await person.submit("/deliveries/1/redeliver", from: "/deliveries/1")
                #expect(done.status == .seeOther)
                let count = receiver.messages.count
                receiver.answer { _ in 200 }
                await Self.settle(sender, webhook)
                #expect(
                    receiver.messages[count] == Receiver.Message(eventId: first.eventId, body: first.body, status: 200)
                )
                #expect(try await viewer.page("/deliveries/1").contains("delivered"))
            }
        }
    }

    @Test("A webhook that is narrowed never gets what waited before, and what it still takes goes on behind it")
    func narrowed() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, later) = (Receiver(), Receiver())
            let wide = receiver.webhook("erp")
            let sender = sides.merchant.webhookSender([wide])
            await Self.settle(sender, wide)
            receiver.answer { _ in 500 }
            let checkout = try await sides.receiveToken()
            for number in 1...3 { try await sides.sell("s\(number)", checkout: checkout) }
            await sides.runUntilIdle()
            for _ in 0..<40 {
                await Self.settle(sender, wide)
                sides.advance(by: .hours(2))
            }
            #expect(receiver.accepted.isEmpty)
            #expect(try await !sides.list("/v1/deliveries?state=parked", "deliveries").isEmpty)
            for (narrow, takes) in [
                (later.webhook("erp", types: ["sale.reported"]), { (type: String) in type == "sale.reported" }),
                (later.webhook("erp", apps: ["com.example.other"]), { _ in false }),
            ] {
                let count = later.messages.count
                let sender = sides.merchant.webhookSender([narrow])
                #expect(await sender.look(at: narrow))
                await Self.settle(sender, narrow)
                let got = later.messages.dropFirst(count).map(\.type)
                #expect(got.allSatisfy(takes), "\(got)")
                let left = try await sides.list("/v1/deliveries?limit=1000", "deliveries")
                #expect(
                    left.filter { $0["state"] as? String != "delivered" }.compactMap { $0["type"] as? String }
                        .allSatisfy(takes)
                )
                // One that was accepted is not sent to it either, whoever asks for it.
                for row in left where !takes(row["type"] as? String ?? "") {
                    _ = try await sides.post("/v1/deliveries/\(row["id"] as? String ?? "")/redeliver", "")
                }
                await Self.settle(sender, narrow)
                #expect(later.messages.dropFirst(count).map(\.type).allSatisfy(takes))
            }
            #expect(later.messages.count == 3, "the reported sales went on behind what was removed")
        }
    }

    @Test("A receiver that lets requests about one record hang gets those about the others at once")
    func hanging() async throws {
        try await EmulatedMerchant.run { sides in
            let receiver = Receiver()
            let hung = Mutex(0)
            let release = Mutex(false)
            let webhook = EventWebhook(name: "erp", types: ChangeType.matching("token.*"), apps: nil) { body, eventId in
                let isFirst = hung.withLock { count in
                    count += 1
                    return count <= 3
                }
                while isFirst, !release.withLock(\.self) { try? await Task.sleep(for: .milliseconds(2)) }
                if isFirst { return DeliveryAnswer(status: nil, error: "no answer") }
                return await receiver.webhook("erp").deliver(body, eventId)
            }
            let sender = sides.merchant.webhookSender([webhook])
            await Self.settle(sender, webhook)
            for _ in 0..<30 { _ = try await sides.receiveToken() }
            let round = Task { await sender.round(of: webhook) }
            // Those of other records go out while three hang, and what comes meanwhile too.
            while receiver.accepted.count < 27 { try await Task.sleep(for: .milliseconds(5)) }
            _ = try await sides.receiveToken()
            while receiver.accepted.count < 28 { try await Task.sleep(for: .milliseconds(5)) }
            release.withLock { $0 = true }
            #expect(await round.value == .more)
        }
    }

    @Test("A clock that was ahead holds up no event once it is right again")
    func clock() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, webhook, sender) = await Self.start(["token.*"], at: sides)
            receiver.answer { _ in 500 }
            _ = try await sides.receiveToken()
            let number: Int64 = 1
            let ahead = sides.now.advanced(by: .days(20))
            let attempt = WebhookAttempt(at: ahead, status: 500, error: "the receiver answered 500")
            await Self.settle(sender, webhook)
            try await sides.merchant.store.write { ledger throws(LedgerError) in
                try ledger.record([(number, attempt, .again(at: ahead + .seconds(5)))])
            }
            receiver.answer { _ in 200 }
            await Self.settle(sender, webhook)
            #expect(receiver.accepted.isEmpty)
            #expect(await sender.look(at: webhook))
            await Self.settle(sender, webhook)
            #expect(receiver.accepted.count == 1)
        }
    }

    @Test("Parked events have a review item again, although a person resolved the one that named them")
    func forgotten() async throws {
        try await EmulatedMerchant.run { sides in
            let (receiver, webhook, sender) = await Self.start(["token.*"], at: sides)
            receiver.answer { _ in 500 }
            for _ in 0..<3 { _ = try await sides.receiveToken() }
            for _ in 0..<40 {
                await Self.settle(sender, webhook)
                sides.advance(by: .hours(2))
            }
            #expect(try await sides.list("/v1/deliveries?state=parked", "deliveries").count == 3)
            let items = try await sides.list("/v1/review", "review")
            #expect(items.count == 1)
            let note = #"{"action":"resolve","by":"kim","note":"the receiver works"}"#
            let resolved = try await sides.post("/v1/review/1", note)
            #expect(resolved.status == .ok, "\(resolved.json)")
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            #expect(await sender.look(at: webhook))
            let again = try await sides.list("/v1/review", "review")
            #expect(again.map { $0["kind"] as? String } == ["webhook-parked"])
            #expect((again.first?["detail"] as? String)?.contains("3 events") == true, "\(again)")
        }
    }

    private static func user(_ name: String) -> DashboardAccess.User? {
        UserRole(rawValue: name).map { DashboardAccess.User(name: name, credential: "c", role: $0) }
    }

    @Test("The signature is that of another implementation, for both kinds of secrets")
    func signature() {
        for (secret, expected) in [
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "OdnNLyibKqDOcUiAklLaQRNBobdKEkLGWUmUENTGSBA="),
            ("0123456789abcdef-plain", "UWb+pOnfMjaiRM4oXJTXl0tF9344RYT9KOdLe1kwswo="),
        ] {
            let value = StandardWebhookSignature.value(
                of: Array(#"{"a":1}"#.utf8),
                id: "evt_1",
                seconds: 1_795_176_000,
                secret: secret
            )
            #expect(value == "v1,\(expected)")
        }
    }

    @Test(
        "Names and patterns of events",
        arguments: [
            ("sale.*", 6), ("*", ChangeType.allCases.count), ("report.refused", 1), ("deadline.*", 2), ("sale", 0),
            ("sal*", 0), ("sale.*.x", 0), ("", 0), ("sale.unknown", 0),
        ]
    )
    func patterns(_ pattern: String, _ count: Int) { #expect(ChangeType.matching(pattern).count == count) }
}
