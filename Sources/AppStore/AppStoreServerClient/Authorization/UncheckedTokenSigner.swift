import Crypto
package import ExternalPurchaseCore
import JWTKit

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
        let issued = now.milliseconds / 1_000
        let valid = JSONObject([
            .init("alg", .string("ES256")), .init("kid", .string(credentials.keyId)), .init("typ", .string("JWT")),
        ])
        let standard = JSONObject([
            .init("iss", .string(credentials.issuerId)),
            .init("iat", .integer(issued)),
            .init("exp", .integer(issued + BearerTokenSigner.standardLifetime.components.seconds)),
            .init("aud", .string("appstoreconnect-v1")),
            .init("bid", .string(credentials.bundleId.rawValue)),
        ])
        let text = [(valid, header), (standard, claims)].map { object, changes in
            Base64URL.encode(JSONValue.object(Self.changed(object, changes)).encoded(), padding: false)
        }.joined(separator: ".")
        let key = try P256.Signing.PrivateKey(pemRepresentation: credentials.privateKey.key.pemRepresentation)
        let signed = try key.signature(for: Array(text.utf8))
        var bytes = Array(signed.rawRepresentation)
        switch signature {
        case .raw: break
        case .damaged: bytes[bytes.count - 1] ^= 1
        case .der: bytes = Array(signed.derRepresentation)
        case .none: bytes = []
        }
        return text + "." + Base64URL.encode(bytes, padding: false)
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
