import Crypto
import ExternalPurchaseCore
import SwiftASN1
import X509

/// A leaf and an intermediate certificate as received, with the configured root that they chain to.
package struct CertificateChain: Hashable, Sendable {
    /// The certificate whose key signed the message.
    let leaf: Certificate
    /// The certificate that signed the leaf.
    let intermediate: Certificate
    /// The configured root that signed the intermediate.
    let root: TrustedRoot

    /// The extension that marks an intermediate certificate for App Store signing (NT-13).
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// The extension that marks a leaf certificate for App Store signing (NT-13).
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    /// The critical extensions that this verifier supports.
    ///
    /// Markers may be critical (NT-13).
    static let knownCriticalExtensions: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, intermediateMarker, leafMarker,
    ]

    /// The certificates from leaf to root.
    var certificates: [Certificate] { [leaf, intermediate, root.certificate] }

    /// Returns one chain for each configured root that signed the intermediate, if the intermediate signed the leaf
    /// (NT-27).
    ///
    /// Validity periods are checked later.
    static func trusted(leaf: Certificate, intermediate: Certificate, roots: [TrustedRoot]) -> [CertificateChain] {
        guard intermediate.maySign(), leaf.hasOnlyKnownCriticalExtensions else { return [] }
        // The roots are checked first, so that no untrusted key is used in a computation before a root has certified
        // it.
        let issuers = roots.filter {
            $0.certificate.maySign(authoritiesBelow: 1) && $0.certificate.signed(intermediate)
        }
        guard !issuers.isEmpty, intermediate.signed(leaf) else { return [] }
        return issuers.map { CertificateChain(leaf: leaf, intermediate: intermediate, root: $0) }
    }

    /// Returns the step of NT-28 that fails at a time, or nil.
    func validityFailure(at time: Timestamp) -> NotificationFailure? {
        for certificate in certificates {
            if time > certificate.end { return .certificateExpired }
            if time < certificate.beginning { return .certificateNotYetValid }
        }
        return nil
    }

    /// The step of NT-29 or NT-30 that fails, or nil.
    var markerFailure: NotificationFailure? {
        guard intermediate.extensions[oid: Self.intermediateMarker] != nil else { return .intermediateMarkerMissing }
        guard leaf.extensions[oid: Self.leafMarker] != nil else { return .leafMarkerMissing }
        return nil
    }

    /// The leaf's key; nil if it is not on P-256 (NT-32).
    var signingKey: P256.Signing.PublicKey? { P256.Signing.PublicKey(leaf.publicKey) }

    /// The earliest end of validity of the three certificates.
    var end: Timestamp { min(leaf.end, intermediate.end, root.certificate.end) }
}

extension Certificate {
    fileprivate var beginning: Timestamp { Timestamp(notValidBefore) }

    // RFC 5280 section 4.1.2.5 includes the last second.
    fileprivate var end: Timestamp { Timestamp(notValidAfter).advanced(by: .milliseconds(999)) }

    fileprivate func signed(_ other: Certificate) -> Bool {
        // SHA-1 signatures can be forged by collisions. Apple's chain has always used SHA-384 and SHA-256.
        other.issuer == subject && other.signatureAlgorithm != .sha1WithRSAEncryption
            && publicKey.isValidSignature(other.signature, for: other)
    }

    /// True for a certificate authority whose key may sign certificates and whose path length allows that many
    /// authorities below it.
    fileprivate func maySign(authoritiesBelow: Int = 0) -> Bool {
        guard hasOnlyKnownCriticalExtensions,
            case .isCertificateAuthority(let maximumPathLength)? = try? extensions.basicConstraints
        else { return false }
        if let maximumPathLength, maximumPathLength < authoritiesBelow { return false }
        // RFC 5280 section 4.2.1.3: without this extension, the key of an authority may be used for any purpose.
        guard extensions[oid: .X509ExtensionID.keyUsage] != nil else { return true }
        return (try? extensions.keyUsage)?.keyCertSign ?? false
    }

    // RFC 5280 section 4.2: a certificate with an unsupported critical extension must be refused.
    fileprivate var hasOnlyKnownCriticalExtensions: Bool {
        extensions.allSatisfy { !$0.critical || CertificateChain.knownCriticalExtensions.contains($0.oid) }
    }
}
