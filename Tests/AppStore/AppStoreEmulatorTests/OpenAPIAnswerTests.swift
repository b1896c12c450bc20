import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import OpenAPIValidation
import Synchronization
import Testing

@Suite("Every response of the emulator matches the description")
struct OpenAPIAnswerTests {
    /// Compares the responses of an emulator with the OpenAPI description.
    private final class Referee: Sendable {
        private let seen = Mutex<[EmulatorUnderTest.Exchange]>([])

        func watch(_ emulator: EmulatorUnderTest) -> EmulatorUnderTest {
            var emulator = emulator
            emulator.observe = { exchange in self.seen.withLock { $0.append(exchange) } }
            return emulator
        }

        var exchanges: [EmulatorUnderTest.Exchange] { seen.withLock(\.self) }

        /// Returns all exchanges on Apple's paths with their operations, and records deviations from the description.
        func validate() throws -> [(operation: OpenAPIDescription.Operation, exchange: EmulatorUnderTest.Exchange)] {
            let description = try OpenAPIDescription()
            return try exchanges.compactMap { exchange in
                guard let operation = description.operation(exchange) else { return nil }
                let violations = try description.violations(exchange.answer, to: operation)
                #expect(violations == [], "\(exchange.method) \(exchange.path): \(exchange.answer.body)")
                return (operation, exchange)
            }
        }
    }

    /// The codes of an answer's errors.
    private static func codes(_ answer: EmulatorUnderTest.Answer, except field: String? = nil) -> [Int64] {
        let errors = answer["errors"]?.arrayValue ?? [answer.json].compactMap(\.self)
        return errors.compactMap(\.objectValue).compactMap { error in
            field != nil && error["fieldName"]?.stringValue == field ? nil : error["errorCode"]?.int64Value
        }
    }

    /// The status and codes by operation that occurred.
    private static func summary(
        _ judged: [(operation: OpenAPIDescription.Operation, exchange: EmulatorUnderTest.Exchange)]
    ) -> [String: Set<Int>] {
        Dictionary(grouping: judged, by: \.operation.description).mapValues { Set($0.map(\.exchange.answer.status)) }
    }

