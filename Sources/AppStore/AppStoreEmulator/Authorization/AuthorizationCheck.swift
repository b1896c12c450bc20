import Crypto
import ExternalPurchaseCore

/// Checks the JWT of a request as Apple does, one reason after another (SA-15).
struct AuthorizationCheck: Sendable {
    let apps: AppRegistry
    let settings: EmulatorSettings
    /// The time by the clock that setting `auth.clock` selects.
    let now: Timestamp
    /// The environment that the emulator is restricted to.
    let environment: AppStoreEnvironment?

    /// Returns the app that the request is made for.
    ///
    /// - Parameter verified: the tokens whose signature was verified before.
    func caller(authorization: String?, verified: inout VerifiedTokens) throws(AuthorizationFault) -> BundleId {
        let (token, parts) = try Self.parts(authorization)
        let key = try key(header: parts[0])
        if !verified.contains(token) {
            try Self.verify(signature: parts[2], of: "\(parts[0]).\(parts[1])", key: key)
            verified.insert(token)
        }
        guard let claims = Self.object(parts[1]) else { throw .claimsUnreadable }
        let bundleId = try app(claims: claims, key: key)
        try checkTimes(claims)
        if settings.isReleaseRequired, environment == .production, apps[bundleId]?.isReleased == false {
            throw .appNotReleased
        }
        return bundleId
    }

    private static func parts(
        _ authorization: String?
    ) throws(AuthorizationFault) -> (token: Substring, parts: [Substring]) {
        guard let authorization, !authorization.isEmpty else { throw .authorizationMissing }
        let words = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words[0].lowercased() == "bearer" else { throw .authorizationNotBearer }
        let token = words.count == 2 ? words[1] : ""
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { throw .tokenNotThreeParts }
        return (token, parts)
    }

    private func key(header: Substring) throws(AuthorizationFault) -> SigningKey {
        guard let header = Self.object(header) else { throw .headerUnreadable }
        guard header["alg"] == .string("ES256") else { throw .algorithmNotES256 }
        if let type = header["typ"], type != .string("JWT") { throw .typeNotJWT }
        // No extension is supported, and any other value of `crit` is not a list of extensions (RFC 7515, section
        // 4.1.11).
        if header["crit"] != nil { throw .criticalUnknown }
        guard let id = header["kid"]?.stringValue, !id.isEmpty else { throw .keyMissing }
        guard let key = apps.key(id) else { throw .keyUnknown }
        return key
    }

    /// Verifies a signature of 64 raw bytes.
    ///
    /// A DER signature is refused (SA-13).
    private static func verify(
        signature: Substring,
        of signed: String,
        key: SigningKey
    ) throws(AuthorizationFault) {
        guard let raw = bytes(signature), raw.count == 64,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
            key.privateKey.publicKey.isValidSignature(signature, for: Data(signed.utf8))
        else { throw .signatureWrong }
    }

    private func app(claims: JSONObject, key: SigningKey) throws(AuthorizationFault) -> BundleId {
        guard claims["iss"] == .string(key.issuerId) else { throw .issuerWrong }
        let audience = JSONValue.string("appstoreconnect-v1")
        guard claims["aud"] == audience || claims["aud"]?.arrayValue?.contains(audience) == true else {
            throw .audienceWrong
        }
        guard let bundle = claims["bid"]?.stringValue, !bundle.isEmpty else { throw .bundleMissing }
        guard let app = apps[BundleId(bundle)], app.key.issuerId == key.issuerId else { throw .bundleUnknown }
        return app.bundleId
    }

    private func checkTimes(_ claims: JSONObject) throws(AuthorizationFault) {
        let nowSeconds = Double(now.milliseconds) / 1_000
        let skew = settings.issuedAtSkew.inSeconds
        // Apple's libraries for Python and Java sign without `iat`.
        let isIssuedNow = claims["iat"] == nil && !settings.isIssueTimeRequired
        guard let issued = isIssuedNow ? nowSeconds : Self.seconds(claims["iat"]), issued <= nowSeconds + skew else {
            throw .issuedAtWrong
        }
        if let start = claims["nbf"] {
            guard let start = Self.seconds(start), start <= nowSeconds + skew else { throw .notYetValid }
        }
        guard let expiry = Self.seconds(claims["exp"]) else { throw .expiryMissing }
        if expiry < issued, !isIssuedNow { throw .expiryBeforeIssue }
        if expiry - issued > settings.maximumLifetime.inSeconds { throw .lifetimeTooLong }
        if nowSeconds >= expiry { throw .expired }
    }

    /// Decodes unpadded Base64URL in its canonical spelling; nil for any other text.
    private static func bytes(_ part: Substring) -> [UInt8]? {
        guard let decoded = Base64URL.decode(part.utf8), decoded.isCanonical else { return nil }
        return decoded.bytes
    }

    /// Parses a part as a JSON object without repeated keys.
    ///
    /// Two readers must not see two different claims.
    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = bytes(part), let object = (try? JSONReader().read(bytes))?.objectValue,
            object.repeatedKeys.isEmpty
        else { return nil }
        return object
    }

    /// Reads a numeric date, which may have a fraction (RFC 7519, section 2).
    private static func seconds(_ value: JSONValue?) -> Double? {
        guard case .number(let number) = value else { return nil }
        return Double(number.text)
    }
}
