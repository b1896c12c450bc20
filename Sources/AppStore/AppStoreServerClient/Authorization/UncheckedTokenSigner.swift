import Crypto
package import ExternalPurchaseCore

/// Signs JWTs with any header and claims, also such as the endpoint must refuse.
///
/// Only the conformance suite needs it; ``BearerTokenSigner`` signs the requests of the product.
package struct UncheckedTokenSigner: Sendable {
    /// How the signature is written.
    package enum Signature: Sendable {
        /// 64 bytes `r‖s` (SA-13).
        case raw
        /// 64 bytes, the last of them changed.
        case damaged
        /// DER.
        case der
        /// Nothing.
        case none
    }

    private let credentials: APICredentials

    /// Creates a signer.
    package init(credentials: APICredentials) {
        self.credentials = credentials
    }

    /// Returns a JWT.
    ///
    /// - Parameters:
    ///   - now: the machine's time.
    ///   - header: members that replace those of SA-10; null removes one.
    ///   - claims: claims that replace those of SA-10; null removes one.
    ///   - signature: how the signature is written.
    package func token(
        now: Timestamp,
        header: JSONObject,
        claims: JSONObject,
        signature: Signature
    ) throws -> String {
        try credentials.token(
            Self.changed(credentials.claims(now: now, lifetime: BearerTokenSigner.standardLifetime), claims),
            header: Self.changed(credentials.header, header)
        ) { signed in
            var bytes = Array(signed.rawRepresentation)
            switch signature {
            case .raw: break
            case .damaged: bytes[bytes.count - 1] ^= 1
            case .der: bytes = Array(signed.derRepresentation)
            case .none: bytes = []
            }
            return bytes
        }
    }

    private static func changed(_ object: JSONObject, _ changes: JSONObject) -> JSONObject {
        var members = object.members
        for change in changes.members {
            members.removeAll { $0.key == change.key }
            if change.value != .null { members.append(change) }
        }
        return JSONObject(members)
    }
}
