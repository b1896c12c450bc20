import Crypto
package import ExternalPurchaseCore

/// The credentials that sign the API calls of an app.
package struct APICredentials: Sendable {
    /// The private key.
    let privateKey: PrivateKey
    /// The key's id.
    let keyId: String
    /// The developer account.
    let issuerId: String
    /// The app.
    let bundleId: BundleId

    /// Creates credentials.
    package init(privateKey: PrivateKey, keyId: String, issuerId: String, bundleId: BundleId) {
        self.privateKey = privateKey
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
    }
}

/// Signs the JWT of a request.
///
/// Tokens are never reused for another request (SA-12).
package struct BearerTokenSigner: Sendable {
    private let credentials: APICredentials
    /// The time from issue to expiry.
    let lifetime: Duration

    /// The permitted values of setting `jwt.lifetime` (SA-11).
    package static let lifetimes: ClosedRange<Duration> = .minutes(1) ... .hours(1)

    /// The default value of setting `jwt.lifetime` (SA-11).
    package static let standardLifetime = Duration.minutes(5)

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - credentials: the key and the claims.
    ///   - lifetime: the time from issue to expiry, clamped to ``lifetimes``.
    package init(credentials: APICredentials, lifetime: Duration = Self.standardLifetime) {
        self.credentials = credentials
        self.lifetime = min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
    }

    /// Returns a signed JWT (SA-10, SA-13).
    ///
    /// - Parameter now: the machine's time, truncated to seconds.
    package func token(now: Timestamp) throws -> String {
        try credentials.token(credentials.claims(now: now, lifetime: lifetime))
    }
}

extension APICredentials {
    /// The protected header (SA-10).
    var header: JSONObject {
        ["alg": "ES256", "kid": .string(keyId), "typ": "JWT"]
    }

    /// The claims of a request (SA-10).
    func claims(now: Timestamp, lifetime: Duration) -> JSONObject {
        let issued = now.milliseconds / 1_000
        return [
            "iss": .string(issuerId),
            "iat": .integer(issued),
            "exp": .integer(issued + lifetime.components.seconds),
            "aud": "appstoreconnect-v1",
            "bid": .string(bundleId.rawValue),
        ]
    }

    /// Returns a JWT in compact serialisation.
    ///
    /// - Parameter write: how the signature is written; `r‖s` is what the standard demands (SA-13).
    func token(
        _ claims: JSONObject,
        header: JSONObject? = nil,
        writing write: (P256.Signing.ECDSASignature) -> [UInt8] = { Array($0.rawRepresentation) }
    ) throws -> String {
        let text = [header ?? self.header, claims].map { object in
            Base64URL.encode(JSONValue.object(object).encoded())
        }.joined(separator: ".")
        return text + "." + Base64URL.encode(write(try privateKey.key.signature(for: Array(text.utf8))))
    }
}
