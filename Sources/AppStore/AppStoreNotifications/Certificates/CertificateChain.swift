import Crypto
import ExternalPurchaseCore
import SwiftASN1
package import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Two certificates as sent and the configured root that they lead to.
package struct CertificateChain: Hashable, Sendable {
    /// The certificate whose key signed the message.
    package let leaf: Certificate
    /// The certificate that signed the leaf.
    package let intermediate: Certificate
    /// The configured certificate that signed the intermediate.
    package let root: TrustedRoot

    /// The extension that marks an intermediate certificate for App Store signing (NT-13).
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// The extension that marks a leaf certificate for App Store signing (NT-13).
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    /// The critical extensions that are understood here; markers may be critical (NT-13).
    static let knownCriticalExtensions: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, intermediateMarker, leafMarker,
    ]

    /// From leaf to root.
    var certificates: [Certificate] { [leaf, intermediate, root.certificate] }

    /// The chains of two certificates to each configured root that they lead to (NT-27); validity is not looked at.
    static func trusted(leaf: Certificate, intermediate: Certificate, roots: [TrustedRoot]) -> [CertificateChain] {
        guard intermediate.maySign(), leaf.hasOnlyKnownCriticalExtensions else { return [] }
        // The roots come first, so that no key from outside is computed with before a root vouches for it.
        let issuers = roots.filter {
            $0.certificate.maySign(authoritiesBelow: 1) && $0.certificate.signed(intermediate)
        }
        guard !issuers.isEmpty, intermediate.signed(leaf) else { return [] }
        return issuers.map { CertificateChain(leaf: leaf, intermediate: intermediate, root: $0) }
    }

    /// The step of NT-28 that does not hold at a time.
    func validityFailure(at time: Timestamp) -> NotificationFailure? {
        for certificate in certificates {
            if time > certificate.end { return .certificateExpired }
            if time < certificate.beginning { return .certificateNotYetValid }
        }
        return nil
    }

    /// The step of NT-29 and NT-30 that does not hold.
    var markerFailure: NotificationFailure? {
        guard intermediate.extensions[oid: Self.intermediateMarker] != nil else { return .intermediateMarkerMissing }
        guard leaf.extensions[oid: Self.leafMarker] != nil else { return .leafMarkerMissing }
        return nil
    }

    /// The leaf's key, nil where it is not on P-256 (NT-32).
    var signingKey: P256.Signing.PublicKey? { P256.Signing.PublicKey(leaf.publicKey) }

    /// The end of whichever certificate ends first.
    var end: Timestamp { min(leaf.end, intermediate.end, root.certificate.end) }
}

extension Certificate {
    fileprivate var beginning: Timestamp { Timestamp(notValidBefore) }

    // RFC 5280 section 4.1.2.5 includes the last second.
    fileprivate var end: Timestamp { Timestamp(notValidAfter).advanced(byMilliseconds: 999) }

    fileprivate func signed(_ other: Certificate) -> Bool {
        // SHA-1 is open to collisions; Apple's chain has used SHA-384 and SHA-256 from its beginning.
        other.issuer == subject && other.signatureAlgorithm != .sha1WithRSAEncryption
            && publicKey.isValidSignature(other.signature, for: other)
    }

    /// True for an authority whose key may sign certificates, with room for that many authorities below it.
    fileprivate func maySign(authoritiesBelow: Int = 0) -> Bool {
        guard hasOnlyKnownCriticalExtensions,
            case .isCertificateAuthority(let maximumPathLength)? = try? extensions.basicConstraints
        else { return false }
        if let maximumPathLength, maximumPathLength < authoritiesBelow { return false }
        // RFC 5280 section 4.2.1.3: an authority without this extension may use its key for anything.
        guard extensions[oid: .X509ExtensionID.keyUsage] != nil else { return true }
        return (try? extensions.keyUsage)?.keyCertSign ?? false
    }

    // RFC 5280 section 4.2: a critical extension that is not understood is a reason to refuse the certificate.
    fileprivate var hasOnlyKnownCriticalExtensions: Bool {
        extensions.allSatisfy { !$0.critical || CertificateChain.knownCriticalExtensions.contains($0.oid) }
    }
}
