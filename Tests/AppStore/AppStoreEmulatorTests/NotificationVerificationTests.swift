import AppStoreNotifications
import Crypto
import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import SwiftASN1
import Testing
import X509

@testable import AppStoreEmulator

@Suite("The emulator's notifications are genuine to a verifier that trusts its root, and only those")
struct NotificationVerificationTests {
    private typealias Scene = @Sendable (EmulatorUnderTest, NotificationReceiver, TrustedRoot) async throws -> Void

    /// An emulator whose app has the receiver's URL, with the root that a server would configure.
    private func run(now: String, _ test: @escaping Scene) async throws {
        let start = try #require(Timestamp(rfc3339: now))
        try await NotificationReceiver.run { receiver, address in
            let app = AppRegistration(
                bundleId: EmulatorUnderTest.shop,
                appAppleId: 1_234_567_890,
                notificationURLs: NotificationURLs(address)
            )
            try await EmulatorUnderTest.run(apps: [app], now: start) { emulator in
                let pem = try await emulator.control(.GET, "/root.pem").body
                let roots = try TrustedRoot.read(Array(pem.utf8))
                try await test(emulator, receiver, try #require(roots.first))
            }
        }
    }

    private func verifier(
        _ root: TrustedRoot,
        _ environments: Set<AppStoreEnvironment> = [.sandbox, .production]
    ) -> NotificationVerifier {
        NotificationVerifier(
            roots: [root],
            recipient: NotificationRecipient(
                apps: [.init(bundleId: EmulatorUnderTest.shop, appAppleId: 1_234_567_890)],
                environments: environments
            ),
            now: { EmulatorUnderTest.now }
        )
    }

    private func mint(
        _ emulator: EmulatorUnderTest,
        _ environment: AppStoreEnvironment,
        type: String? = nil
    ) async throws -> String {
        let type = type.map { #","tokenType":"\#($0)""# } ?? ""
        let body = #"{"bundleId":"com.example.shop","environment":"\#(environment.rawValue)"\#(type)}"#
        let answer = try await emulator.control(.POST, "/tokens", body)
        return try #require(answer["decoded"]?.objectValue?["externalPurchaseId"]?.stringValue)
    }

    private func advance(_ emulator: EmulatorUnderTest, seconds: Int64) async throws {
        let answer = try await emulator.control(.POST, "/clock/advance", #"{"seconds":\#(seconds)}"#)
        #expect(answer.status == 200, "\(answer.body)")
    }

    /// Requests a notification and returns its body.
    private func body(
        _ emulator: EmulatorUnderTest,
        _ receiver: NotificationReceiver,
        of token: String,
        _ subtype: String = "UNREPORTED",
        tampering: String? = nil
    ) async throws -> String {
        let count = receiver.bodies.count
        let tampering = tampering.map { #","damage":"\#($0)""# } ?? ""
        let order = #"{"externalPurchaseId":"\#(token)","subtype":"\#(subtype)"\#(tampering)}"#
        #expect(try await emulator.control(.POST, "/notifications", order).status == 201)
        return try #require(receiver.bodies.dropFirst(count).last)
    }

    private func failure(_ body: String, _ verifier: NotificationVerifier) async -> NotificationFailure? {
        do throws(NotificationRefusal) {
            _ = try await verifier.verify(body: Array(body.utf8))
            return nil
        } catch {
            return error.failure
        }
    }

    @Test("Whatever falls due in two years verifies, in its own environment only (NT-20 to NT-36)")
    func everything() async throws {
        try await run(now: "2026-10-01T00:00:00Z") { emulator, receiver, root in
            let der = try await emulator.control(.GET, "/root.pem").body
            #expect(der.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
            for environment in [AppStoreEnvironment.production, .sandbox] {
                _ = try await mint(emulator, environment)
                _ = try await mint(emulator, environment, type: "SERVICES")
                _ = try await mint(emulator, environment, type: "ACQUISITION")
                let path = "/inApps/v1/notifications/test?environment=\(environment.rawValue)"
                let now = try #require(Timestamp(rfc3339: "2026-10-01T00:00:00Z"))
                let authorization = try await emulator.bearer(now: now)
                #expect(try await emulator.call(.POST, path, headers: ["Authorization": authorization]).status == 200)
            }
            try await advance(emulator, seconds: 730 * 86_400)
            let environments: [AppStoreEnvironment] = [.production, .sandbox]
            let verifiers = environments.map { verifier(root, [$0]) }
            var subtypes: [String: Int] = [:]
            for body in receiver.bodies {
                let payload = try await verifier(root).verify(body: Array(body.utf8)).payload
                let environment = try #require(payload.environment?.known)
                for (candidate, verifier) in zip(environments, verifiers) {
                    let expected: NotificationFailure? = candidate == environment ? nil : .wrongEnvironment
                    #expect(await failure(body, verifier) == expected)
                }
                let name = payload.subtype?.rawValue ?? payload.notificationType.rawValue
                subtypes["\(environment.rawValue) \(name)", default: 0] += 1
            }
            // 365 days of SERVICES and 180 days of ACQUISITION include 12 and 5 reminders.
            #expect(
                subtypes == [
                    "production TEST": 1, "production CREATED": 2, "production ACTIVE_TOKEN_REMINDER": 17,
                    "production UNREPORTED": 3, "sandbox TEST": 1, "sandbox CREATED": 2, "sandbox UNREPORTED": 3,
                ]
            )
        }
    }

    @Test(
        "Every tampering causes exactly the failure that it is named after (NT-94)",
        arguments: AppStoreEnvironment.allCases
    )
    func tamperings(environment: AppStoreEnvironment) async throws {
        try await run(now: "2026-11-20T12:00:00Z") { emulator, receiver, root in
            let token = try await mint(emulator, environment)
            let verifier = verifier(root, [environment])
            var drawn: Set<NotificationFailure> = []
            for tampering in NotificationTampering.allCases {
                // A name is that of a failure, optionally with a suffix.
                let expected = NotificationFailure.allCases.filter { tampering.rawValue.hasPrefix($0.rawValue) }
                    .max { $0.rawValue.count < $1.rawValue.count }
                let body = try await body(emulator, receiver, of: token, tampering: tampering.rawValue)
                #expect(await failure(body, verifier) == expected, "\(tampering)")
                if let expected { drawn.insert(expected) }
                // Later notifications are not affected.
                let next = try await self.body(emulator, receiver, of: token)
                #expect(await failure(next, verifier) == nil, "after \(tampering)")
            }
            // Only a responder of the issuer knows whether a certificate was revoked.
            #expect(
                Set(NotificationFailure.allCases).subtracting(drawn) == [
                    .certificateRevoked, .revocationUnavailable,
                ]
            )
        }
    }

    @Test("Another character anywhere in a payload is refused")
    func tampering() async throws {
        try await run(now: "2026-11-20T12:00:00Z") { emulator, receiver, root in
            let token = try await mint(emulator, .production)
            let body = try await body(emulator, receiver, of: token)
            let verifier = verifier(root)
            let payload = try await verifier.verify(body: Array(body.utf8)).payload
            #expect(payload.externalPurchaseToken?.externalPurchaseId.rawValue == token)
            let text = try #require(JSONReader().read(body).objectValue?["signedPayload"]?.stringValue)
            let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
            let bytes = Array(text.utf8)
            for position in stride(from: 0, to: bytes.count, by: 3) {
                var changed = bytes
                // The highest bit of a digit is always significant, unlike the lowest ones of the last digit.
                changed[position] = digits.firstIndex(of: bytes[position]).map { digits[$0 ^ 32] } ?? 0x41
                await #expect(throws: NotificationRefusal.self, "\(position)") {
                    try await verifier.verify(signedPayload: String(decoding: changed, as: UTF8.self))
                }
            }
        }
    }

    // MARK: The leaf

    /// The first certificate of a body.
    private func leaf(_ body: String) throws -> Certificate {
        let signed = try #require(JSONReader().read(body).objectValue?["signedPayload"]?.stringValue)
        let header = try #require(Base64URL.decode(signed.prefix { $0 != "." }.utf8)?.bytes)
        let chain = try JSONReader().read(header).objectValue?["x5c"]?.arrayValue
        let der = try #require(Data(base64Encoded: chain?.first?.stringValue ?? ""))
        return try Certificate(derEncoded: Array(der))
    }

    @Test("The leaf is renewed thirty days before its end, and older payloads stay genuine (NT-91)")
    func renewal() async throws {
        try await run(now: "2026-11-20T12:00:00Z") { emulator, receiver, root in
            let token = try await mint(emulator, .production)
            var bodies: [String] = []
            // Days after the start. The leaf becomes valid a day before it and is valid for 730 days.
            let days: [Int64] = [0, 698, 699, 699 + 698, 699 + 699, 3_000, 6_000]
            var passed: Int64 = 0
            for day in days {
                try await advance(emulator, seconds: (day - passed) * 86_400)
                passed = day
                bodies.append(try await body(emulator, receiver, of: token))
            }
            var leaves: [Certificate] = []
            for (day, body) in zip(days, bodies) {
                let payload = try await verifier(root).verify(body: Array(body.utf8)).payload
                #expect(payload.signedDate == EmulatorUnderTest.now + .days(day))
                let leaf = try leaf(body)
                let date = Date(timeIntervalSince1970: Double(payload.signedDate.milliseconds) / 1_000)
                #expect(leaf.notValidBefore <= date)
                #expect(leaf.notValidAfter.timeIntervalSince(date) > 30 * 86_400)
                #expect(leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore) == 730 * 86_400)
                leaves.append(leaf)
            }
            #expect(zip(leaves, leaves.dropFirst()).map { $0 == $1 } == [true, false, true, false, false, false])
            // The root has not changed.
            let pem = try await emulator.control(.GET, "/root.pem").body
            #expect(try TrustedRoot.read(Array(pem.utf8)) == [root])
        }
    }

    @Test("A clock that is set to before the leaf's beginning gets a leaf of that time (NT-91)")
    func clockSetBack() async throws {
        try await run(now: "2026-11-20T12:00:00Z") { emulator, receiver, root in
            let moment = try #require(Timestamp(rfc3339: "2020-02-03T04:05:06Z"))
            #expect(try await emulator.control(.PUT, "/clock", #"{"now":"\#(moment)"}"#).status == 200)
            let token = try await mint(emulator, .sandbox)
            let body = try await body(emulator, receiver, of: token)
            #expect(try await verifier(root).verify(body: Array(body.utf8)).payload.signedDate == moment)
            let begins = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000 - 86_400)
            #expect(try leaf(body).notValidBefore == begins)
        }
    }

