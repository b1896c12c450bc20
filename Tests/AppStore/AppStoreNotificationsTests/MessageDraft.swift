import Crypto
import ExternalPurchaseCore
import Foundation
import X509

@testable import AppStoreNotifications

/// A signed message for a test, genuine unless a member changes it.
///
/// The members can be combined.
struct MessageDraft: Sendable {
    enum Signature: Sendable {
        case right, flippedBit, der, ofAnotherKey, shortened, empty
    }

    var plan = CertificatePlan()
    var trusted = CertificatePlan()
    var algorithm: JSONValue? = .string("ES256")
    /// Replaces `x5c`; nil keeps the chain.
    var chainMember: JSONValue?
    var leavesChainOut = false
    var swapsCertificates = false
    var leafText: String?
    var thirdElement: JSONValue?
    var elementCount = 3
    var headerText: String?
    var payloadText: String?
    var repeatsPayloadKey = false
    var pads = false
    var leftOutOfPayload: Set<String> = []
    var bundleId = "com.example.shop"
    var appAppleId: Int64 = 1_234_567_890
    var tokenId = "4d3f0000-0000-4000-8000-00000000000b"
    var signedDate: Timestamp? = CertificatePlan.signedDate
    var signature = Signature.right
    var extraPart: String?
    /// The online check; nil omits it.
    var revocation: ScriptedRevocation?
    var environments: Set<AppStoreEnvironment> = [.production]
    var now = CertificatePlan.signedDate + .minutes(1)

    func signedPayload() throws -> String {
        let header = try headerText ?? encode(header().encoded())
        let payload = payloadText ?? encode(self.payload().encoded())
        let text = header + "." + payload
        return try text + "." + signatureText(of: Data(text.utf8)) + (extraPart.map { "." + $0 } ?? "")
    }

    func verifier() throws -> NotificationVerifier {
        let now = now
        return try NotificationVerifier(
            roots: [TrustedRoot(der: trusted.root.der)],
            recipient: NotificationRecipient(
                apps: [.init(bundleId: "com.example.shop", appAppleId: 1_234_567_890)],
                environments: environments
            ),
            revocation: revocation,
            now: { now }
        )
    }

    private func encode(_ bytes: some Collection<UInt8>) -> String { Base64URL.encode(bytes, padding: pads) }

    private func header() throws -> JSONValue {
        var members: JSONObject = [:]
        if let algorithm { members["alg"] = algorithm }
        if !leavesChainOut { try members["x5c"] = chainMember ?? .array(chain()) }
        members["typ"] = .string("JWT")
        return .object(members)
    }

    private func chain() throws -> [JSONValue] {
        var elements = try [plan.leaf, plan.intermediate, plan.root].map { certificate in
            JSONValue.string(Data(try certificate.der).base64EncodedString())
        }
        if swapsCertificates { elements.swapAt(0, 1) }
        if let leafText { elements[0] = .string(leafText) }
        if let thirdElement { elements[2] = thirdElement }
        while elements.count > elementCount { elements.removeLast() }
        while elements.count < elementCount { elements.append(elements[2]) }
        return elements
    }

    private func payload() -> JSONValue {
        var token: [JSONObject.Member] = [
            .init("externalPurchaseId", .string(tokenId)),
            .init("tokenCreationDate", .integer(1_790_812_800_000)),
            .init("appAppleId", .integer(appAppleId)),
            .init("bundleId", .string(bundleId)),
        ]
        token.removeAll { leftOutOfPayload.contains($0.key) }
        var members: [JSONObject.Member] = [
            .init("notificationType", .string("EXTERNAL_PURCHASE_TOKEN")),
            .init("subtype", .string("CREATED")),
            .init("notificationUUID", .string("8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a11")),
            .init("version", .string("2.0")),
            .init("externalPurchaseToken", .object(JSONObject(token))),
        ]
        if let signedDate { members.append(.init("signedDate", .integer(signedDate.milliseconds))) }
        members.removeAll { leftOutOfPayload.contains($0.key) }
        if repeatsPayloadKey { members.append(members[0]) }
        return .object(JSONObject(members))
    }

    private func signatureText(of text: Data) throws -> String {
        if plan.leafIsOnP384, signature == .right {
            return try encode(TestKeys.largeLeaf.signature(for: text).rawRepresentation)
        }
        let key = signature == .ofAnotherKey ? TestKeys.otherLeaf : TestKeys.leaf
        let made = try key.signature(for: SHA256.hash(data: text))
        var raw = Array(made.rawRepresentation)
        switch signature {
        case .right, .ofAnotherKey: break
        case .flippedBit: raw[40] ^= 0x10
        case .der: raw = Array(made.derRepresentation)
        case .shortened: raw.removeLast()
        case .empty: raw = []
        }
        return encode(raw)
    }
}

/// An online check with a fixed result, which counts its calls.
final class ScriptedRevocation: RevocationChecking {
    private let failure: RevocationFailure?
    private let asked = AskedCount()

    init(_ failure: RevocationFailure?) {
        self.failure = failure
    }

    func check(_ chain: CertificateChain) async throws(RevocationFailure) {
        await asked.increase()
        if let failure { throw failure }
    }

    var count: Int { get async { await asked.value } }
}

private actor AskedCount {
    private(set) var value = 0

    func increase() { value += 1 }
}
