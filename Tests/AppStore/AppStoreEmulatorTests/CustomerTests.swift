import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

/// A customer of the emulator under test, on one device.
private struct Customer {
    let emulator: EmulatorUnderTest
    let account: Int64
    let device: Int64

    init(_ emulator: EmulatorUnderTest, account: Int64? = nil) async throws {
        self.emulator = emulator
        if let account {
            self.account = account
        } else {
            let answer = try await emulator.control(.POST, "/accounts")
            #expect(answer.status == 201)
            self.account = try #require(answer["id"]?.int64Value)
        }
        let added = try await emulator.control(.POST, "/devices", #"{"account":\#(self.account)}"#)
        #expect(added.status == 201)
        #expect(added["account"]?.int64Value == self.account)
        device = try #require(added["id"]?.int64Value)
    }

    /// The types of the tokens that an event creates.
    func event(_ event: String, in environment: String, configured: Bool = true) async throws -> [String] {
        let body = #"{"event":"\#(event)","environment":"\#(environment)","configured":\#(configured)}"#
        let answer = try await emulator.control(.POST, "/devices/\(device)/events", body)
        #expect(answer.status == 200, "\(answer.body)")
        return answer["tokens"]?.arrayValue?.compactMap { Token($0)?.type } ?? ["unreadable"]
    }

    struct Token: Hashable {
        let id: String
        let type: String?
        let creation: Int64?
        let expiration: Int64?

        init?(_ value: JSONValue?) {
            guard let decoded = value?.objectValue?["decoded"]?.objectValue,
                let id = decoded["externalPurchaseId"]?.stringValue
            else { return nil }
            self.id = id
            type = decoded["tokenType"]?.stringValue
            creation = decoded["tokenCreationDate"]?.int64Value
            expiration = decoded["tokenExpirationDate"]?.int64Value
        }
    }

    func call(_ type: String?, in environment: String) async throws -> EmulatorUnderTest.Answer {
        let named = type.map { "\"\($0)\"" } ?? "null"
        let body = #"{"tokenType":\#(named),"environment":"\#(environment)"}"#
        let answer = try await emulator.control(.POST, "/devices/\(device)/calls", body)
        #expect(answer.status == 200, "\(answer.body)")
        return answer
    }

    func token(_ type: String?, in environment: String) async throws -> Token? {
        Token(try await call(type, in: environment)["token"])
    }

    /// `created`, `returned` or `nil`, as in the table of spec/03.
    func outcome(_ type: String, in environment: String) async throws -> String {
        let answer = try await call(type, in: environment)
        guard answer["token"] != .null else {
            #expect(answer["reason"]?.stringValue?.isEmpty == false)
            return "nil"
        }
        return answer["created"]?.boolValue == true ? "created" : "returned"
    }
}

@Suite("Customers and devices get tokens by the lifecycle rules")
struct CustomerTests {
    enum Step { case install, ask, expire, update }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [Step]
        /// Production `ACQUISITION`, production `SERVICES`, sandbox `ACQUISITION`, sandbox `SERVICES`.
        let answers: [String]
        var testDescription: String { name }

        static let all: [Row] = [
            .init(name: "before any event or request", steps: [], answers: ["nil", "nil", "created", "created"]),
            .init(
                name: "active period",
                steps: [.install, .ask],
                answers: ["returned", "returned", "returned", "returned"]
            ),
            .init(
                name: "after expiration",
                steps: [.install, .ask, .expire],
                answers: ["nil", "nil", "nil", "created"]
            ),
            .init(
                name: "after expiration, then update",
                steps: [.install, .ask, .expire, .update],
                answers: ["nil", "returned", "nil", "created"]
            ),
        ]
    }

