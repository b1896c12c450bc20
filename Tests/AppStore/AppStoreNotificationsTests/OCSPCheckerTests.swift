import ExternalPurchaseCore
import Foundation
import Testing

@testable import AppStoreNotifications

// `responder.json` was made once with cryptography 50 for Python: a chain of 30 years whose certificates name a
// responder (`AuthorityInformationAccess`), a message signed by PyJWT, and answers built by `OCSPResponseBuilder`,
// valid as long as the certificates unless their name says otherwise. The keys were thrown away.
@Suite("Revoked certificates are detected with OCSP (NT-31)")
struct OCSPCheckerTests {
    struct Refused: Error {}

    static func verdict(leaf: String?, intermediate: String?) async throws -> NotificationFailure? {
        let fixture = try ForeignSoftwareTests.object("responder.json")
        func bytes(_ name: String) throws -> [UInt8] {
            let text = try #require(fixture[name]?.stringValue)
            return try Array(#require(Data(base64Encoded: text)))
        }
        let answers = [
            "http://responder.example/leaf": try leaf.map(bytes),
            "http://responder.example/intermediate": try intermediate.map(bytes),
        ]
        let check = OCSPChecker { address, request in
            #expect(!request.isEmpty)
            guard let answer = answers[address], let answer else { throw Refused() }
            return answer
        }
        let verifier = try NotificationVerifier(
            roots: [TrustedRoot(der: bytes("root"))],
            recipient: NotificationRecipient(apps: nil),
            revocation: check,
            now: { Timestamp(Date()) }
        )
        do {
            _ = try await verifier.verify(signedPayload: #require(fixture["message"]?.stringValue))
            return nil
        } catch let refusal as NotificationRefusal {
            return refusal.failure
        }
    }

    @Test(
        "The responder's response, or its absence, determines the result",
        arguments: [
            ("leafGood", "intermediateGood", nil),
            ("leafRevoked", "intermediateGood", .certificateRevoked),
            ("leafGood", "intermediateRevoked", .certificateRevoked),
            (nil, "intermediateRevoked", .certificateRevoked),
            (nil, "intermediateGood", .revocationUnavailable),
            ("leafGood", nil, .revocationUnavailable),
            (nil, nil, .revocationUnavailable),
            ("leafUnknown", "intermediateGood", .revocationUnavailable),
            ("leafOutdated", "intermediateGood", .revocationUnavailable),
            ("leafRevokedByAnotherKey", "intermediateGood", .revocationUnavailable),
            ("intermediateGood", "leafGood", .revocationUnavailable),
            ("root", "intermediateGood", .revocationUnavailable),
        ] as [(String?, String?, NotificationFailure?)]
    )
    func answers(_ leaf: String?, _ intermediate: String?, _ expected: NotificationFailure?) async throws {
        #expect(try await Self.verdict(leaf: leaf, intermediate: intermediate) == expected)
    }
}
