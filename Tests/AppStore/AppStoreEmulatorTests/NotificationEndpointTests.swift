import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite("Test notifications and history, as Apple's endpoints")
struct NotificationEndpointTests {
    private func run(
        status: Int = 200,
        _ test: @Sendable @escaping (EmulatorUnderTest, NotificationReceiver) async throws -> Void
    ) async throws {
        try await NotificationReceiver.run(status: status) { receiver, address in
            let apps = [
                AppRegistration(
                    bundleId: EmulatorUnderTest.shop,
                    appAppleId: 1_234_567_890,
                    notificationURLs: NotificationURLs(address)
                ),
                AppRegistration(bundleId: "com.example.other", appAppleId: 7),
            ]
            try await EmulatorUnderTest.run(apps: apps) { emulator in try await test(emulator, receiver) }
        }
    }

    private func ask(
        _ emulator: EmulatorUnderTest,
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        bundleId: BundleId = EmulatorUnderTest.shop,
        now: Timestamp = EmulatorUnderTest.now
    ) async throws -> EmulatorUnderTest.Answer {
        let authorization = try await emulator.bearer(bundleId: bundleId, now: now)
        let headers = ["Authorization": authorization]
        return try await emulator.call(method, "/inApps/v1/notifications" + path, body, headers: headers)
    }

    /// Sandbox `SERVICES` tokens, whose `CREATED` notifications are delivered when this returns.
    private func mint(_ count: Int, _ emulator: EmulatorUnderTest) async throws {
        for _ in 0..<count {
            let body = #"{"bundleId":"com.example.shop","environment":"sandbox","tokenType":"SERVICES"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
        }
        #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#).status == 200)
    }

    private static func code(_ answer: EmulatorUnderTest.Answer) -> Int64? { answer["errorCode"]?.int64Value }

    // MARK: Environment

    @Test(
        "An unknown environment is refused, not treated as the sandbox (NT-71)",
        arguments: [
            "environment=AAA", "environment=Production", "environment=", "environment=sandbox&environment=production",
        ]
    )
    func unknownEnvironment(query: String) async throws {
        try await run { emulator, receiver in
            for path in ["/history", "/test"] {
                let answer = try await ask(emulator, .POST, "\(path)?\(query)", Self.range)
                #expect(answer.status == 400, "\(path): \(answer.body)")
                #expect(Self.code(answer) == 4_000_000)
            }
            #expect(try await emulator.journal().map { $0["reason"] } == [.string("4000000"), .string("4000000")])
            #expect(receiver.bodies.isEmpty)
        }
    }

    // MARK: Test

    @Test("A test notification is sent, and its status shows payload and attempt (NT-70 to NT-73)")
    func testNotification() async throws {
        try await run { emulator, receiver in
            for environment in ["sandbox", "production"] {
                let query = environment == "sandbox" ? "" : "?environment=production"
                let requested = try await ask(emulator, .POST, "/test" + query)
                #expect(requested.status == 200, "\(requested.body)")
                let token = try #require(requested["testNotificationToken"]?.stringValue)
                let parts = token.split(separator: "_")
                #expect(parts.count == 2 && RequestIdentifier(String(parts[0])) != nil)
                #expect(parts.last.flatMap { Int64($0) } == EmulatorUnderTest.now.milliseconds)
                var status = try await ask(emulator, .GET, "/test/\(token)")
                for _ in 0..<30_000 where status.status == 404 {
                    #expect(Self.code(status) == 4_040_008)
                    try await Task.sleep(for: .milliseconds(10))
                    status = try await ask(emulator, .GET, "/test/\(token)")
                }
                #expect(status.status == 200, "\(status.body)")
                let attempts = status["sendAttempts"]?.arrayValue?.compactMap(\.objectValue) ?? []
                #expect(attempts.map { $0["sendAttemptResult"] } == [.string("SUCCESS")])
                #expect(attempts.first?["attemptDate"]?.int64Value == EmulatorUnderTest.now.milliseconds)
                let delivered = try #require(receiver.payloads.last)
                #expect(receiver.bodies.last?.contains(status["signedPayload"]?.stringValue ?? "?") == true)
                #expect(delivered["notificationType"] == .string("TEST"))
                #expect(delivered["subtype"] == nil && delivered["externalPurchaseToken"] == nil)
                let data = delivered["data"]?.objectValue
                #expect(data?["bundleId"] == .string("com.example.shop"))
                #expect(data?["environment"] == .string(environment == "sandbox" ? "Sandbox" : "Production"))
                #expect(data?["appAppleId"]?.int64Value == (environment == "sandbox" ? nil : 1_234_567_890))
            }
        }
    }

