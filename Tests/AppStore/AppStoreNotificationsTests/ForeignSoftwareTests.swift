import Crypto
import ExternalPurchaseCore
import Foundation
import Testing

@testable import AppStoreNotifications

// Where the fixtures come from:
// - `openssl-root.pem` and the chain in `signed-by-pyjwt.json` were made once with OpenSSL 3.0 (`openssl ecparam`,
//   `openssl req`, `openssl x509 -req -days 10950`): root and intermediate P-384, leaf P-256, the markers as
//   `1.2.840.113635.100.6.2.1=DER:0500` and `1.2.840.113635.100.6.11.1=DER:0500`. The keys were thrown away.
// - The two messages were signed by PyJWT 2.15 (`jwt.encode`, ES256, header `x5c`) and accepted by Apple's
//   app-store-server-library 3.1.2 for Python (`SignedDataVerifier.verify_and_decode_notification`).
// - `apple-published-certificates.json` holds the certificates that Apple publishes with the tests of that library
//   (`tests/test_x509_verifiction.py`, MIT licence): Apple's real chain of 2025 and a chain made for tests.
@Suite("The verifier agrees with software that is not ours")
struct ForeignSoftwareTests {
    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return try Array(Data(contentsOf: folder.appending(path: name)))
    }

    static func object(_ name: String) throws -> JSONObject {
        try #require(JSONReader().read(fixture(name)).objectValue)
    }

    @Test("Messages signed by PyJWT under a chain of OpenSSL verify (NT-10, NT-11)", arguments: ["token", "test"])
    func pyJWT(_ name: String) async throws {
        let fixture = try Self.object("signed-by-pyjwt.json")
        let message = try #require(fixture[name]?.stringValue)
        let verifier = try NotificationVerifier(
            roots: TrustedRoot.read(Self.fixture("openssl-root.pem")),
            recipient: NotificationRecipient(apps: [.init(bundleId: "com.example.shop", appAppleId: 1_234_567_890)]),
            now: { Timestamp(milliseconds: 0) }
        )
        let payload = try await verifier.verify(signedPayload: message).payload
        #expect(payload.signedDate.milliseconds == fixture["signedDate"]?.int64Value)
        if name == "token" {
            #expect(payload.subtype == .created)
            #expect(payload.environment == .sandbox)
            #expect(payload.externalPurchaseToken?.tokenType == .services)
        } else {
            #expect(payload.notificationType == .test)
            #expect(payload.data?.environment == .production)
        }
    }

    static func root(_ name: String) throws -> TrustedRoot {
        let text = try #require(object("apple-published-certificates.json")[name]?.stringValue)
        return try TrustedRoot(der: Array(#require(Data(base64Encoded: text))))
    }

    /// The verdict on a message with these certificates that was signed with another key.
    static func verdict(
        _ certificates: [String],
        under root: TrustedRoot,
        at seconds: Int64 = 1_761_962_975
    ) async throws -> NotificationFailure? {
        let published = try object("apple-published-certificates.json")
        var draft = MessageDraft()
        draft.chainMember = try .array(certificates.map { try #require(published[$0]) })
        draft.signedDate = Timestamp(milliseconds: seconds * 1_000)
        let verifier = NotificationVerifier(
            roots: [root],
            recipient: NotificationRecipient(apps: nil),
            now: { Timestamp(milliseconds: 0) }
        )
        do {
            _ = try await verifier.verify(signedPayload: draft.signedPayload())
            return nil
        } catch let refusal as NotificationRefusal {
            return refusal.failure
        }
    }

    @Test("Apple's real root is recognised by its fingerprint, and no other (NT-12)")
    func fingerprint() throws {
        #expect(try Self.root("root").isApple)
        #expect(try !Self.root("testRoot").isApple)
        #expect(
            try Self.root("testRoot").fingerprint == "48AA70550EAB2CD71D51DCED44E88F9143B6BC0E1A6F430C19BA9A7CF36654E6"
        )
    }

    // A wrong signature shows that every step before it succeeded (NT-20 to NT-32).
    @Test("Apple's real chain holds up to the signature, which only Apple can make")
    func realChain() async throws {
        let chain = ["leaf", "intermediate", "root"]
        let root = try Self.root("root")
        #expect(try await Self.verdict(chain, under: root) == .signatureWrong)
        #expect(try await Self.verdict(chain, under: root, at: 1_900_000_000) == .certificateExpired)
        #expect(try await Self.verdict(chain, under: root, at: 1_600_000_000) == .certificateNotYetValid)
        #expect(try await Self.verdict(chain, under: Self.root("testRoot")) == .chainUntrusted)
    }

    @Test(
        "Apple's test certificates get the verdicts of Apple's library, by name",
        arguments: [
            (["testLeaf", "testIntermediate", "testRoot"], NotificationFailure.signatureWrong),
            (["testLeaf", "testIntermediate", "root"], .signatureWrong),
            (["testLeafUnderWrongMarker", "testIntermediateWithWrongMarker", "testRoot"], .intermediateMarkerMissing),
            (["testLeafWithWrongMarker", "testIntermediate", "testRoot"], .leafMarkerMissing),
            (["testIntermediate", "testRoot"], .chainLength),
            (["leaf", "intermediate", "testRoot"], .chainUntrusted),
        ]
    )
    func testChain(_ certificates: [String], _ expected: NotificationFailure) async throws {
        #expect(try await Self.verdict(certificates, under: Self.root("testRoot")) == expected)
    }

    @Test("Roots are read from DER, from PEM and from PEM with several certificates and text around them")
    func rootFiles() throws {
        let pem = try Self.fixture("openssl-root.pem")
        let one = try TrustedRoot.read(pem)
        let fixture = try Self.object("signed-by-pyjwt.json")
        let text = try #require(fixture["root"]?.stringValue)
        let der = try Array(#require(Data(base64Encoded: text)))
        #expect(one == [try TrustedRoot(der: der)])
        #expect(try TrustedRoot.read(der) == one)
        #expect(try TrustedRoot.read(pem + Array("\n".utf8) + pem).count == 2)
    }

    @Test(
        "A file without a root is refused with its kind",
        arguments: [
            ("", TrustedRootError.notACertificate), ("hello", .notACertificate),
            ("-----BEGIN CERTIFICATE-----\nMIIB", .notPEM),
            ("-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n", .notACertificate),
            ("-----BEGIN PUBLIC KEY-----\nYWJj\n-----END PUBLIC KEY-----\n", .notACertificateButPEM("PUBLIC KEY")),
        ]
    )
    func notARoot(_ text: String, _ expected: TrustedRootError) {
        #expect(throws: expected) { try TrustedRoot.read(Array(text.utf8)) }
    }
}
