import ExternalPurchaseCore
import SwiftASN1
import Testing
import X509

@testable import AppStoreNotifications

/// A defect of a message, with the failure that it must cause.
struct TamperedMessage: Sendable, CustomTestStringConvertible {
    let rule: String
    let claim: String
    let failure: NotificationFailure
    let tamper: @Sendable (inout MessageDraft) -> Void

    init(
        _ rule: String,
        _ claim: String,
        _ failure: NotificationFailure,
        _ tamper: @escaping @Sendable (inout MessageDraft) -> Void
    ) {
        self.rule = rule
        self.claim = claim
        self.failure = failure
        self.tamper = tamper
    }

    var testDescription: String { "\(rule): \(claim)" }

    /// One defect for each failure, in the order of the steps.
    ///
    /// Any two can be combined in one message.
    static let oneEach: [TamperedMessage] = [
        .init("NT-20", "four parts", .notThreeParts) { $0.extraPart = "e30" },
        .init("NT-21", "a header that is not Base64URL", .headerUnreadable) { $0.headerText = "e3$0" },
        .init("NT-22", "alg none", .algorithmNotES256) { $0.algorithm = .string("none") },
        .init("NT-23", "no x5c", .chainMissing) { $0.leavesChainOut = true },
        .init("NT-24", "two certificates", .chainLength) { $0.elementCount = 2 },
        .init("NT-25", "a payload that is an array", .payloadUnreadable) { $0.payloadText = "W10" },
        .init("NT-26", "a leaf that is no certificate", .certificateUnreadable) { $0.leafText = "YWJj" },
        .init("NT-27", "another root", .chainUntrusted) { $0.trusted.rootKey = TestKeys.otherRoot },
        .init("NT-28", "an expired leaf", .certificateExpired) {
            $0.plan.leafEnd = CertificatePlan.signedDate - .days(1)
        },
        .init("NT-29", "no intermediate marker", .intermediateMarkerMissing) { $0.plan.intermediateMarker = nil },
        .init("NT-30", "no leaf marker", .leafMarkerMissing) { $0.plan.leafMarker = nil },
        .init("NT-31", "revoked", .certificateRevoked) { $0.revocation = ScriptedRevocation(.revoked) },
        .init("NT-32", "a P-384 leaf", .leafKeyNotP256) { $0.plan.leafIsOnP384 = true },
        .init("NT-33", "a flipped signature bit", .signatureWrong) { $0.signature = .flippedBit },
        .init("NT-34", "no version", .payloadIncomplete) { $0.leftOutOfPayload = ["version"] },
        .init("NT-35", "wrong app", .wrongApp) { $0.bundleId = "com.example.other" },
        .init("NT-36", "wrong environment", .wrongEnvironment) { $0.environments = [.sandbox] },
    ]