    @Test("The chain is root P-384, intermediate P-384, leaf P-256, each limited to its purpose and marked (NT-90)")
    func chain() throws {
        let chain = try SigningChain(at: EmulatorUnderTest.now, dependencies: .seeded(1))
        let (root, intermediate) = (chain.root.certificate, chain.intermediate.certificate)
        let leaf = chain.leaf.certificate
        func years(_ certificate: Certificate) -> Double {
            certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore) / (365.25 * 86_400)
        }
        for (certificate, pathLength) in [(root, 1), (intermediate, 0)] {
            #expect(P384.Signing.PublicKey(certificate.publicKey) != nil)
            let constraints = try certificate.extensions.basicConstraints
            #expect(constraints == .isCertificateAuthority(maxPathLength: pathLength))
            #expect(abs(years(certificate) - 30) < 0.1)
        }
        #expect(root.issuer == root.subject)
        #expect(intermediate.issuer == root.subject && leaf.issuer == intermediate.subject)
        #expect(P256.Signing.PublicKey(leaf.publicKey) != nil)
        #expect(abs(years(leaf) - 2) < 0.01)
        #expect(try leaf.extensions.keyUsage == KeyUsage(digitalSignature: true))
        for (certificate, marker) in [(intermediate, "6.2.1"), (leaf, "6.11.1")] {
            let name = try ASN1ObjectIdentifier(dotRepresentation: "1.2.840.113635.100.\(marker)")
            let found = try #require(certificate.extensions[oid: name])
            #expect(!found.critical)
            #expect(Array(found.value) == [0x05, 0x00])
        }
        for certificate in [root, intermediate, leaf] { #expect(!"\(certificate.subject)".contains("Apple")) }
    }

    @Test("Every link of the chain names its own key and its issuer's, as OpenSSL in strict mode requires (RFC 5280)")
    func keyIdentifiers() throws {
        let chain = try SigningChain(at: EmulatorUnderTest.now, dependencies: .seeded(1))
        let links = [chain.leaf.certificate, chain.intermediate.certificate, chain.root.certificate]
        for (link, issuer) in zip(links, links.dropFirst() + [chain.root.certificate]) {
            let own = try #require(try link.extensions.subjectKeyIdentifier)
            #expect(own == SubjectKeyIdentifier(hash: link.publicKey))
            let named = try #require(try link.extensions.authorityKeyIdentifier).keyIdentifier
            #expect(named == SubjectKeyIdentifier(hash: issuer.publicKey).keyIdentifier)
        }
    }
}
