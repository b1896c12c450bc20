import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

/// Tokens of apps outside the App Store do not come from StoreKit; the emulator issues them on request (OB-44, TK-4).
@Suite("Tokens of type CORE_TECHNOLOGY")
struct CoreTechnologyTokenTests {
    private static func mint(_ emulator: EmulatorUnderTest, _ members: String) async throws -> EmulatorUnderTest.Answer
    {
        try await emulator.control(
            .POST,
            "/tokens",
            #"{"bundleId":"com.example.shop","tokenType":"CORE_TECHNOLOGY"\#(members)}"#
        )
    }

    @Test(
        "They are minted without an expiration unless one is given, in both environments",
        arguments: ["sandbox", "production"]
    )
    func minted(environment: String) async throws {
        try await EmulatorUnderTest.run { emulator in
            let answer = try await Self.mint(emulator, #","environment":"\#(environment)""#)
            #expect(answer.status == 201, "\(answer.body)")
            let decoded = answer["decoded"]?.objectValue
            #expect(decoded?["tokenType"] == .string("CORE_TECHNOLOGY"))
            #expect(decoded?["tokenExpirationDate"] == .null)
            // The spelling of TK-4 for the command line's JSON.
            #expect(decoded?["family"] == .string("unknown"))
            #expect(decoded?["environment"] == .string(environment))
            let token = try ExternalPurchaseToken.decode(answer["token"]?.stringValue ?? "").token
            #expect(token.family == .coreTechnology)
            #expect(token.tokenCreationDate == EmulatorUnderTest.now)
            let dated = try await Self.mint(
                emulator,
                #","environment":"\#(environment)","expirationDate":1795262400000"#
            )
            #expect(dated["decoded"]?.objectValue?["tokenExpirationDate"]?.int64Value == 1_795_262_400_000)
            #expect(try await emulator.control(.GET, "/tokens").json?.arrayValue?.count == 2)
        }
    }

    @Test("One that was minted elsewhere is registered as it is, once")
    func registered() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let token = ExternalPurchaseToken(
                appAppleId: 1_234_567_890,
                bundleId: EmulatorUnderTest.shop,
                tokenCreationDate: EmulatorUnderTest.now,
                externalPurchaseId: ExternalPurchaseId(Body.token),
                tokenType: .coreTechnology
            )
            let body = #"{"token":"\#(token.encoded())"}"#
            #expect(try await emulator.control(.POST, "/tokens", body).status == 201)
            #expect(try await emulator.control(.POST, "/tokens", body).status == 200)
        }
    }

    @Test(
        "They are reported like any other token, sales after NO_LINE_ITEM included; DUPLICATE_TOKEN is not for them (OB-44)"
    )
    func judged() async throws {
        try await EmulatorUnderTest.run { emulator in
            let minted = try await Self.mint(
                emulator,
                #","externalPurchaseId":"\#(Body.token)","creationDate":1790812800000"#
            )
            #expect(minted.status == 201, "\(minted.body)")
            let duplicate = Body.noLineItem(9).replacing("NO_LINE_ITEM", with: "DUPLICATE_TOKEN")
            let refused = try await emulator.put(duplicate)
            #expect(refused.status == 400)
            let codes = refused["errors"]?.arrayValue?.map { $0.objectValue?["errorCode"]?.int64Value }
            #expect(codes == [37])
            #expect(try await emulator.put(Body.noLineItem(1)).status == 200)
            #expect(try await emulator.put(Body.buy(2)).status == 200)
            let listed = try await emulator.control(.GET, "/tokens").json?.arrayValue?.first?.objectValue
            #expect(listed?["reportStatus"] == .string("LINE_ITEM"))
        }
    }

    struct Schedule: Sendable, CustomTestStringConvertible {
        var settings: [String] = []
        /// Further members of the order.
        var members = ""
        /// Whether a report without a sale is accepted on the first day.
        var isReported = false
        let subtypes: [String]
        let moments: [String]
        let testDescription: String
    }

    private static let schedules = [
        Schedule(
            subtypes: ["UNREPORTED"],
            moments: ["2026-11-30T12:00:00Z"],
            testDescription: "ten days after the creation, once, without CREATED and without reminders"
        ),
        Schedule(
            isReported: true,
            subtypes: [],
            moments: [],
            testDescription: "nothing once a report of it was accepted"
        ),
        Schedule(
            settings: ["notify.createdFor=customLink,coreTechnology"],
            subtypes: ["CREATED", "UNREPORTED"],
            moments: ["2026-11-20T12:00:00Z", "2026-11-30T12:00:00Z"],
            testDescription: "with CREATED where a setting asks for it"
        ),
        Schedule(
            settings: ["notify.createdFor=customLink"],
            members: #","expirationDate":1796385600000"#,
            subtypes: ["UNREPORTED"],
            moments: ["2026-12-04T12:01:00Z"],
            testDescription: "a minute after an expiration that the order gave"
        ),
    ]

    @Test(
        "Unreported ones are notified like tokens without an expiration, with their type (NT-48)",
        arguments: schedules
    )
    func notified(_ row: Schedule) async throws {
        try await NotificationReceiver.run { receiver, address in
            let app = AppRegistration(
                bundleId: EmulatorUnderTest.shop,
                appAppleId: 1_234_567_890,
                notificationURLs: NotificationURLs(address)
            )
            let settings = ["auth.clock=virtual"] + row.settings
            try await EmulatorUnderTest.run(settings: settings, apps: [app]) { emulator in
                let minted = try await Self.mint(emulator, #","externalPurchaseId":"\#(Body.token)"\#(row.members)"#)
                #expect(minted.status == 201, "\(minted.body)")
                // CREATED leaves in the background; UNREPORTED follows with the clock.
                for _ in 0..<6_000 where row.subtypes.first == "CREATED" && receiver.bodies.isEmpty {
                    try await Task.sleep(for: .milliseconds(20))
                }
                if row.isReported { #expect(try await emulator.put(Body.noLineItem(1)).status == 200) }
                let later = try await emulator.control(.PUT, "/clock", #"{"now":"2027-02-20T12:00:00Z"}"#)
                #expect(later.status == 200, "\(later.body)")
                let payloads = receiver.payloads
                #expect(payloads.compactMap { $0["subtype"]?.stringValue } == row.subtypes)
                let moments = payloads.compactMap { $0["signedDate"]?.int64Value }
                #expect(moments == (try row.moments.map { try #require(Timestamp(rfc3339: $0)).milliseconds }))
                for payload in payloads {
                    let token = payload["externalPurchaseToken"]?.objectValue
                    #expect(token?["externalPurchaseId"] == .string(Body.token))
                    #expect(token?["tokenType"] == .string("CORE_TECHNOLOGY"))
                    #expect((token?["tokenExpirationDate"] == nil) == row.members.isEmpty)
                }
            }
        }
    }

    @Test("A family that notify.createdFor does not know is refused with the names of those it knows (NT-48)")
    func families() async throws {
        try await EmulatorUnderTest.run { emulator in
            let given = #"{"notify.createdFor":"coreTechnology"}"#
            #expect(try await emulator.control(.PUT, "/settings", given).status == 200)
            let settings = try await emulator.control(.GET, "/settings")
            #expect(settings["notify.createdFor"] == .string("coreTechnology"))
            let wrong = try await emulator.control(.PUT, "/settings", #"{"notify.createdFor":"unknown"}"#)
            #expect(wrong.status == 422)
            #expect(wrong.body.contains("plain,customLink,perTransaction,coreTechnology"), "\(wrong.body)")
        }
    }

    @Test("No call on a device yields one (TK-47)")
    func noCall() async throws {
        try await EmulatorUnderTest.run { emulator in
            _ = try await emulator.control(.POST, "/accounts", "{}")
            _ = try await emulator.control(.POST, "/devices", #"{"account":1}"#)
            let answer = try await emulator.control(.POST, "/devices/1/calls", #"{"tokenType":"CORE_TECHNOLOGY"}"#)
            #expect(answer.status == 422)
        }
    }
}
