package import ExternalPurchaseCore

/// Why a notification is refused, in the order of the checks (NT-3, NT-20 to NT-36).
package enum NotificationFailure: String, Error, Hashable, Sendable, CaseIterable {
    /// The body is not a JSON object with a string `signedPayload`, or it is too long (NT-3).
    case bodyUnreadable = "body-unreadable"
    /// The message does not have three non-empty parts (NT-20).
    case notThreeParts = "not-three-parts"
    /// The first part is not Base64URL of a JSON object (NT-21).
    case headerUnreadable = "header-unreadable"
    /// The algorithm is not `ES256` (NT-22).
    case algorithmNotES256 = "algorithm-not-es256"
    /// The header has no `x5c` member that is an array of strings (NT-23).
    case chainMissing = "chain-missing"
    /// The chain does not have three elements (NT-24).
    case chainLength = "chain-length"
    /// The second part is not Base64URL of a JSON object (NT-25).
    case payloadUnreadable = "payload-unreadable"
    /// The first or the second element of the chain is not a certificate (NT-26).
    case certificateUnreadable = "certificate-unreadable"
    /// The certificates do not chain to a configured root (NT-27).
    case chainUntrusted = "chain-untrusted"
    /// A certificate had expired at the relevant time (NT-28).
    case certificateExpired = "certificate-expired"
    /// A certificate was not valid yet at the relevant time (NT-28).
    case certificateNotYetValid = "certificate-not-yet-valid"
    /// The intermediate certificate lacks the marker for App Store signing (NT-29).
    case intermediateMarkerMissing = "intermediate-marker-missing"
    /// The leaf certificate lacks the marker for App Store signing (NT-30).
    case leafMarkerMissing = "leaf-marker-missing"
    /// A certificate was revoked (NT-31).
    case certificateRevoked = "certificate-revoked"
    /// No responder could be asked whether a certificate was revoked (NT-31).
    case revocationUnavailable = "revocation-unavailable"
    /// The leaf's key is on another curve (NT-32).
    case leafKeyNotP256 = "leaf-key-not-p256"
    /// The signature is not 64 bytes long or does not match the key and text (NT-33).
    case signatureWrong = "signature-wrong"
    /// The payload lacks a required field (NT-34).
    case payloadIncomplete = "payload-incomplete"
    /// The notification is about an app that is not configured (NT-35).
    case wrongApp = "wrong-app"
    /// The environment of the notification is not configured (NT-36).
    case wrongEnvironment = "wrong-environment"

    /// True for the only failure that a later attempt may not have (NT-37).
    package var mayPassLater: Bool { self == .revocationUnavailable }

    /// The failure in one sentence, for people.
    ///
    /// It does not quote the message (NT-39).
    var message: String {
        switch self {
        case .bodyUnreadable:
            "the body is not a JSON object with a string signedPayload of at most 256 KiB"
        case .notThreeParts: "the signed payload is not three parts joined by points"
        case .headerUnreadable: "the first part is not Base64URL of a JSON object"
        case .algorithmNotES256: "the header's alg is not ES256"
        case .chainMissing: "the header's x5c is not an array of strings"
        case .chainLength: "the header's x5c has not exactly three elements"
        case .payloadUnreadable: "the second part is not Base64URL of a JSON object"
        case .certificateUnreadable:
            "the first or second element of x5c is not a DER certificate in standard Base64"
        case .chainUntrusted: "the certificates do not chain to a configured root"
        case .certificateExpired: "a certificate of the chain had ended when the notification was signed"
        case .certificateNotYetValid: "a certificate of the chain had not begun when the notification was signed"
        case .intermediateMarkerMissing: "the intermediate certificate lacks the extension 1.2.840.113635.100.6.2.1"
        case .leafMarkerMissing: "the leaf certificate lacks the extension 1.2.840.113635.100.6.11.1"
        case .certificateRevoked: "a certificate of the chain was revoked"
        case .revocationUnavailable: "the responder for revoked certificates gave no usable response"
        case .leafKeyNotP256: "the leaf certificate's key is not on the curve P-256"
        case .signatureWrong: "the signature does not match the text and the leaf certificate's key"
        case .payloadIncomplete: "the payload lacks a field that a notification of its type must have"
        case .wrongApp: "the notification is about another app"
        case .wrongEnvironment: "the notification is of another environment"
        }
    }
}

/// The refusal of a notification.
package struct NotificationRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first step that failed.
    package let failure: NotificationFailure
    /// The payload, if its signature is valid: only for `wrong-app` and `wrong-environment` (NT-39).
    package let payload: NotificationPayload?
    /// The error in a payload with a valid signature, for `payload-incomplete`.
    let payloadError: NotificationPayloadError?

    package init(
        _ failure: NotificationFailure,
        payload: NotificationPayload? = nil,
        payloadError: NotificationPayloadError? = nil
    ) {
        self.failure = failure
        self.payload = payload
        self.payloadError = payloadError
    }

    /// The refusal in one sentence, for people.
    package var message: String { payloadError?.message ?? failure.message }

    /// The name of the failure followed by the message.
    package var description: String { "\(failure.rawValue): \(message)" }
}
