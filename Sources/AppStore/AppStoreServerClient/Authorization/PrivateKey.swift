import Crypto

/// An App Store Connect In-App Purchase key: the content of an `AuthKey_<keyId>.p8`.
///
/// The key never appears in descriptions, mirrors or errors (SA-14).
package struct PrivateKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let key: P256.Signing.PrivateKey

    /// Reads a P-256 private key in PKCS #8 PEM.
    ///
    /// - Parameter text: the content of the file.
    /// - Throws: ``PrivateKeyError``, which does not contain the text.
    package init(p8 text: String) throws(PrivateKeyError) {
        // Editors and secret stores add line ends, and blanks around lines.
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").joined(separator: " ") }
        guard let begin = lines.first(where: { $0.hasPrefix("-----BEGIN ") }) else {
            throw text.allSatisfy(\.isWhitespace) ? .empty : .notPEM
        }
        guard begin == "-----BEGIN PRIVATE KEY-----" else { throw .otherPEM }
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: lines.joined(separator: "\n"))
        } catch {
            throw .notP256
        }
    }

    /// A placeholder for the key.
    package var description: String { "private key" }

    /// A placeholder for the key.
    package var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text cannot be used as a key for API calls.
package enum PrivateKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is empty or consists of blanks.
    case empty
    /// The text contains no PEM block.
    case notPEM
    /// The PEM block is a certificate, a public key, an encrypted key or a key in another container.
    case otherPEM
    /// The PEM block has the right label but contains no P-256 key.
    case notP256

    /// What is wrong, with a remedy.
    package var description: String {
        let right =
            "App Store Connect hands it out as AuthKey_<key id>.p8, which begins with -----BEGIN PRIVATE KEY-----"
        return switch self {
        case .empty: "the private key is empty; \(right)"
        case .notPEM: "the private key is not PEM; \(right)"
        case .otherPEM: "the PEM block is not an unencrypted PKCS #8 private key; \(right)"
        case .notP256: "the PEM block contains no P-256 private key, or is damaged; \(right)"
        }
    }
}
