import Crypto
package import ExternalPurchaseCore
import SwiftASN1
import X509

/// A notification whose signature leads to a configured root and that is for this recipient.
package struct VerifiedNotification: Hashable, Sendable {
    /// What the notification says.
    package let payload: NotificationPayload
    /// The root that vouches for it.
    package let root: TrustedRoot
}

/// Proves that a notification is genuine (spec/06 section 2.1).
///
/// The steps are checked in the order of their numbers and the first that does not hold is reported. Verified chains
/// are remembered for 15 minutes (NT-39), so one verifier should serve all requests of a recipient.
package final class NotificationVerifier: Sendable {
    private let roots: [TrustedRoot]
    private let recipient: NotificationRecipient
    private let revocation: (any RevocationChecking)?
    private let now: @Sendable () -> Timestamp
    let verifiedChains = VerifiedChains()

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - roots: the configured roots; without any, every notification is `chain-untrusted`.
    ///   - recipient: the apps and environments that notifications are taken for.
    ///   - revocation: the online check of NT-31; nil leaves it out, and certificates then count at the time of signing.
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
    /// - Throws: ``NotificationRefusal`` with the first step of NT-3 and NT-20 to NT-36 that does not hold.
    package func verify(body: [UInt8]) async throws(NotificationRefusal) -> VerifiedNotification {
        try await verify(signedPayload: NotificationBody.signedPayload(in: body))
    }

    /// Verifies a signed payload, from a request or from the history.
    ///
    /// - Parameter signedPayload: header, payload and signature joined by points.
    /// - Throws: ``NotificationRefusal`` with the first step of NT-20 to NT-36 that does not hold; `body-unreadable`
    ///   for a text that no body could hold.
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
        // Of several roots with the same name and key, one that is valid serves.
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
