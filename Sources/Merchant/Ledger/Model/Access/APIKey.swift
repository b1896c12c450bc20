import ExternalPurchaseCore

/// The requests that an API key allows.
package enum KeyScope: String, Hashable, Sendable, CaseIterable {
    /// Every request.
    case admin
    /// Every `GET`.
    case read
    /// Tokens and sales.
    case sales
    /// Tokens.
    case intake
    /// `POST /v1/tokens` and `GET /v1/policy`; such a key is part of an app and is no secret.
    case publishable
}

/// An API key as a client presents it: `epk_<scope>_<secret>`.
///
/// The ledger stores only its digest.
package struct APIKey: Hashable, Sendable {
    package let scope: KeyScope
    package let text: String

    /// The length of a secret in bytes; 256 bits cannot be guessed, so that a digest needs no salt.
    package static let secretLength = 32

    /// Creates a key with a random secret.
    package init(scope: KeyScope, using generator: inout some RandomNumberGenerator) {
        self.scope = scope
        text = "epk_\(scope.rawValue)_\([UInt8].random(count: Self.secretLength, using: &generator).hexadecimal)"
    }

    /// The SHA-256 of the complete text.
    package var digest: [UInt8] { Self.digest(of: text) }

    /// The SHA-256 of a text that a client presents as a key.
    package static func digest(of text: some StringProtocol) -> [UInt8] { text.utf8.sha256 }
}

/// The id of an API key: `key_` and 16 hexadecimal digits.
package struct APIKeyId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a random id.
    package static func random(using generator: inout some RandomNumberGenerator) -> APIKeyId {
        APIKeyId("key_" + [UInt8].random(count: 8, using: &generator).hexadecimal)
    }
}

extension [UInt8] {
    /// Returns random bytes.
    package static func random(count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