    /// Further defects for each step.
    static let more: [TamperedMessage] = [
        .init("NT-20", "an empty signature", .notThreeParts) { $0.signature = .empty },
        .init("NT-20", "an empty payload", .notThreeParts) { $0.payloadText = "" },
        .init("NT-21", "a header that is an array", .headerUnreadable) { $0.headerText = "W10" },
        .init("NT-21", "a header that is not JSON", .headerUnreadable) { $0.headerText = "e30x" },
        .init("NT-21", "a header with a wrong padding", .headerUnreadable) { $0.headerText = "e30==" },
        .init("NT-21", "a header in the standard alphabet", .headerUnreadable) { $0.headerText = "eyI/Ijox+Q" },
        .init("NT-21", "a repeated key in the header", .headerUnreadable) {
            $0.headerText = Base64URL.encode(Array(#"{"alg":"ES256","alg":"ES256"}"#.utf8))
        },
        .init("NT-22", "no alg", .algorithmNotES256) { $0.algorithm = nil },
        .init("NT-22", "alg in another case", .algorithmNotES256) { $0.algorithm = .string("es256") },
        .init("NT-22", "HS256", .algorithmNotES256) { $0.algorithm = .string("HS256") },
        .init("NT-22", "alg null", .algorithmNotES256) { $0.algorithm = .null },
        .init("NT-23", "x5c is a string", .chainMissing) { $0.chainMember = .string("MIIB") },
        .init("NT-23", "x5c holds a number", .chainMissing) { $0.thirdElement = .integer(1) },
        .init("NT-24", "an empty x5c", .chainLength) { $0.chainMember = .array([]) },
        .init("NT-24", "four certificates", .chainLength) { $0.elementCount = 4 },
        .init("NT-25", "a payload that is not Base64URL", .payloadUnreadable) { $0.payloadText = "e30*" },
        .init("NT-25", "a repeated key in the payload", .payloadUnreadable) { $0.repeatsPayloadKey = true },
        .init("NT-26", "a leaf in Base64URL", .certificateUnreadable) { $0.leafText = "MII-_w==" },
        .init("NT-26", "a leaf without padding", .certificateUnreadable) { $0.leafText = "MIIBAA" },
        .init("NT-26", "an empty leaf", .certificateUnreadable) { $0.leafText = "" },
        .init("NT-27", "swapped order", .chainUntrusted) { $0.swapsCertificates = true },
        .init("NT-27", "an intermediate signed by another key", .chainUntrusted) {
            $0.plan.intermediateSigner = TestKeys.otherRoot
        },
        .init("NT-27", "a leaf signed by another key", .chainUntrusted) {
            $0.plan.leafSigner = TestKeys.otherIntermediate
        },
        .init("NT-27", "a leaf that names another issuer", .chainUntrusted) {
            $0.plan.leafIssuer = CertificatePlan.name("Someone")
        },
        .init("NT-27", "an intermediate that names another issuer", .chainUntrusted) {
            $0.plan.intermediateIssuer = CertificatePlan.name("Someone")
        },
        .init("NT-27", "an intermediate that is no authority", .chainUntrusted) {
            $0.plan.intermediateConstraint = .notCertificateAuthority
        },
        .init("NT-27", "an intermediate without basic constraints", .chainUntrusted) {
            $0.plan.intermediateConstraint = nil
        },
        .init("NT-27", "an intermediate that may not sign certificates", .chainUntrusted) {
            $0.plan.intermediateUsage?.keyCertSign = false
            $0.plan.intermediateUsage?.digitalSignature = true
        },
        .init("NT-27", "a root that is no authority", .chainUntrusted) {
            $0.trusted.rootConstraint = .notCertificateAuthority
        },
        .init("NT-27", "a root that may not sign certificates", .chainUntrusted) {
            $0.trusted.rootUsage = KeyUsage(cRLSign: true)
        },
        .init("NT-27", "a root that allows no authority below it", .chainUntrusted) {
            $0.trusted.rootConstraint = .isCertificateAuthority(maxPathLength: 0)
        },
        .init("NT-27", "a critical extension that nobody knows", .chainUntrusted) {
            $0.plan.criticalExtension = [1, 3, 6, 1, 4, 1, 99_999, 1]
        },
        .init("NT-38", "a transmitted root is not trusted because it was sent", .chainUntrusted) {
            $0.plan.rootKey = TestKeys.otherRoot
            $0.plan.intermediateSigner = TestKeys.otherRoot
        },
        .init("NT-28", "a leaf that has not begun", .certificateNotYetValid) {
            $0.plan.leafBeginning = CertificatePlan.signedDate + .days(1)
        },
        .init("NT-28", "an intermediate that has not begun", .certificateNotYetValid) {
            $0.plan.intermediateBeginning = CertificatePlan.signedDate + .days(1)
        },
        .init("NT-28", "an expired root", .certificateExpired) {
            $0.trusted.rootEnd = CertificatePlan.signedDate - .days(1)
        },
        .init("NT-95", "the intermediate marker 6.2.2", .intermediateMarkerMissing) {
            $0.plan.intermediateMarker = [1, 2, 840, 113635, 100, 6, 2, 2]
        },
        .init("NT-95", "the leaf marker 6.11.2", .leafMarkerMissing) {
            $0.plan.leafMarker = [1, 2, 840, 113635, 100, 6, 11, 2]
        },
        .init("NT-31", "nobody answers", .revocationUnavailable) {
            $0.revocation = ScriptedRevocation(.unavailable)
        },
        .init("NT-33", "a DER signature", .signatureWrong) { $0.signature = .der },
        .init("NT-33", "a signature of another key", .signatureWrong) { $0.signature = .ofAnotherKey },
        .init("NT-33", "63 bytes", .signatureWrong) { $0.signature = .shortened },
        .init("NT-34", "no signing date", .payloadIncomplete) { $0.signedDate = nil },
        .init("NT-34", "a token without bundle id", .payloadIncomplete) { $0.leftOutOfPayload = ["bundleId"] },
        .init("NT-35", "another app id in production", .wrongApp) { $0.appAppleId = 99 },
        .init("NT-36", "a sandbox token for a production address", .wrongEnvironment) {
            $0.tokenId = "SANDBOX_4d3f0000-0000-4000-8000-00000000000b"
        },
    ]
}