    /// The statuses in the description, by operation.
    private static func described() throws -> [String: Set<Int>] {
        let found = try OpenAPIDescription().operations.map { operation, content in
            (
                operation.description,
                Set(content["responses"]?.objectValue?.members.compactMap { Int($0.key) } ?? [])
            )
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    /// Requests one path with every fault that has a documented body, and without a signature.
    private func failures(_ emulator: EmulatorUnderTest, _ method: HTTPMethod, _ path: String, now: Timestamp)
        async throws
    {
        #expect(try await emulator.call(method, path).status == 401)
        let authorization = try await emulator.bearer(now: now)
        for behaviour in [#"{"status":429,"retryAfterMs":1000}"#, #"{"status":500}"#, #"{"status":401}"#] {
            let bare = path.prefix { $0 != "?" }
            let fault = #"{"match":{"method":"\#(method)","path":"\#(bare)"},"behaviour":\#(behaviour),"times":1}"#
            #expect(try await emulator.control(.POST, "/faults", fault).status == 201)
            let answer = try await emulator.call(method, path, headers: ["Authorization": authorization])
            #expect(behaviour.contains(String(answer.status)))
        }
    }

    @Test("Reports: every recorded report, its retrieval and every failure; every code occurs")
    func reports() async throws {
        let referee = Referee()
        try await EmulatorUnderTest.run { emulator in
            let emulator = referee.watch(emulator)
            // An empty array where none is allowed is accepted (SA-31), and the description is that of a client's duty.
            let lenient = JSONValue.string("accepted-empty-line-items")
            for vector in ReportVectorTests.vectors where vector["id"] != lenient {
                let before = referee.exchanges.count
                try await ReportVectorTests().replay(vector, emulator)
                let now = Timestamp(milliseconds: try #require(vector["now"]?.int64Value))
                for exchange in referee.exchanges.dropFirst(before) where exchange.method == .PUT {
                    guard exchange.answer.status == 200, let id = exchange.answer["requestIdentifier"]?.stringValue
                    else { continue }
                    #expect(try await emulator.get(id, now: now).status == 200)
                }
            }
            let reset = try await emulator.control(.POST, "/reset")
            #expect(reset.status == 200)
            let now = EmulatorUnderTest.now
            #expect(try await emulator.control(.PUT, "/clock", #"{"now":"\#(now)"}"#).status == 200)
            try await emulator.addToken(Body.token)
            for id in [Body.request(7), "no-uuid"] { #expect(try await emulator.get(id, now: now).status == 400) }
            for body in ["", "{", "[]", #"{"status":7}"#, "{}"] {
                #expect(try await emulator.put(body).status == 400)
            }
            try await failures(emulator, .PUT, "/externalPurchase/v1/reports", now: now)
            try await failures(emulator, .GET, "/externalPurchase/v1/reports/\(Body.request(1))", now: now)
            // Code 26 requires two simultaneous requests (SA-66).
            #expect(try await emulator.control(.PUT, "/settings", #"{"simultaneous.hold":"500ms"}"#).status == 200)
            async let one = emulator.put(Body.buy(1))
            async let two = emulator.put(Body.buy(2))
            #expect(try await Set([one.status, two.status]) == [200, 400])
            #expect(try await emulator.control(.PUT, "/settings", #"{"answers.getNotFound":"wrapped"}"#).status == 200)
            #expect(try await emulator.get(Body.request(7), now: now)["errors"] != nil)
        }
        let judged = try referee.validate()
        #expect(judged.count > 100)
        let codes = Set(judged.flatMap { Self.codes($0.exchange.answer) })
        #expect(Set(ReportErrorEntry.all.map { Int64($0.code.rawValue) }).subtracting(codes) == [])
        let described = try Self.described().filter { $0.key.contains("reports") }
        #expect(Self.summary(judged) == described)
        try checkRequests(judged)
        try checkWrong(judged)
    }

    /// The codes that depend only on the form of a report, so that the schema can express them.
    private static let formal: Set<Int64> = [4, 5, 7, 9, 10, 15, 16, 19, 20, 34]

    private func checkRequests(
        _ judged: [(operation: OpenAPIDescription.Operation, exchange: EmulatorUnderTest.Exchange)]
    ) throws {
        let description = try OpenAPIDescription()
        for (operation, exchange) in judged where operation.method == "put" {
            guard let body = exchange.body else { continue }
            let violations = try description.requestViolations(body, to: operation)
            // Whether a rate is required depends on two currencies being equal, which no schema can express (SA-40).
            let codes = Self.codes(exchange.answer, except: "exchangeRate")
            switch exchange.answer.status {
            case 200: #expect(violations == [], "\(body)")
            case 400 where exchange.answer.body.isEmpty || codes.contains(where: Self.formal.contains):
                #expect(violations != [], "\(body)")
            default: break
            }
        }
    }

    @Test("Notification endpoints: every status and every error of the history (NT-70 to NT-83)")
    func notifications() async throws {
        let referee = Referee()
        try await NotificationReceiver.run { _, address in
            let apps = [
                AppRegistration(
                    bundleId: EmulatorUnderTest.shop,
                    appAppleId: 1_234_567_890,
                    notificationURLs: NotificationURLs(address)
                ),
                AppRegistration(bundleId: "com.example.silent", appAppleId: 2),
            ]
            try await EmulatorUnderTest.run(apps: apps) { emulator in
                try await ask(referee.watch(emulator))
            }
        }
        let judged = try referee.validate()
        let described = try Self.described().filter { $0.key.contains("notifications") }
        #expect(Self.summary(judged) == described)
        let codes = Set(judged.flatMap { Self.codes($0.exchange.answer) })
        #expect(
            codes == [
                4_000_000, 4_000_012, 4_000_013, 4_000_014, 4_000_015, 4_000_016, 4_000_017, 4_000_018, 4_000_019,
                4_000_020, 4_040_007, 4_040_008, 4_040_010, 4_290_000, 5_000_000,
            ]
        )
        // Accepted queries match the description; queries that are refused for their form do not.
        let description = try OpenAPIDescription()
        for (operation, exchange) in judged where operation == OpenAPIDescriptionTests.history {
            guard let body = exchange.body else { continue }
            let violations = try description.requestViolations(body, to: operation)
            if exchange.answer.status == 200 { #expect(violations == [], "\(body)") }
            let formal: Set<Int64> = [4_000_000, 4_000_015, 4_000_016, 4_000_019]
            if let code = Self.codes(exchange.answer).first, formal.contains(code) {
                #expect(violations != [], "\(body)")
            }
        }
        try checkWrong(judged)
        try await checkPayloads(judged)
    }

    private static let history = "/inApps/v1/notifications/history"
    private static let test = "/inApps/v1/notifications/test"

    private func ask(_ emulator: EmulatorUnderTest) async throws {
        var now = EmulatorUnderTest.now
        func call(
            _ method: HTTPMethod,
            _ path: String,
            _ body: String? = nil,
            bundleId: BundleId = EmulatorUnderTest.shop
        ) async throws -> EmulatorUnderTest.Answer {
            let authorization = try await emulator.bearer(bundleId: bundleId, now: now)
            return try await emulator.call(method, path, body, headers: ["Authorization": authorization])
        }
        for path in [Self.test, Self.test + "?environment=production"] {
            let asked = try await call(.POST, path)
            let token = try #require(asked["testNotificationToken"]?.stringValue)
            var status = 404
            for _ in 0..<30_000 where status == 404 {
                status = try await call(.GET, "\(Self.test)/\(token)").status
                if status == 404 { try await Task.sleep(for: .milliseconds(10)) }
            }
            #expect(status == 200)
        }
        #expect(try await call(.POST, Self.test, bundleId: "com.example.silent").status == 404)
        #expect(try await call(.GET, Self.test + "/made-up").status == 400)
        let unknown = "\(Self.test)/\(Body.request(1))_1795176000000"
        #expect(try await call(.GET, unknown).status == 404)
        try await failures(emulator, .POST, Self.test, now: now)
        try await failures(emulator, .GET, unknown, now: now)
        try await failures(emulator, .POST, Self.history, now: now)

        for _ in 0..<21 {
            let body = #"{"bundleId":"com.example.shop","environment":"sandbox","tokenType":"SERVICES"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
        }
        #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#).status == 200)
        now = now + .seconds(1)
        let (start, end) = (now.milliseconds - 10_000, now.milliseconds + 10_000)
        let range = #""startDate":\#(start),"endDate":\#(end)"#
        let first = try await call(.POST, Self.history, "{\(range)}")
        #expect(first["hasMore"] == .bool(true))
        let page = try #require(first["paginationToken"]?.stringValue)
        let second = try await call(.POST, "\(Self.history)?paginationToken=\(page)", "{\(range)}")
        #expect(second["hasMore"] == .bool(false))
        #expect(try await call(.POST, Self.history + "?environment=production", "{\(range)}").status == 200)
        let early = now.milliseconds - 181 * Timestamp.millisecondsPerDay
        // In the order of NT-82. Each body violates no row above its own.
        let refused: [(String, String, Int64)] = [
            ("", "[]", 4_000_000), ("", "{\(range),\"onlyFailures\":\"yes\"}", 4_000_000),
            ("", "{\(range),\"notificationType\":7}", 4_000_000), ("?paginationToken=nobody", "{\(range)}", 4_000_014),
            ("?paginationToken=\(page)", "{\"startDate\":\(start),\"endDate\":\(end - 1)}", 4_000_014),
            ("", "{\"endDate\":\(end)}", 4_000_015),
            ("", "{\"startDate\":\(start / 1_000),\"endDate\":\(end)}", 4_000_015),
            ("", "{\"startDate\":\(start),\"endDate\":\"tomorrow\"}", 4_000_016),
            ("", "{\"startDate\":\(start),\"endDate\":\(start)}", 4_000_013),
            ("", "{\"startDate\":\(early),\"endDate\":\(end)}", 4_000_012),
            ("", "{\(range),\"notificationType\":\"TEST\",\"transactionId\":\"1\"}", 4_000_019),
            ("", "{\(range),\"notificationType\":\"REFUND\"}", 4_000_018),
            ("", "{\(range),\"notificationType\":\"TEST\",\"notificationSubtype\":\"CREATED\"}", 4_000_018),
            ("", "{\(range),\"notificationSubtype\":\"CREATED\"}", 4_000_018),
            ("", "{\(range),\"transactionId\":\"1\"}", 4_040_010),
        ]
        for (query, body, code) in refused {
            let answer = try await call(.POST, Self.history + query, body)
            #expect(answer["errorCode"]?.int64Value == code, "\(query) \(body): \(answer.body)")
        }
        #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":90000}"#).status == 200)
        now = now + .hours(25)
        let late = try await call(.POST, "\(Self.history)?paginationToken=\(page)", "{\(range)}")
        #expect(late["errorCode"]?.int64Value == 4_000_017)
    }

    /// Signed payloads match the description as well.
    private func checkPayloads(
        _ judged: [(operation: OpenAPIDescription.Operation, exchange: EmulatorUnderTest.Exchange)]
    ) async throws {
        let description = try OpenAPIDescription()
        let expected = try #require(description.schemas["NotificationPayload"])
        var count = 0
        for (_, exchange) in judged where exchange.answer.status == 200 {
            let records =
                exchange.answer["notificationHistory"]?.arrayValue ?? [exchange.answer.json].compactMap(\.self)
            for record in records {
                guard let signed = record.objectValue?["signedPayload"] else { continue }
                let body = JSONValue.object(["signedPayload": signed]).encoded()
                let payload = try #require(NotificationReceiver.payload(String(decoding: body, as: UTF8.self)))
                #expect(try description.schema.violations(.object(payload), expected) == [])
                count += 1
            }
        }
        #expect(count >= 23)
    }

    // MARK: The description can refuse

    /// A response of each kind, with an error at every position, no longer validates.
    private func checkWrong(
        _ judged: [(operation: OpenAPIDescription.Operation, exchange: EmulatorUnderTest.Exchange)]
    ) throws {
        let description = try OpenAPIDescription()
        var kinds: Set<String> = []
        for (operation, exchange) in judged {
            let answer = exchange.answer
            guard kinds.insert("\(operation) \(answer.status) \(Self.codes(answer))").inserted else { continue }
            func spoilt(_ body: String, type: String? = answer.contentType, status: Int = answer.status) throws -> Bool
            {
                let wrong = EmulatorUnderTest.Answer(status: status, contentType: type, body: body, headers: [:])
                return try !description.violations(wrong, to: operation).isEmpty
            }
            if answer.contentType == "application/json" {
                let value = try #require(answer.json)
                for wrong in Self.wrong(value) {
                    let body = String(decoding: wrong.encoded(), as: UTF8.self)
                    #expect(try spoilt(body), "\(operation) \(answer.status): \(body)")
                }
                for member in try #require(value.objectValue).members {
                    let rest = JSONObject(value.objectValue?.members.filter { $0.key != member.key } ?? [])
                    let body = String(decoding: JSONValue.object(rest).encoded(), as: UTF8.self)
                    #expect(try spoilt(body), "\(operation) \(answer.status) without \(member.key)")
                }
                #expect(try spoilt(answer.body + "}"))
                #expect(try spoilt(answer.body, type: "text/plain"))
            } else if !answer.body.isEmpty {
                #expect(try spoilt(answer.body + " "))
            }
            #expect(try spoilt(answer.body, status: 418))
        }
        #expect(kinds.count > 10)
    }

    /// The value with an error at one position, for every position: another type, or an unknown member.
    private static func wrong(_ value: JSONValue) -> [JSONValue] {
        var results: [JSONValue] = [value.arrayValue == nil ? .array([.bool(true)]) : .string("wrong")]
        switch value {
        case .object(let object):
            results.append(.object(JSONObject(object.members + [.init("surprise", .null)])))
            for (index, member) in object.members.enumerated() {
                for wrong in wrong(member.value) {
                    var members = object.members
                    members[index].value = wrong
                    results.append(.object(JSONObject(members)))
                }
            }
        case .array(let array):
            // Only the first element is changed.
            for wrong in array.first.map(wrong) ?? [] { results.append(.array([wrong] + array.dropFirst())) }
        default: break
        }
        return results
    }
}
