import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite("Notifications fall due by the virtual clock")
struct NotificationTests {
    /// An emulator whose app has the receiver's URL.
    private func run(
        status: Int = 200,
        now: String,
        settings: [String] = ["auth.clock=virtual"],
        _ test: @Sendable @escaping (EmulatorUnderTest, NotificationReceiver) async throws -> Void
    ) async throws {
        let start = try #require(Timestamp(rfc3339: now))
        try await NotificationReceiver.run(status: status) { receiver, address in
            let app = AppRegistration(
                bundleId: EmulatorUnderTest.shop,
                appAppleId: 1_234_567_890,
                notificationURLs: NotificationURLs(address)
            )
            try await EmulatorUnderTest.run(settings: settings, apps: [app], now: start) { emulator in
                try await test(emulator, receiver)
            }
        }
    }

    private func advance(_ emulator: EmulatorUnderTest, to moment: String) async throws {
        let answer = try await emulator.control(.PUT, "/clock", #"{"now":"\#(moment)"}"#)
        #expect(answer.status == 200, "\(answer.body)")
    }

    /// The subtypes and moments of all delivery attempts, in the order in which the notifications were made.
    private func attempts(_ emulator: EmulatorUnderTest) async throws -> [String] {
        let records = try await emulator.control(.GET, "/notifications").json?.arrayValue ?? []
        return records.compactMap(\.objectValue).map { record in
            let moments = record["sendAttempts"]?.arrayValue?.compactMap(\.objectValue).map { attempt in
                let date = Timestamp(milliseconds: attempt["attemptDate"]?.int64Value ?? 0).description
                return "\(date) \(attempt["sendAttemptResult"]?.stringValue ?? "")"
            }
            return "\(record["subtype"]?.stringValue ?? ""): \((moments ?? []).joined(separator: ", "))"
        }
    }

    @Test("A plain token without report: UNREPORTED on day ten, then five retries (NT-51, NT-103)")
    func unreportedPlain() async throws {
        try await run(status: 500, now: "2026-11-01T00:00:00Z") { emulator, receiver in
            let body = #"{"bundleId":"com.example.shop","environment":"production"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2026-12-31T00:00:00Z")
            let failed = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
            let moments = [
                "2026-11-11T00:00:00Z", "2026-11-11T01:00:00Z", "2026-11-11T13:00:00Z", "2026-11-12T13:00:00Z",
                "2026-11-14T13:00:00Z", "2026-11-17T13:00:00Z",
            ]
            #expect(
                try await attempts(emulator)
                    == ["UNREPORTED: " + moments.map { "\($0) \(failed)" }.joined(separator: ", ")]
            )
            // The same bytes every time (NT-52).
            #expect(receiver.bodies.count == 6)
            #expect(Set(receiver.bodies).count == 1)
        }
    }

