import JWTKit

/// An App Store Connect In-App Purchase key: the content of an `AuthKey_<keyId>.p8`.
///
/// Nothing here ever shows it: descriptions, mirrors and errors leave it out (SA-14).
package struct PrivateKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let key: ES256PrivateKey

    /// Reads a P-256 private key in PKCS #8 PEM.
    ///
    /// - Parameter text: the content of the file.
    /// - Throws: ``PrivateKeyError``, which does not contain the text.
    package init(p8 text: String) throws(PrivateKeyError) {
        // Line ends and blanks around lines come from editors and secret stores.
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").joined(separator: " ") }
        guard let begin = lines.first(where: { $0.hasPrefix("-----BEGIN ") }) else {
            throw text.allSatisfy(\.isWhitespace) ? .empty : .notPEM
        }
        guard begin == "-----BEGIN PRIVATE KEY-----" else { throw .otherPEM }
        do {
            key = try ES256PrivateKey(pem: lines.joined(separator: "\n"))
        } catch {
            throw .notP256
        }
    }

    /// A word instead of the key.
    package var description: String { "private key" }

    /// A word instead of the key.
    package var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is not a key for API calls.
package enum PrivateKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing but blanks.
    case empty
    /// No PEM block.
    case notPEM
    /// PEM, but a certificate, a public key, an encrypted key or a key in another container.
    case otherPEM
    /// A PEM block of the right name without a P-256 key in it.
    case notP256

    /// What is wrong and what would be right.
    package var description: String {
        let right =
            "App Store Connect hands it out as AuthKey_<key id>.p8, which begins with -----BEGIN PRIVATE KEY-----"
        return switch self {
        case .empty: "the private key is empty; \(right)"
        case .notPEM: "the private key is not PEM; \(right)"
        case .otherPEM: "the PEM block is not an unencrypted PKCS #8 private key; \(right)"
        case .notP256: "the PEM block holds no P-256 private key, or is damaged; \(right)"
        }
    }
}
