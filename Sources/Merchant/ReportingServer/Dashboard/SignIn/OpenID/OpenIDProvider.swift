import ExternalPurchaseCore
import Ledger

/// What the server knows of the provider, and its requests to it.
///
/// Nothing is requested before somebody signs in, so that a provider that is down keeps no server from starting. An
/// answer is used for ``lifetime``; requests that arrive meanwhile wait for the same one.
actor OpenIDProvider {
    /// How long addresses and keys are used before they are read again.
    static let lifetime = Duration.hours(1)
    /// The shortest time between two requests for keys, however many tokens name unknown ones.
    static let keysPause = Duration.minutes(1)

    /// The addresses of the provider (OpenID Connect Discovery 1.0).
    struct Metadata: Sendable {
        let authorization: String
        let token: String
        let keys: String
        /// The scopes that are asked for.
        let scopes: [String]
        /// Whether the secret goes into the form, because the provider does not take it in the header.
        let sendsSecretInForm: Bool
        /// Whether answers always name the issuer (RFC 9207).
        let namesIssuer: Bool
    }

    nonisolated let settings: OpenIDSettings
    private let transport: OpenIDTransport
    private var metadata: (value: Metadata, at: Timestamp)?
    private var keys: (value: [JSONWebKey], at: Timestamp)?
    private var readingMetadata: Task<Result<Metadata, SignInRefusal>, Never>?
    private var readingKeys: Task<Result<[JSONWebKey], SignInRefusal>, Never>?

    init(_ settings: OpenIDSettings, transport: OpenIDTransport) {
        self.settings = settings
        self.transport = transport
    }

    // MARK: Addresses

    func metadata(at now: Timestamp) async throws(SignInRefusal) -> Metadata {
        if let metadata, Self.isFresh(metadata.at, within: Self.lifetime, at: now) { return metadata.value }
        let task =
            readingMetadata ?? Task { await Self.result { () throws(SignInRefusal) in try await readMetadata() } }
        readingMetadata = task
        let result = await task.value
        readingMetadata = nil
        let value = try result.get()
        metadata = (value, now)
        return value
    }

    private func readMetadata() async throws(SignInRefusal) -> Metadata {
        let base = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
        let document = try await object(at: base + "/.well-known/openid-configuration")
        guard document["issuer"]?.stringValue?.hasSameScalars(as: settings.issuer) == true else {
            throw SignInRefusal(reason: .providerMetadata, detail: "another issuer")
        }
        func address(_ name: String) throws(SignInRefusal) -> String {
            guard let text = document[name]?.stringValue, OpenIDAddress.isSafe(text) else {
                throw SignInRefusal(reason: .providerMetadata, detail: "\(name) is no address by https")
            }
            return text
        }
        func strings(_ name: String) -> [String]? { document[name]?.arrayValue?.compactMap(\.stringValue) }
        // Providers refuse scopes that they do not know.
        let known = strings("scopes_supported") ?? ["profile", "email"]
        let methods = strings("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        return Metadata(
            authorization: try address("authorization_endpoint"),
            token: try address("token_endpoint"),
            keys: try address("jwks_uri"),
            scopes: ["openid"] + ["profile", "email", "groups"].filter(known.contains),
            sendsSecretInForm: !methods.contains("client_secret_basic") && methods.contains("client_secret_post"),
            namesIssuer: document["authorization_response_iss_parameter_supported"] == .bool(true)
        )
    }

    // MARK: Tokens

    /// Returns the user who signed in, by the code that the provider gave the browser.
    ///
    /// - Parameters:
    ///   - verifier: what only this server knows of the sign-in (RFC 7636).
    ///   - redirect: the address to which the provider sent the browser.
    ///   - nonce: the value of this sign-in that the token must have.
    func user(
        ofCode code: String,
        verifier: String,
        redirect: String,
        nonce: String,
        now: @Sendable () -> Timestamp
    ) async throws(SignInRefusal) -> DashboardAccess.User {
        let token = try IDToken(
            try await redeem(code, verifier: verifier, redirect: redirect, try await metadata(at: now()))
        )
        try await checkSignature(of: token, at: now())
        try token.checkClaims(of: settings, nonce: nonce, at: now())
        return try token.user(by: settings)
    }

    private func redeem(
        _ code: String,
        verifier: String,
        redirect: String,
        _ metadata: Metadata
    ) async throws(SignInRefusal) -> String {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ]
        var authorization: String?
        if metadata.sendsSecretInForm {
            fields += [("client_id", settings.clientId), ("client_secret", settings.clientSecret)]
        } else {
            // Both are escaped first (RFC 6749, section 2.3.1).
            let pair = "\(PagePath.escaped(settings.clientId)):\(PagePath.escaped(settings.clientSecret))"
            authorization = "Basic " + Data(pair.utf8).base64EncodedString()
        }
        let answer = try await transport.post(metadata.token, fields, authorization: authorization)
        let body = (try? JSONReader().read(answer.body))?.objectValue
        guard answer.status == 200 else {
            // 5xx is the provider's own trouble; all else is about the code or this server.
            throw SignInRefusal(
                reason: answer.status >= 500 ? .providerUnavailable : .codeRefused,
                detail: "\(answer.status) \(OpenIDAddress.word(body?["error"]?.stringValue))"
            )
        }
        guard let token = body?["id_token"]?.stringValue else { throw SignInRefusal(reason: .tokenMissing) }
        return token
    }

    // MARK: Keys

    /// Checks the signature of a token by the known keys, and by those that the provider has now if none of them made it:
    /// the provider may have a new key, also one without an id or with that of the old one.
    private func checkSignature(of token: IDToken, at now: Timestamp) async throws(SignInRefusal) {
        let known = token.candidates(among: try await keys(within: Self.lifetime, at: now))
        if token.isSigned(byOneOf: known) { return }
        let newest = token.candidates(among: try await keys(within: Self.keysPause, at: now))
        guard !newest.isEmpty else {
            throw SignInRefusal(reason: .tokenKeyUnknown, detail: OpenIDAddress.word(token.keyId))
        }
        guard token.isSigned(byOneOf: newest) else { throw SignInRefusal(reason: .tokenSignature) }
    }

    private func keys(within age: Duration, at now: Timestamp) async throws(SignInRefusal) -> [JSONWebKey] {
        if let keys, Self.isFresh(keys.at, within: age, at: now) { return keys.value }
        let address = try await metadata(at: now).keys
        let task = readingKeys ?? Task { await Self.result { () throws(SignInRefusal) in try await readKeys(address) } }
        readingKeys = task
        let result = await task.value
        readingKeys = nil
        let value = try result.get()
        keys = (value, now)
        return value
    }

    private func readKeys(_ address: String) async throws(SignInRefusal) -> [JSONWebKey] {
        let answer = try await transport.get(address)
        guard answer.status == 200 else {
            throw SignInRefusal(reason: .providerUnavailable, detail: "its keys: \(answer.status)")
        }
        guard let keys = JSONWebKey.all(in: answer.body) else {
            throw SignInRefusal(reason: .providerMetadata, detail: "its keys cannot be read")
        }
        return keys
    }

    private func object(at address: String) async throws(SignInRefusal) -> JSONObject {
        let answer = try await transport.get(address)
        guard answer.status == 200 else {
            throw SignInRefusal(reason: .providerUnavailable, detail: "its addresses: \(answer.status)")
        }
        guard let object = (try? JSONReader().read(answer.body))?.objectValue else {
            throw SignInRefusal(reason: .providerMetadata, detail: "its addresses cannot be read")
        }
        return object
    }

    /// Whether something that was read is young enough; what a clock far ahead has noted is not.
    private static func isFresh(_ time: Timestamp, within age: Duration, at now: Timestamp) -> Bool {
        time <= now && now < time + age
    }

    private static func result<Value: Sendable>(
        _ body: @Sendable () async throws(SignInRefusal) -> Value
    ) async -> Result<Value, SignInRefusal> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
