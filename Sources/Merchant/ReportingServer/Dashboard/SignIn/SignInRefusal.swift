import ExternalPurchaseCore
import HTTPTypes
import Logging

/// A sign-in that somebody else vouches for, and that the server refuses.
struct SignInRefusal: Error, Hashable {
    /// Each reason, as the log has it.
    enum Reason: String, Hashable, CaseIterable {
        /// The header of the proxy stands more than once.
        case proxyHeaderRepeated = "proxy-header-repeated"
        /// The proxy names nobody who is a user here.
        case proxyUserUnknown = "proxy-user-unknown"

        /// The provider's answer is not to a sign-in that this browser began here within 15 minutes.
        case stateUnknown = "state-unknown"
        /// The sign-in has ended before.
        case stateUsed = "state-used"
        /// The answer names another provider, or none where it must.
        case answerIssuer = "answer-issuer"
        /// The provider answered with an error in place of a code.
        case providerError = "provider-error"
        case codeMissing = "code-missing"
        /// The provider gave no token for the code.
        case codeRefused = "code-refused"

        /// The provider gives no answer, or an error of its own.
        case providerUnavailable = "provider-unavailable"
        case providerAnswerTooLarge = "provider-answer-too-large"
        /// What the provider says about itself cannot be used.
        case providerMetadata = "provider-metadata"
        /// The browser's name for this server cannot be part of an address.
        case hostUnusable = "host-unusable"

        case tokenMissing = "token-missing"
        case tokenUnreadable = "token-unreadable"
        /// Another algorithm than ES256 and RS256.
        case tokenAlgorithm = "token-algorithm"
        /// The provider has no key of that id and algorithm.
        case tokenKeyUnknown = "token-key-unknown"
        case tokenSignature = "token-signature"
        case tokenIssuer = "token-issuer"
        case tokenAudience = "token-audience"
        case tokenAuthorizedParty = "token-authorized-party"
        case tokenExpired = "token-expired"
        case tokenNotYetValid = "token-not-yet-valid"
        case tokenTooOld = "token-too-old"
        case tokenNonce = "token-nonce"
        case tokenSubject = "token-subject"
        /// No group of the user has a role.
        case groupMissing = "group-missing"
    }

    let reason: Reason
    /// What the log has beside the reason.
    var detail: String?

    /// The response, whose page says what the person can do.
    var problem: Problem {
        switch reason {
        case .providerUnavailable, .providerAnswerTooLarge, .providerMetadata:
            Problem(
                .serviceUnavailable,
                kind: "sign-in",
                title: "The sign-in service cannot be reached",
                detail: explanation
            )
        default: Problem(.forbidden, kind: "sign-in", title: "You cannot sign in here", detail: explanation)
        }
    }

    private var explanation: String {
        switch reason {
        case .proxyHeaderRepeated:
            "the proxy in front of this server names more than one user; whoever runs it must let it replace what "
                + "browsers send in this header"
        case .proxyUserUnknown:
            "the proxy in front of this server knows you, but you are no user here; whoever runs this server makes one "
                + "of the same name: external-purchase users set-password NAME"
        case .stateUnknown, .stateUsed:
            "this sign-in was begun elsewhere, more than 15 minutes ago, or has ended before; begin it again"
        case .providerError:
            "the sign-in service did not sign you in; try again, or ask whoever runs it"
        case .providerUnavailable, .providerAnswerTooLarge, .providerMetadata:
            "try again later, or sign in with a password of this server"
        case .groupMissing:
            "you are known, but none of your groups has a role here; ask whoever manages the groups"
        default:
            "what the sign-in service said about you cannot be trusted; the log of this server has the reason under this "
                + "request's id"
        }
    }

    func log(_ logger: Logger, address: String) {
        var metadata: Logger.Metadata = ["reason": "\(reason.rawValue)", "address": "\(address)"]
        if let detail { metadata["detail"] = "\(detail.clipped(to: 200))" }
        logger.notice("a sign-in was refused", metadata: metadata)
    }
}
