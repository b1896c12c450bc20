import Crypto
import ExternalPurchaseCore
import Ledger
import Reporting

/// The statement of the provider about who signed in (OpenID Connect Core 1.0, section 2).
struct IDToken {
    /// How far the clocks of the two sides may differ.
    static let skew = Duration.seconds(60)
    /// The longest time since a token was made; it was asked for a moment ago.
    static let age = Duration.minutes(10)
    static let maximumSize = 1 << 17

    let algorithm: JSONWebKey.Algorithm
    let keyId: String?
    private let signedText: [UInt8]
    private let signature: [UInt8]
    private let claims: JSONObject

    /// Reads a token, of which nothing is verified yet.
    ///
    /// - Throws: ``SignInRefusal`` for another form, and for every algorithm but ES256 and RS256: `none` is no signature,
    ///   and with HS256 the public key would be the secret.
    init(_ text: String) throws(SignInRefusal) {
        let parts =
            text.utf8.count > Self.maximumSize
            ? []
            : text.utf8.split(
                separator: UInt8(ascii: "."),
                maxSplits: 3,
                omittingEmptySubsequences: false
            )
        guard parts.count == 3, let header = Self.object(parts[0]) else {
            throw SignInRefusal(reason: .tokenUnreadable)
        }
        guard let algorithm = header["alg"]?.stringValue.flatMap(JSONWebKey.Algorithm.init) else {
            throw SignInRefusal(reason: .tokenAlgorithm, detail: header["alg"]?.stringValue)
        }
        // What must be understood is not understood (RFC 7515, section 4.1.11).
        guard header["crit"] == nil, let claims = Self.object(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw SignInRefusal(reason: .tokenUnreadable) }
        self.algorithm = algorithm
        keyId = header["kid"]?.stringValue
        signedText = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        self.signature = signature.bytes
        self.claims = claims
    }

    private static func object(_ part: Substring.UTF8View) -> JSONObject? {
        guard let bytes = Base64URL.decode(part)?.bytes, let value = try? JSONReader().read(bytes),
            value.firstRepeatedKey == nil
        else { return nil }
        return value.objectValue
    }

    /// Returns the keys that may have signed the token: those of its algorithm and, where it names one, of that id.
    func candidates(among keys: [JSONWebKey]) -> [JSONWebKey] {
        keys.filter { key in
            key.algorithm == algorithm && (keyId.map { key.id?.hasSameScalars(as: $0) == true } ?? true)
        }
    }

    func isSigned(byOneOf keys: [JSONWebKey]) -> Bool { keys.contains { $0.isValid(signature, of: signedText) } }

    /// Checks who made the token for whom, when, and for which sign-in.
    ///
    /// - Parameter nonce: the value that was sent with this sign-in.
    func checkClaims(of settings: OpenIDSettings, nonce: String, at now: Timestamp) throws(SignInRefusal) {
        guard claims["iss"]?.stringValue?.hasSameScalars(as: settings.issuer) == true else {
            throw SignInRefusal(reason: .tokenIssuer)
        }
        let client = JSONValue.string(settings.clientId)
        let audiences = claims["aud"]?.arrayValue ?? claims["aud"].map { [$0] } ?? []
        guard audiences.contains(client) else { throw SignInRefusal(reason: .tokenAudience) }
        guard claims["azp"].map({ $0 == client }) ?? (audiences.count == 1) else {
            throw SignInRefusal(reason: .tokenAuthorizedParty)
        }
        guard let expires = time("exp"), let issued = time("iat") else { throw SignInRefusal(reason: .tokenUnreadable) }
        guard now < expires + Self.skew else { throw SignInRefusal(reason: .tokenExpired) }
        guard issued <= now + Self.skew, claims["nbf"] == nil || time("nbf").map({ $0 <= now + Self.skew }) == true
        else { throw SignInRefusal(reason: .tokenNotYetValid) }
        guard now < issued + Self.age else { throw SignInRefusal(reason: .tokenTooOld) }
        guard claims["nonce"]?.stringValue?.isEqualInConstantTime(to: nonce) == true else {
            throw SignInRefusal(reason: .tokenNonce)
        }
    }

    /// Returns a time in seconds since 1970, also one with a fraction; nil for what is no time of these centuries.
    private func time(_ name: String) -> Timestamp? {
        guard case .number(let number)? = claims[name], let seconds = Double(number.text),
            (0...253_402_300_799).contains(seconds)
        else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1_000))
    }

    /// Returns the user of the token.
    ///
    /// - Throws: ``SignInRefusal`` for a token without a subject, and for a user without a group that has a role.
    func user(by settings: OpenIDSettings) throws(SignInRefusal) -> DashboardAccess.User {
        guard let subject = claims["sub"]?.stringValue, (1...255).contains(subject.utf8.count) else {
            throw SignInRefusal(reason: .tokenSubject)
        }
        let groups = claims["groups"]?.arrayValue ?? claims["groups"].map { [$0] } ?? []
        guard let role = settings.role(of: groups.compactMap(\.stringValue)) else {
            throw SignInRefusal(reason: .groupMissing, detail: "groups in the token: \(groups.count)")
        }
        let words = ["preferred_username", "email", "name"].compactMap { claims[$0]?.stringValue }
        return DashboardAccess.User(
            name: AuthorName.ofProvider(subject: subject, called: words),
            credential: subject,
            role: role
        )
    }
}
