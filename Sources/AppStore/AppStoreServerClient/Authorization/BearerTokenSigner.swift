package import ExternalPurchaseCore
import JWTKit

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
    package func token(now: Timestamp) async throws -> String {
        let issued = now.milliseconds / 1_000
        let claims = Claims(
            iss: credentials.issuerId,
            iat: issued,
            exp: issued + lifetime.components.seconds,
            aud: "appstoreconnect-v1",
            bid: credentials.bundleId.rawValue
        )
        let id = JWKIdentifier(string: credentials.keyId)
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: credentials.privateKey.key, kid: id)
        return try await keys.sign(claims, kid: id)
    }

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String

        // Only Apple verifies tokens; this type only creates them.
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