    @Test("A sandbox SERVICES token: CREATED, no reminder, UNREPORTED a minute after its hour (NT-46, NT-104)")
    func sandboxServices() async throws {
        try await run(status: 500, now: "2026-11-20T10:00:00Z") { emulator, _ in
            let body = #"{"bundleId":"com.example.shop","environment":"sandbox","tokenType":"SERVICES"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2026-11-21T10:00:00Z")
            let failed = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
            #expect(
                try await attempts(emulator) == [
                    "CREATED: 2026-11-20T10:00:00Z \(failed)", "UNREPORTED: 2026-11-20T11:01:00Z \(failed)",
                ]
            )
        }
    }

    private static let services =
        #"{"bundleId":"com.example.shop","environment":"production","tokenType":"SERVICES","#
        + #""externalPurchaseId":"4d3f0000-0000-4000-8000-00000000000b"}"#

    @Test("A SERVICES token that is reported as a duplicate gets no further reminders (NT-105)")
    func reminderEndsWithDuplicate() async throws {
        try await run(now: "2026-10-01T00:00:00Z") { emulator, receiver in
            #expect(try await emulator.control(.POST, "/tokens", Self.services).status == 201)
            try await advance(emulator, to: "2026-11-15T00:00:00Z")
            let report =
                #"{"requestIdentifier":"\#(Body.request(1))","externalPurchaseId":"#
                + #""4d3f0000-0000-4000-8000-00000000000b","status":"DUPLICATE_TOKEN"}"#
            let now = try #require(Timestamp(rfc3339: "2026-11-15T00:00:00Z"))
            #expect(try await emulator.put(report, now: now).status == 200)
            try await advance(emulator, to: "2027-12-31T00:00:00Z")
            #expect(
                try await attempts(emulator) == [
                    "CREATED: 2026-10-01T00:00:00Z SUCCESS", "ACTIVE_TOKEN_REMINDER: 2026-10-31T00:00:00Z SUCCESS",
                ]
            )
            let token = receiver.payloads.last?["externalPurchaseToken"]?.objectValue
            #expect(token?["tokenType"]?.stringValue == "SERVICES")
            #expect(token?["tokenExpirationDate"]?.int64Value == 1_822_348_800_000)
        }
    }

    @Test("Without a report: a reminder every thirty days, UNREPORTED a minute after the end (NT-45, NT-105)")
    func remindersToTheEnd() async throws {
        try await run(now: "2026-10-01T00:00:00Z") { emulator, _ in
            #expect(try await emulator.control(.POST, "/tokens", Self.services).status == 201)
            try await advance(emulator, to: "2027-12-31T00:00:00Z")
            let made = try await attempts(emulator)
            #expect(made.count == 14)
            #expect(made.first == "CREATED: 2026-10-01T00:00:00Z SUCCESS")
            #expect(made[12] == "ACTIVE_TOKEN_REMINDER: 2027-09-26T00:00:00Z SUCCESS")
            #expect(made[13] == "UNREPORTED: 2027-10-01T00:01:00Z SUCCESS")
        }
    }

    @Test("A NO_LINE_ITEM report does not end reminders, and prevents UNREPORTED (NT-45)")
    func noLineItem() async throws {
        try await run(now: "2026-10-01T00:00:00Z") { emulator, _ in
            #expect(try await emulator.control(.POST, "/tokens", Self.services).status == 201)
            let report = Body.noLineItem(1, token: "4d3f0000-0000-4000-8000-00000000000b")
            let now = try #require(Timestamp(rfc3339: "2026-10-01T00:00:00Z"))
            #expect(try await emulator.put(report, now: now).status == 200)
            try await advance(emulator, to: "2027-12-31T00:00:00Z")
            let made = try await attempts(emulator)
            #expect(made.count == 13)
            #expect(!made.contains { $0.hasPrefix("UNREPORTED") })
        }
    }

    @Test("Settings move the moments and the families (spec/06 section 4)")
    func settings() async throws {
        let settings = [
            "auth.clock=virtual", "notify.createdFor=plain,customLink", "notify.unreportedAfter=2d",
            "notify.unreportedRepeat=1d",
        ]
        try await run(now: "2026-11-01T00:00:00Z", settings: settings) { emulator, _ in
            let body = #"{"bundleId":"com.example.shop","environment":"production"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2026-11-05T12:00:00Z")
            #expect(
                try await attempts(emulator) == [
                    "CREATED: 2026-11-01T00:00:00Z SUCCESS", "UNREPORTED: 2026-11-03T00:00:00Z SUCCESS",
                    "UNREPORTED: 2026-11-04T00:00:00Z SUCCESS", "UNREPORTED: 2026-11-05T00:00:00Z SUCCESS",
                ]
            )
        }
    }

    @Test("Notifications that were due before a token was minted are not sent afterwards")
    func mintedLate() async throws {
        try await run(now: "2026-11-20T00:00:00Z") { emulator, receiver in
            let body = #"{"bundleId":"com.example.shop","environment":"production","creationDate":1790812800000}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2027-11-20T00:00:00Z")
            #expect(receiver.bodies.isEmpty)
        }
    }

    @Test("Without an address a notification is recorded, not sent, and absent from history (NT-47)")
    func withoutAddress() async throws {
        let start = try #require(Timestamp(rfc3339: "2026-11-01T00:00:00Z"))
        try await EmulatorUnderTest.run(now: start) { emulator in
            let body = #"{"bundleId":"com.example.shop","environment":"production"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2026-11-12T00:00:00Z")
            #expect(try await attempts(emulator) == ["UNREPORTED: "])
            let now = try #require(Timestamp(rfc3339: "2026-11-12T00:00:00Z"))
            let answer = try await emulator.call(
                .POST,
                "/inApps/v1/notifications/history?environment=production",
                #"{"startDate":1793491200000,"endDate":1799000000000}"#,
                headers: ["Authorization": try await emulator.bearer(now: now)]
            )
            #expect(answer.json?.objectValue?["notificationHistory"] == .array([]))
        }
    }

    @Test(
        "Every kind of failed delivery has its name (NT-50, NT-53)",
        arguments: [(301, 1), (404, 1), (500, 1), (206, 0)]
    )
    func statuses(status: Int, failures: Int) async throws {
        try await run(status: status, now: "2026-11-20T10:00:00Z") { emulator, receiver in
            let body = #"{"bundleId":"com.example.shop","environment":"sandbox","tokenType":"SERVICES"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2026-11-20T10:00:01Z")
            let made = try await attempts(emulator)
            #expect(
                made == [
                    "CREATED: 2026-11-20T10:00:00Z \(failures == 0 ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE")"
                ]
            )
            // A redirect is not followed.
            #expect(receiver.bodies.count == 1)
        }
    }

    @Test("Nobody at the address is SOCKET_ISSUE (NT-53)")
    func nobody() async throws {
        let app = AppRegistration(
            bundleId: EmulatorUnderTest.shop,
            appAppleId: 1_234_567_890,
            notificationURLs: NotificationURLs("http://127.0.0.1:1/")
        )
        try await EmulatorUnderTest.run(apps: [app]) { emulator in
            let body = #"{"bundleId":"com.example.shop","environment":"sandbox","tokenType":"SERVICES"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            try await advance(emulator, to: "2026-11-20T12:00:01Z")
            #expect(try await attempts(emulator) == ["CREATED: 2026-11-20T12:00:00Z SOCKET_ISSUE"])
        }
    }

    @Test("Notifications of one token leave in their order, and one that fails does not hold up the next (NT-54)")
    func failingFirst() async throws {
        try await run(now: "2026-10-01T00:00:00Z") { emulator, receiver in
            receiver.answer(500)
            #expect(try await emulator.control(.POST, "/tokens", Self.services).status == 201)
            try await advance(emulator, to: "2026-10-01T00:30:00Z")
            receiver.answer(500)
            let order = #"{"externalPurchaseId":"4d3f0000-0000-4000-8000-00000000000b","subtype":"UNREPORTED"}"#
            #expect(try await emulator.control(.POST, "/notifications", order).status == 201)
            #expect(receiver.payloads.compactMap { $0["subtype"]?.stringValue } == ["CREATED", "UNREPORTED"])
            try await advance(emulator, to: "2026-10-01T02:00:00Z")
            // Both are repeated, each an hour after its own attempt.
            #expect(
                try await attempts(emulator) == [
                    "CREATED: 2026-10-01T00:00:00Z UNSUCCESSFUL_HTTP_RESPONSE_CODE, 2026-10-01T01:00:00Z SUCCESS",
                    "UNREPORTED: 2026-10-01T00:30:00Z UNSUCCESSFUL_HTTP_RESPONSE_CODE, 2026-10-01T01:30:00Z SUCCESS",
                ]
            )
        }
    }

    @Test("A thousand tokens over two hundred days are worked off in order (NT-101, NT-102)")
    func thousandTokens() async throws {
        // On a slow machine a delivery that took too long would be repeated.
        try await run(now: "2026-10-01T00:00:00Z", settings: ["notify.timeout=1h"]) { emulator, receiver in
            for _ in 0..<1_000 {
                let body = #"{"bundleId":"com.example.shop","environment":"production"}"#
                #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            }
            for _ in 0..<20 {
                #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":864000}"#).status == 200)
            }
            #expect(receiver.bodies.count == 1_000)
            let backwards = try await emulator.control(.PUT, "/clock", #"{"now":"2026-10-05T00:00:00Z"}"#)
            #expect(backwards.status == 422)
        }
    }

    @Test("A clock with a rate advances by itself, and due events happen (NT-100)")
    func rate() async throws {
        let settings = ["auth.clock=virtual", "clock.rate=86400"]
        try await run(now: "2026-10-01T00:00:00Z", settings: settings) { emulator, receiver in
            let body = #"{"bundleId":"com.example.shop","environment":"sandbox","tokenType":"SERVICES"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            for _ in 0..<10_000 where receiver.bodies.count < 2 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(receiver.payloads.compactMap { $0["subtype"]?.stringValue } == ["CREATED", "UNREPORTED"])
        }
    }
}