    @Test("Without an address there is no test notification: 404 and 4040007 (NT-70)")
    func noAddress() async throws {
        try await run { emulator, receiver in
            let answer = try await ask(emulator, .POST, "/test", bundleId: "com.example.other")
            #expect(answer.status == 404)
            #expect(answer.contentType == "application/json")
            #expect(
                answer.body
                    == #"{"errorCode":4040007,"errorMessage":"No App Store Server Notification URL found for provided app. "#
                    + #"Check that a URL is configured in App Store Connect for this environment."}"#
            )
            #expect(receiver.bodies.isEmpty)
        }
    }

    @Test(
        "The status of nothing is refused by the form of the token (NT-72)",
        arguments: [
            ("x", 400, 4_000_020), ("%20", 400, 4_000_020), ("00000000-0000-4000-8000-000000000001", 400, 4_000_020),
            ("00000000-0000-4000-8000-000000000001_x", 400, 4_000_020),
            ("00000000-0000-4000-8000-000000000001_-1", 400, 4_000_020),
            ("00000000-0000-4000-8000-000000000001_99999999999999999999", 400, 4_000_020),
            ("00000000-0000-4000-8000-000000000001_1795176000000_1", 400, 4_000_020),
            ("00000000-0000-4000-8000-000000000001_1795176000000", 404, 4_040_008),
        ]
    )
    func unknownStatus(token: String, status: Int, code: Int64) async throws {
        try await run { emulator, _ in
            let answer = try await ask(emulator, .GET, "/test/\(token)")
            #expect(answer.status == status)
            #expect(Self.code(answer) == code)
        }
    }

    @Test("A status belongs to its app and is stored for six months (NT-72)")
    func statusIsKept() async throws {
        try await run { emulator, _ in
            let token = try #require(try await ask(emulator, .POST, "/test")["testNotificationToken"]?.stringValue)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":15552000}"#)
            let after = EmulatorUnderTest.now + .days(180)
            #expect(try await ask(emulator, .GET, "/test/\(token)", now: after).status == 200)
            let other = try await ask(emulator, .GET, "/test/\(token)", bundleId: "com.example.other", now: after)
            #expect(Self.code(other) == 4_040_008)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
            #expect(Self.code(try await ask(emulator, .GET, "/test/\(token)", now: after)) == 4_040_008)
        }
    }

    // MARK: History

    private static let now = EmulatorUnderTest.now.milliseconds
    private static let range = #"{"startDate":\#(now - 1_000),"endDate":\#(now + 86_400_000)}"#

    private static func payloads(_ answer: EmulatorUnderTest.Answer) -> [String] {
        answer["notificationHistory"]?.arrayValue?.compactMap { $0.objectValue?["signedPayload"]?.stringValue } ?? []
    }

    @Test("Pages of twenty, oldest first, contain every record once and no later ones (NT-80, NT-81)")
    func pages() async throws {
        try await run { emulator, receiver in
            try await mint(25, emulator)
            try await mint(20, emulator)
            let now = EmulatorUnderTest.now + .seconds(2)
            var answer = try await ask(emulator, .POST, "/history", Self.range, now: now)
            var pages = [Self.payloads(answer)]
            try await mint(1, emulator)
            while let token = answer["paginationToken"]?.stringValue {
                #expect(answer["hasMore"] == .bool(true))
                answer = try await ask(emulator, .POST, "/history?paginationToken=\(token)", Self.range, now: now)
                #expect(answer.status == 200, "\(answer.body)")
                pages.append(Self.payloads(answer))
                try #require(pages.count < 9)
            }
            #expect(answer["hasMore"] == .bool(false))
            #expect(pages.map(\.count) == [20, 20, 5])
            let told = pages.flatMap(\.self)
            #expect(Set(told).count == 45)
            func order(_ signed: String) -> [String] {
                let payload = NotificationReceiver.payload(#"{"signedPayload":"\#(signed)"}"#)
                let id = payload?["notificationUUID"]?.stringValue ?? ""
                return [String(payload?["signedDate"]?.int64Value ?? 0), id]
            }
            #expect(told.map(order) == told.map(order).sorted { $0.lexicographicallyPrecedes($1) })
            #expect(Set(receiver.bodies.prefix(45)) == Set(told.map { #"{"signedPayload":"\#($0)"}"# }))
            let other = try await ask(emulator, .POST, "/history", Self.range, bundleId: "com.example.other", now: now)
            #expect(Self.payloads(other).isEmpty)
            let production = try await ask(emulator, .POST, "/history?environment=production", Self.range, now: now)
            #expect(Self.payloads(production).isEmpty)
        }
    }

    @Test("A page token is valid for its query, app and environment, for a day (NT-82)")
    func pageTokens() async throws {
        try await run { emulator, _ in
            try await mint(21, emulator)
            let first = try await ask(emulator, .POST, "/history", Self.range)
            let token = try #require(first["paginationToken"]?.stringValue)
            let path = "/history?paginationToken=\(token)"
            #expect(try await ask(emulator, .POST, path, Self.range).status == 200)
            let otherBody = Self.range.replacing("}", with: #","onlyFailures":false}"#)
            #expect(Self.code(try await ask(emulator, .POST, path, otherBody)) == 4_000_014)
            // The library for Swift orders members anew in each process; the one for Node ends every address with `?`.
            let members = try #require(try JSONReader().read(Self.range).objectValue).members
            let reversed = JSONValue.object(JSONObject(members.reversed() + [.init("transactionId", .null)]))
            #expect(try await ask(emulator, .POST, path, reversed.formatted()).status == 200)
            #expect(try await ask(emulator, .POST, "/history?", Self.range).status == 200)
            let otherApp = try await ask(emulator, .POST, path, Self.range, bundleId: "com.example.other")
            #expect(Self.code(otherApp) == 4_000_014)
            #expect(
                Self.code(try await ask(emulator, .POST, path + "&environment=production", Self.range)) == 4_000_014
            )
            let flipped = token.replacing(token.suffix(1), with: token.hasSuffix("A") ? "B" : "A")
            let damaged = try await ask(emulator, .POST, "/history?paginationToken=\(flipped)", Self.range)
            #expect(Self.code(damaged) == 4_000_014)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":86400}"#)
            let day = EmulatorUnderTest.now + .seconds(86_401)
            #expect(try await ask(emulator, .POST, path, Self.range, now: day).status == 200)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
            #expect(Self.code(try await ask(emulator, .POST, path, Self.range, now: day)) == 4_000_017)
        }
    }

    @Test("Type, subtype and failures narrow history (NT-81)")
    func narrowed() async throws {
        try await run(status: 500) { emulator, receiver in
            receiver.answer(200, 500)
            try await mint(2, emulator)
            _ = try await ask(emulator, .POST, "/test")
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
            func count(_ members: String) async throws -> Int {
                let answer = try await ask(
                    emulator,
                    .POST,
                    "/history",
                    Self.range.replacing("}", with: members + "}"),
                    now: EmulatorUnderTest.now + .seconds(2)
                )
                #expect(answer.status == 200, "\(answer.body)")
                return Self.payloads(answer).count
            }
            #expect(try await count("") == 3)
            #expect(try await count(#","onlyFailures":true"#) == 2)
            #expect(try await count(#","notificationType":"TEST""#) == 1)
            #expect(try await count(#","notificationType":"EXTERNAL_PURCHASE_TOKEN""#) == 2)
            let created = #","notificationType":"EXTERNAL_PURCHASE_TOKEN","notificationSubtype":"CREATED""#
            #expect(try await count(created) == 2)
            #expect(try await count(created.replacing("CREATED", with: "UNREPORTED")) == 0)
            #expect(try await count(#","notificationType":null,"unknown":7"#) == 3)
        }
    }

    @Test("The range includes its start and excludes its end, and an end in the future counts as now (NT-81)")
    func range() async throws {
        try await run { emulator, _ in
            try await mint(1, emulator)
            func count(_ start: Int64, _ end: Int64) async throws -> Int {
                let body = #"{"startDate":\#(start),"endDate":\#(end)}"#
                return Self.payloads(try await ask(emulator, .POST, "/history", body)).count
            }
            #expect(try await count(Self.now, Self.now + 1) == 1)
            #expect(try await count(Self.now - 1, Self.now) == 0)
            #expect(try await count(Self.now + 1, Self.now + 2) == 0)
            #expect(try await count(Self.now, 9_999_999_999_999) == 1)
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let code: Int64
        let body: String
        var query = ""
        var testDescription: String { "\(code) \(body) \(query)" }

        /// Every row also violates those below it, so that the test shows the order.
        static let all: [Refusal] = [
            .init(code: 4_000_000, body: "", query: "?paginationToken=x"),
            .init(code: 4_000_000, body: "[]", query: "?paginationToken=x"),
            .init(code: 4_000_000, body: #"{"notificationType":7}"#, query: "?paginationToken=x"),
            .init(code: 4_000_000, body: #"{"notificationSubtype":true}"#, query: "?paginationToken=x"),
            .init(code: 4_000_000, body: #"{"transactionId":1}"#, query: "?paginationToken=x"),
            .init(code: 4_000_000, body: #"{"onlyFailures":"true"}"#, query: "?paginationToken=x"),
            .init(code: 4_000_014, body: "{}", query: "?paginationToken=x"),
            .init(code: 4_000_014, body: "{}", query: "?paginationToken="),
            .init(code: 4_000_014, body: "{}", query: "?paginationToken=MS4yLjMuNC5hLmI"),
            .init(code: 4_000_015, body: "{}"),
            .init(code: 4_000_015, body: #"{"startDate":"1795176000000","endDate":1}"#),
            .init(code: 4_000_015, body: #"{"startDate":1795176000000.5,"endDate":1}"#),
            .init(code: 4_000_015, body: #"{"startDate":999999999999,"endDate":1}"#),
            .init(code: 4_000_016, body: #"{"startDate":1795176000000}"#),
            .init(code: 4_000_016, body: #"{"startDate":1795176000000,"endDate":null}"#),
            .init(code: 4_000_016, body: #"{"startDate":1795176000000,"endDate":99999999999999999999}"#),
            .init(
                code: 4_000_013,
                body: #"{"startDate":1000000000000,"endDate":1000000000000,"notificationType":"X"}"#
            ),
            .init(
                code: 4_000_013,
                body: #"{"startDate":1000000000001,"endDate":1000000000000,"notificationType":"X"}"#
            ),
            .init(
                code: 4_000_012,
                body:
                    #"{"startDate":\#(now - 15_552_000_001),"endDate":\#(now),"notificationType":"X","transactionId":"1"}"#
            ),
            .init(
                code: 4_000_019,
                body:
                    #"{"startDate":\#(now - 15_552_000_000),"endDate":\#(now),"notificationType":"X","transactionId":"1"}"#
            ),
            .init(code: 4_000_018, body: body(#""notificationType":"X""#)),
            .init(code: 4_000_018, body: body(#""notificationSubtype":"CREATED""#)),
            .init(code: 4_000_018, body: body(#""notificationType":"TEST","notificationSubtype":"CREATED""#)),
            .init(code: 4_000_018, body: body(#""notificationSubtype":"CREATED","transactionId":"1""#)),
            .init(code: 4_040_010, body: body(#""transactionId":"1""#)),
        ]

        private static func body(_ member: String) -> String {
            #"{"startDate":\#(now - 1),"endDate":\#(now),\#(member)}"#
        }
    }

    @Test("Every error of history in its order (NT-82)")
    func refusals() async throws {
        try await run { emulator, _ in
            for refusal in Refusal.all {
                let answer = try await ask(emulator, .POST, "/history" + refusal.query, refusal.body)
                #expect(answer.status == (refusal.code == 4_040_010 ? 404 : 400), "\(refusal)")
                #expect(Self.code(answer) == refusal.code, "\(refusal)")
                #expect(answer["errorMessage"]?.stringValue?.isEmpty == false)
                #expect(answer["errors"] == nil)
            }
            let oldest = #"{"startDate":\#(Self.now - 15_552_000_000),"endDate":\#(Self.now)}"#
            #expect(try await ask(emulator, .POST, "/history", oldest).status == 200)
            #expect(try await emulator.call(.POST, "/inApps/v1/notifications/history", "{}").status == 401)
        }
    }
}
