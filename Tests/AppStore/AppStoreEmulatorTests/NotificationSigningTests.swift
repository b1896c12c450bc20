import AppStoreEmulator
import AppStoreNotifications
import AsyncHTTPClient
import ExternalPurchaseCore
import NIOCore
import NIOHTTP1
import Testing

@Suite("Which root signs notifications, when, and how often")
struct NotificationSigningTests {
    private typealias Scene = @Sendable (EmulatorUnderTest, NotificationReceiver) async throws -> Void

    private func run(now: String, _ test: @escaping Scene) async throws {
        let start = try #require(Timestamp(rfc3339: now))
        try await NotificationReceiver.run { receiver, address in
            let app = AppRegistration(
                bundleId: EmulatorUnderTest.shop,
                appAppleId: 1_234_567_890,
                notificationURLs: NotificationURLs(address)
            )
            try await EmulatorUnderTest.run(apps: [app], now: start) { emulator in
                try await test(emulator, receiver)
            }
        }
    }

    private func mint(_ emulator: EmulatorUnderTest, _ members: String) async throws {
        let answer = try await emulator.control(.POST, "/tokens", #"{"bundleId":"com.example.shop",\#(members)}"#)
        #expect(answer.status == 201, "\(answer.body)")
    }

    private func advance(_ emulator: EmulatorUnderTest, to moment: String) async throws {
        let answer = try await emulator.control(.PUT, "/clock", #"{"now":"\#(moment)"}"#)
        #expect(answer.status == 200, "\(answer.body)")
    }

    private func bytes(_ emulator: EmulatorUnderTest, _ path: String) async throws -> [UInt8] {
        let request = HTTPClientRequest(url: emulator.address.baseURL + "/emulator/v1" + path)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        #expect(response.status == .ok)
        return Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    }

    @Test("The root is served as DER and PEM, and a verifier with either accepts the notifications (NT-92)")
    func root() async throws {
        try await run(now: "2026-11-20T12:00:00Z") { emulator, receiver in
            let files = [try await bytes(emulator, "/root.cer"), try await bytes(emulator, "/root.pem")]
            // A DER certificate is a sequence; PEM is text.
            #expect(files[0].first == 0x30)
            #expect(files[1].starts(with: "-----BEGIN CERTIFICATE-----".utf8))
            try await mint(emulator, #""environment":"production""#)
            try await advance(emulator, to: "2026-11-30T12:00:00Z")
            let body = Array(try #require(receiver.bodies.first).utf8)
            let roots = try files.flatMap { try TrustedRoot.read($0) }
            #expect(roots.count == 2 && roots[0] == roots[1])
            let recipient = NotificationRecipient(
                apps: [.init(bundleId: EmulatorUnderTest.shop, appAppleId: 1_234_567_890)],
                environments: [.production]
            )
            for trusted in roots.map({ [$0] }) + [[]] {
                let verifier = NotificationVerifier(
                    roots: trusted,
                    recipient: recipient,
                    now: { EmulatorUnderTest.now }
                )
                let verified = try? await verifier.verify(body: body)
                #expect((verified != nil) == !trusted.isEmpty)
            }
        }
    }

    @Test("A notification is signed once, with the virtual time; retries carry the same signature (NT-93)")
    func signedOnce() async throws {
        try await run(now: "2031-11-01T00:00:00Z") { emulator, receiver in
            receiver.answer(500, 500)
            try await mint(emulator, #""environment":"production""#)
            try await advance(emulator, to: "2031-11-12T00:00:00Z")
            // UNREPORTED on day ten and two retries of it.
            #expect(receiver.bodies.count == 3)
            #expect(Set(receiver.bodies).count == 1)
            let payload = try #require(receiver.payloads.first)
            let moment = try #require(Timestamp(rfc3339: "2031-11-11T00:00:00Z"))
            #expect(payload["signedDate"]?.int64Value == moment.milliseconds)
            let token = payload["externalPurchaseToken"]?.objectValue
            #expect(token?["tokenCreationDate"]?.int64Value == moment.milliseconds - 10 * 86_400_000)

            let signed = try JSONReader().read(receiver.bodies[0]).objectValue?["signedPayload"]?.stringValue
            let first = try #require(signed?.split(separator: ".").first)
            let header = try JSONReader().read(#require(Base64URL.decode(first.utf8)?.bytes)).objectValue
            #expect(Set(header?.members.map(\.key) ?? []) == ["alg", "x5c", "typ"])
            #expect(header?["alg"] == .string("ES256"))
            #expect(header?["x5c"]?.arrayValue?.count == 3)

            // Another notification has its own signature.
            try await mint(emulator, #""environment":"production""#)
            try await advance(emulator, to: "2031-11-23T00:00:00Z")
            #expect(Set(receiver.bodies).count == 2)
        }
    }

    @Test("Sandbox and production go by one table and the virtual clock (NT-46)", arguments: ["sandbox", "production"])
    func oneTable(_ environment: String) async throws {
        try await run(now: "2026-10-01T00:00:00Z") { emulator, receiver in
            let start = try #require(Timestamp(rfc3339: "2026-10-01T00:00:00Z"))
            let end = start.milliseconds + 65 * 86_400_000
            try await mint(
                emulator,
                #""environment":"\#(environment)","tokenType":"SERVICES","creationDate":\#(start.milliseconds),"#
                    + #""expirationDate":\#(end)"#
            )
            try await mint(emulator, #""environment":"\#(environment)""#)
            try await advance(emulator, to: "2026-12-31T00:00:00Z")
            let told = receiver.payloads.map { payload in
                let moment = Timestamp(milliseconds: payload["signedDate"]?.int64Value ?? 0).description
                return "\(moment) \(payload["subtype"]?.stringValue ?? "")"
            }
            // The notification of day ten belongs to the plain token.
            #expect(
                told.sorted() == [
                    "2026-10-01T00:00:00Z CREATED", "2026-10-11T00:00:00Z UNREPORTED",
                    "2026-10-31T00:00:00Z ACTIVE_TOKEN_REMINDER", "2026-11-30T00:00:00Z ACTIVE_TOKEN_REMINDER",
                    "2026-12-05T00:01:00Z UNREPORTED",
                ]
            )
        }
    }
}