    @Test("The results of requests in both environments and for both types (TK-32 to TK-38)", arguments: Row.all)
    func table(_ row: Row) async throws {
        try await EmulatorUnderTest.run { emulator in
            let columns = ["production", "sandbox"].flatMap { environment in
                ["ACQUISITION", "SERVICES"].map { (environment, $0) }
            }
            for ((environment, type), expected) in zip(columns, row.answers) {
                let customer = try await Customer(emulator)
                for step in row.steps {
                    switch step {
                    case .install: _ = try await customer.event("install", in: environment)
                    case .update: _ = try await customer.event("update", in: environment)
                    case .ask: _ = try await customer.outcome(type, in: environment)
                    case .expire:
                        // Longer than all lifetimes.
                        let advanced = try await emulator.control(.POST, "/clock/advance", #"{"seconds":32000000}"#)
                        #expect(advanced.status == 200)
                    }
                }
                #expect(try await customer.outcome(type, in: environment) == expected, "\(environment) \(type)")
            }
        }
    }

    @Test("The first install of all the customer's devices creates both tokens, others SERVICES at most (TK-32, TK-40)")
    func events() async throws {
        try await EmulatorUnderTest.run { emulator in
            let first = try await Customer(emulator)
            #expect(try await first.event("install", in: "production") == ["ACQUISITION", "SERVICES"])
            let second = try await Customer(emulator, account: first.account)
            #expect(try await second.event("install", in: "production").isEmpty)
            #expect(try await second.event("redownload", in: "production").isEmpty)
            let token = try await first.token("SERVICES", in: "production")
            #expect(token != nil)
            #expect(try await second.token("SERVICES", in: "production") == token)
            // Events have no effect in the sandbox, which has none of production's periods.
            #expect(try await first.event("install", in: "sandbox").isEmpty)
            let sandbox = try #require(try await first.token("SERVICES", in: "sandbox"))
            #expect(sandbox.id.hasPrefix("SANDBOX"))
            // After a year only SERVICES has ended, and the update begins the next period.
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":32000000}"#)
            #expect(try await second.event("update", in: "production") == ["SERVICES"])
        }
    }

    @Test("Who first installed an app that was not configured gets SERVICES by the update, never ACQUISITION (TK-33)")
    func notConfigured() async throws {
        try await EmulatorUnderTest.run { emulator in
            let customer = try await Customer(emulator)
            #expect(try await customer.event("install", in: "production", configured: false).isEmpty)
            #expect(try await customer.outcome("SERVICES", in: "production") == "nil")
            #expect(try await customer.event("update", in: "production") == ["SERVICES"])
            #expect(try await customer.outcome("SERVICES", in: "production") == "returned")
            #expect(try await customer.outcome("ACQUISITION", in: "production") == "nil")
        }
    }

    @Test("Lifetimes are an hour in the sandbox, 180 and 365 days in production, and settings (TK-35, TK-39)")
    func lifetimes() async throws {
        try await EmulatorUnderTest.run { emulator in
            let hour: Int64 = 3_600_000
            let customer = try await Customer(emulator)
            _ = try await customer.event("install", in: "production")
            func lifetime(_ type: String, _ environment: String, of customer: Customer) async throws -> Int64? {
                let token = try #require(try await customer.token(type, in: environment))
                #expect(token.creation == EmulatorUnderTest.now.milliseconds)
                return token.expiration.map { $0 - EmulatorUnderTest.now.milliseconds }
            }
            #expect(try await lifetime("ACQUISITION", "production", of: customer) == 180 * 24 * hour)
            #expect(try await lifetime("SERVICES", "production", of: customer) == 365 * 24 * hour)
            #expect(try await lifetime("ACQUISITION", "sandbox", of: customer) == hour)
            #expect(try await lifetime("SERVICES", "sandbox", of: customer) == hour)
            let changed = try await emulator.control(.PUT, "/settings", #"{"sandboxLifetime":"2h"}"#)
            #expect(changed.status == 200)
            #expect(try await lifetime("SERVICES", "sandbox", of: customer) == hour)
            #expect(try await lifetime("SERVICES", "sandbox", of: Customer(emulator)) == 2 * hour)
            // The period includes its last moment.
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":3600}"#)
            #expect(try await customer.outcome("SERVICES", in: "sandbox") == "returned")
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
            #expect(try await customer.outcome("SERVICES", in: "sandbox") == "created")
        }
    }

    @Test(
        "Plain and transaction tokens are minted at every call and do not expire (TK-30, TK-45)",
        arguments: [nil, "IN_APP", "LINK_OUT"]
    )
    func everyCall(type: String?) async throws {
        try await EmulatorUnderTest.run { emulator in
            let customer = try await Customer(emulator)
            for environment in ["production", "sandbox"] {
                let first = try #require(try await customer.token(type, in: environment))
                let second = try #require(try await customer.token(type, in: environment))
                #expect(first.id != second.id)
                #expect(first.type == type && second.type == type)
                #expect(first.expiration == nil)
            }
        }
    }

    @Test("A transaction token expires according to the setting (TK-45)")
    func transactionLifetime() async throws {
        try await EmulatorUnderTest.run(settings: ["auth.clock=virtual", "transactionTokenLifetime=2h"]) { emulator in
            let token = try #require(try await Customer(emulator).token("IN_APP", in: "sandbox"))
            #expect(token.expiration == EmulatorUnderTest.now.milliseconds + 7_200_000)
        }
    }

    @Test("A refreshed token has the dates of its period, its own id and CREATED, and can be reported (TK-36)")
    func refreshed() async throws {
        try await NotificationReceiver.run { receiver, address in
            let app = AppRegistration(
                bundleId: EmulatorUnderTest.shop,
                appAppleId: 1_234_567_890,
                notificationURLs: NotificationURLs(address)
            )
            let settings = ["auth.clock=virtual", "refreshPolicy=refreshed"]
            try await EmulatorUnderTest.run(settings: settings, apps: [app]) { emulator in
                let customer = try await Customer(emulator)
                let first = try #require(try await customer.token("SERVICES", in: "sandbox"))
                _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":600}"#)
                let second = try #require(try await customer.token("SERVICES", in: "sandbox"))
                #expect(first.id != second.id)
                #expect(first.creation == second.creation && first.expiration == second.expiration)
                let now = EmulatorUnderTest.now + .minutes(10)
                for (number, token) in [first, second].enumerated() {
                    let report = Body.noLineItem(number, token: token.id)
                    #expect(try await emulator.put(report, now: now).status == 200)
                }
                _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
                let told = receiver.payloads.map {
                    [
                        $0["subtype"]?.stringValue,
                        $0["externalPurchaseToken"]?.objectValue?["externalPurchaseId"]?.stringValue,
                    ]
                }
                #expect(told == [["CREATED", first.id], ["CREATED", second.id]])
            }
        }
    }

    @Test("A customer's token is on record and can be reported (TK-41)")
    func onRecord() async throws {
        try await EmulatorUnderTest.run { emulator in
            let customer = try await Customer(emulator)
            let token = try #require(try await customer.token(nil, in: "production"))
            #expect(try await emulator.put(Body.noLineItem(1, token: token.id)).status == 200)
            let listed = try await emulator.control(.GET, "/tokens").json?.arrayValue?.first?.objectValue
            #expect(listed?["reportStatus"] == .string("NO_LINE_ITEM"))
        }
    }

    @Test(
        "Unknown customers, devices and events are refused",
        arguments: [
            ("/devices", #"{"account":9}"#, 422), ("/devices", #"{"account":9223372036854775807}"#, 422),
            ("/devices", #"{"account":"1"}"#, 422), ("/devices/0/events", #"{"event":"install"}"#, 404),
            ("/devices/1/events", #"{"event":"Install"}"#, 422), ("/devices/1/events", "{}", 422),
            ("/devices/1/events", #"{"event":"install","bundleId":"com.example.none"}"#, 422),
            ("/devices/1/events", #"{"event":"install","environment":"Sandbox"}"#, 422),
            ("/devices/1/calls", #"{"tokenType":"CORE_TECHNOLOGY"}"#, 422),
            ("/devices/1/calls", #"{"tokenType":""}"#, 422), ("/devices/7/calls", "{}", 404),
            ("/devices/99999999999999999999/calls", "{}", 404), ("/devices/-1/calls", "{}", 404),
        ]
    )
    func refusals(path: String, body: String, status: Int) async throws {
        try await EmulatorUnderTest.run { emulator in
            _ = try await Customer(emulator)
            let answer = try await emulator.control(.POST, path, body)
            #expect(answer.status == status, "\(answer.body)")
            #expect(answer["message"]?.stringValue?.isEmpty == false)
        }
    }
}
