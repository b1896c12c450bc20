import Crypto
package import ExternalPurchaseCore
import SwiftASN1
import X509

/// A notification for this recipient whose signature chains to a configured root.
package struct VerifiedNotification: Hashable, Sendable {
    /// The content of the notification.
    package let payload: NotificationPayload
    /// The root that its certificates chain to.
    package let root: TrustedRoot
}

/// Verifies that a notification is genuine (spec/06 section 2.1).
///
/// The steps are checked in the order of their numbers, and the first failure is reported. Verified chains are cached
/// for 15 minutes (NT-39), so use one verifier for all requests of a recipient.
package final class NotificationVerifier: Sendable {
    private let roots: [TrustedRoot]
    private let recipient: NotificationRecipient
    private let revocation: (any RevocationChecking)?
    private let now: @Sendable () -> Timestamp
    let verifiedChains = VerifiedChains()

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - roots: the configured roots. Without any, every notification is `chain-untrusted`.
    ///   - recipient: the accepted apps and environments.
    ///   - revocation: the online check of NT-31; nil omits it, and certificates are then checked at the time of
    ///     signing.
    ///   - now: the clock.
    package init(
        roots: [TrustedRoot],
        recipient: NotificationRecipient,
        revocation: (any RevocationChecking)? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.roots = roots
        self.recipient = recipient
        self.revocation = revocation
        self.now = now
    }

    /// Verifies the body of a request.
    ///
    /// - Parameter body: the body as received, `{"signedPayload":"…"}`.
    /// - Throws: ``NotificationRefusal`` with the first step of NT-3 and NT-20 to NT-36 that fails.
    package func verify(body: [UInt8]) async throws(NotificationRefusal) -> VerifiedNotification {
        try await verify(signedPayload: NotificationBody.signedPayload(in: body))
    }

    /// Verifies a signed payload from a request or from the history.
    ///
    /// - Parameter signedPayload: header, payload and signature, separated by points.
    /// - Throws: ``NotificationRefusal`` with the first step of NT-20 to NT-36 that fails; `body-unreadable` for a text
    ///   that exceeds the limit of a body.
    package func verify(signedPayload: String) async throws(NotificationRefusal) -> VerifiedNotification {
        guard signedPayload.utf8.count <= NotificationBody.maximumBytes else {
            throw NotificationRefusal(.bodyUnreadable)
        }
        let message: SignedMessage
        let chain: CertificateChain
        do {
            message = try SignedMessage(Array(signedPayload.utf8))
            chain = try await verifiedChain(of: message)
        } catch {
            throw NotificationRefusal(error)
        }
        let payload: NotificationPayload
        do {
            payload = try NotificationPayload(message.payload)
        } catch {
            throw NotificationRefusal(.payloadIncomplete, payloadError: error)
        }
        if let failure = recipient.mismatch(payload) { throw NotificationRefusal(failure, payload: payload) }
        return VerifiedNotification(payload: payload, root: chain.root)
    }

    // NT-26 to NT-33.
    private func verifiedChain(of message: SignedMessage) async throws(NotificationFailure) -> CertificateChain {
        guard let leaf = Base64Text.standard(message.chain[0].utf8),
            let intermediate = Base64Text.standard(message.chain[1].utf8)
        else { throw .certificateUnreadable }
        let now = now()
        let time = revocation == nil ? message.signedDate ?? now : now
        let name = VerifiedChains.Key(leaf: leaf, intermediate: intermediate)
        let (chain, key): (CertificateChain, P256.Signing.PublicKey)
        if let known = verifiedChains.chain(name, at: now), known.0.validityFailure(at: time) == nil {
            (chain, key) = known
        } else {
            (chain, key) = try await verify(leaf: leaf, intermediate: intermediate, at: time)
            verifiedChains.remember(chain, key, as: name, at: now)
        }
        guard let signature = Base64Text.url(message.signatureText), signature.count == 64,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signature, for: SHA256.hash(data: message.signedText))
        else { throw .signatureWrong }
        return chain
    }

    // NT-26 to NT-32.
    private func verify(
        leaf: [UInt8],
        intermediate: [UInt8],
        at time: Timestamp
    ) async throws(NotificationFailure) -> (CertificateChain, P256.Signing.PublicKey) {
        guard let leaf = try? Certificate(derEncoded: leaf),
            let intermediate = try? Certificate(derEncoded: intermediate)
        else { throw .certificateUnreadable }
        let chains = CertificateChain.trusted(leaf: leaf, intermediate: intermediate, roots: roots)
        guard let first = chains.first else { throw .chainUntrusted }
        // If several roots have the same name and key, any valid one is sufficient.
        guard let chain = chains.first(where: { $0.validityFailure(at: time) == nil }) else {
            throw first.validityFailure(at: time) ?? .certificateExpired
        }
        if let failure = chain.markerFailure { throw failure }
        if let revocation {
            do {
                try await revocation.check(chain)
            } catch {
                throw error == .revoked ? .certificateRevoked : .revocationUnavailable
            }
        }
        guard let key = chain.signingKey else { throw .leafKeyNotP256 }
        return (chain, key)
    }
}
