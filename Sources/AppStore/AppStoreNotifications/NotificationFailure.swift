package import ExternalPurchaseCore

/// Why a notification is not accepted, in the order in which the steps are checked (NT-3, NT-20 to NT-36).
package enum NotificationFailure: String, Error, Hashable, Sendable, CaseIterable {
    /// The body is not a JSON object with a string `signedPayload`, or is too long (NT-3).
    case bodyUnreadable = "body-unreadable"
    /// Not three parts that are not empty (NT-20).
    case notThreeParts = "not-three-parts"
    /// The first part is not Base64URL of a JSON object (NT-21).
    case headerUnreadable = "header-unreadable"
    /// The algorithm is not `ES256` (NT-22).
    case algorithmNotES256 = "algorithm-not-es256"
    /// There is no array of strings `x5c` (NT-23).
    case chainMissing = "chain-missing"
    /// The chain has not three elements (NT-24).
    case chainLength = "chain-length"
    /// The second part is not Base64URL of a JSON object (NT-25).
    case payloadUnreadable = "payload-unreadable"
    /// The first or the second element of the chain is not a certificate (NT-26).
    case certificateUnreadable = "certificate-unreadable"
    /// The chain does not lead to a configured root (NT-27).
    case chainUntrusted = "chain-untrusted"
    /// A certificate had ended at the time that counts (NT-28).
    case certificateExpired = "certificate-expired"
    /// A certificate had not begun at the time that counts (NT-28).
    case certificateNotYetValid = "certificate-not-yet-valid"
    /// The intermediate certificate does not say that it is one for App Store notifications (NT-29).
    case intermediateMarkerMissing = "intermediate-marker-missing"
    /// The leaf certificate does not say that it is one for App Store notifications (NT-30).
    case leafMarkerMissing = "leaf-marker-missing"
    /// A certificate was revoked (NT-31).
    case certificateRevoked = "certificate-revoked"
    /// Nobody could be asked whether a certificate was revoked (NT-31).
    case revocationUnavailable = "revocation-unavailable"
    /// The leaf's key is on another curve (NT-32).
    case leafKeyNotP256 = "leaf-key-not-p256"
    /// The signature is not 64 bytes or not of this key and text (NT-33).
    case signatureWrong = "signature-wrong"
    /// The payload lacks a required field (NT-34).
    case payloadIncomplete = "payload-incomplete"
    /// The notification is about an app that is not configured (NT-35).
    case wrongApp = "wrong-app"
    /// The notification is of an environment that is not configured (NT-36).
    case wrongEnvironment = "wrong-environment"

    /// True for the only failure that may pass on a later try (NT-37).
    package var mayPassLater: Bool { self == .revocationUnavailable }

    /// One sentence for a person; nothing of the message is quoted (NT-39).
    package var message: String {
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
        case .chainUntrusted: "the certificates do not lead to a configured root"
        case .certificateExpired: "a certificate of the chain had ended when the notification was signed"
        case .certificateNotYetValid: "a certificate of the chain had not begun when the notification was signed"
        case .intermediateMarkerMissing: "the intermediate certificate lacks the extension 1.2.840.113635.100.6.2.1"
        case .leafMarkerMissing: "the leaf certificate lacks the extension 1.2.840.113635.100.6.11.1"
        case .certificateRevoked: "a certificate of the chain was revoked"
        case .revocationUnavailable: "the responder that knows revoked certificates gave no usable answer"
        case .leafKeyNotP256: "the leaf certificate's key is not on the curve P-256"
        case .signatureWrong: "the signature does not fit the text and the leaf certificate's key"
        case .payloadIncomplete: "the payload lacks a field that a notification of its type must have"
        case .wrongApp: "the notification is about another app"
        case .wrongEnvironment: "the notification is of another environment"
        }
    }
}

/// A notification that was not accepted.
package struct NotificationRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first step that did not hold.
    package let failure: NotificationFailure
    /// The payload, which is Apple's word: only for `wrong-app` and `wrong-environment` (NT-39).
    package let payload: NotificationPayload?
    /// The fault in a payload whose signature holds, for `payload-incomplete`.
    package let payloadError: NotificationPayloadError?

    package init(
        _ failure: NotificationFailure,
        payload: NotificationPayload? = nil,
        payloadError: NotificationPayloadError? = nil
    ) {
        self.failure = failure
        self.payload = payload
        self.payloadError = payloadError
    }

    /// One sentence for a person.
    package var message: String { payloadError?.message ?? failure.message }

    /// The name and the sentence.
    package var description: String { "\(failure.rawValue): \(message)" }
}
