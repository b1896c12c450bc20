import Crypto
package import ExternalPurchaseCore
import SwiftASN1
import X509

/// A configured root certificate.
///
/// Only configured roots are trusted (NT-12).
package struct TrustedRoot: Hashable, Sendable {
    /// The fingerprint of "Apple Root CA - G3", the root of Apple's notifications.
    static let appleFingerprint = "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179"

    /// The certificate.
    let certificate: Certificate
    /// SHA-256 of the DER bytes as 64 upper-case hexadecimal digits.
    package let fingerprint: String

    /// True for Apple's own root, which certifies genuine notifications.
    package var isApple: Bool { fingerprint == Self.appleFingerprint }

    /// The last moment of the certificate's validity, after which no notification is accepted.
    package var validUntil: Timestamp { Timestamp(certificate.notValidAfter) }

    /// Reads one certificate.
    ///
    /// - Parameter der: the certificate in DER.
    /// - Throws: ``TrustedRootError``.
    package init(der: [UInt8]) throws(TrustedRootError) {
        do {
            certificate = try Certificate(derEncoded: der)
        } catch {
            throw .notACertificate
        }
        fingerprint = SHA256.hash(data: der).map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }

    /// Reads a certificate that may certify others, as a leaf beside the root may not.
    private init(authority der: [UInt8]) throws(TrustedRootError) {
        try self.init(der: der)
        if case .notCertificateAuthority? = try? certificate.extensions.basicConstraints { throw .notAnAuthority }
    }

    /// Reads the roots in a file: one certificate in DER, or one or more in PEM.
    ///
    /// - Parameter file: the content of the file, at most 1 MiB.
    /// - Throws: ``TrustedRootError``.
    package static func read(_ file: [UInt8]) throws(TrustedRootError) -> [TrustedRoot] {
        guard file.count <= 1_048_576 else { throw .tooLarge }
        // DER begins with 0x30, the tag of a sequence. A PEM file begins with this byte only if it starts with
        // explanatory text whose first character is the digit 0.
        guard let text = String(validating: file, as: UTF8.self), text.contains("-----BEGIN") else {
            return try [TrustedRoot(authority: file)]
        }
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(pemString: text)
        } catch {
            throw .notPEM
        }
        guard !documents.isEmpty else { throw .notPEM }
        var roots: [TrustedRoot] = []
        for document in documents {
            guard document.discriminator == Certificate.defaultPEMDiscriminator else {
                throw .notACertificateButPEM(document.discriminator)
            }
            try roots.append(TrustedRoot(authority: document.derBytes))
        }
        return roots
    }
}

/// Why a file contains no root certificate.
package enum TrustedRootError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is larger than 1 MiB.
    case tooLarge
    /// The file is neither a certificate in DER nor a PEM text.
    case notACertificate
    /// The certificate is a leaf, which may certify no other.
    case notAnAuthority
    /// The file is a malformed PEM text.
    case notPEM
    /// The file is a PEM text of another kind, which is the associated value.
    case notACertificateButPEM(String)

    /// The error in one sentence, for people.
    package var description: String {
        switch self {
        case .tooLarge: "the file has more than 1 MiB; a root certificate has about 1 KiB"
        case .notACertificate: "the file is not an X.509 certificate; give one in DER (.cer) or PEM (.pem)"
        case .notAnAuthority: "the certificate is no root: it may certify no other (CA:FALSE)"
        case .notPEM: "the PEM text has no complete block BEGIN CERTIFICATE … END CERTIFICATE"
        case .notACertificateButPEM(let kind): "the PEM text contains \(kind), not CERTIFICATE"
        }
    }
}
