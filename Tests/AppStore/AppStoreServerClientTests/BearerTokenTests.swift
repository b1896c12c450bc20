import AppStoreServerClient
import Crypto
import ExternalPurchaseCore
import Foundation
import Testing

@Suite struct BearerTokenTests {
    static let key = P256.Signing.PrivateKey()
    static let now = Timestamp(milliseconds: 1_795_176_000_999)

    private func mint(lifetime: Duration = .minutes(5)) throws -> BearerTokenSigner {
        BearerTokenSigner(
            credentials: APICredentials(
                privateKey: try PrivateKey(p8: Self.key.pemRepresentation),
                keyId: "2X9R4HXF34",
                issuerId: "57246542-96fe-1a63-e053-0824d011072a",
                bundleId: "com.example.shop"
            ),
            lifetime: lifetime
        )
    }

    private func parts(_ token: String) throws -> [[UInt8]] {
        try token.split(separator: ".").map { part in
            let decoded = try #require(Base64URL.decode(part.utf8))
            #expect(decoded.isCanonical)
            return decoded.bytes
        }
    }

    @Test("Header and claims are those of the API, in whole seconds, and nothing else (SA-10, SA-11)")
    func claims() async throws {
        let parts = try parts(try mint().token(now: Self.now))
        let header = try #require(try JSONReader().read(parts[0]).objectValue)
        #expect(Set(header.members.map(\.key)) == ["alg", "kid", "typ"])
        #expect(header["alg"] == .string("ES256"))
        #expect(header["kid"] == .string("2X9R4HXF34"))
        #expect(header["typ"] == .string("JWT"))
        let claims = try #require(try JSONReader().read(parts[1]).objectValue)
        #expect(Set(claims.members.map(\.key)) == ["iss", "iat", "exp", "aud", "bid"])
        #expect(claims["iss"] == .string("57246542-96fe-1a63-e053-0824d011072a"))
        #expect(claims["iat"] == .integer(1_795_176_000))
        #expect(claims["exp"] == .integer(1_795_176_300))
        #expect(claims["aud"] == .string("appstoreconnect-v1"))
        #expect(claims["bid"] == .string("com.example.shop"))
    }

    @Test("The signature is 64 raw bytes over the first two parts (SA-13)")
    func signature() async throws {
        let token = try mint().token(now: Self.now)
        let raw = try parts(token)[2]
        #expect(raw.count == 64)
        let signed = token.prefix(upTo: try #require(token.lastIndex(of: ".")))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
        #expect(Self.key.publicKey.isValidSignature(signature, for: Data(signed.utf8)))
    }

    @Test("Lifetimes stay within 60 and 3,600 seconds (SA-11)", arguments: [(1, 60), (60, 60), (9_000, 3_600)])
    func lifetimes(asked: Int64, given: Int64) async throws {
        let claims = try JSONReader().read(try parts(try mint(lifetime: .seconds(asked)).token(now: Self.now))[1])
        #expect(claims.objectValue?["exp"] == .integer(1_795_176_000 + given))
    }

    @Test("Two requests never share a token (SA-12)")
    func freshTokens() async throws {
        let mint = try mint()
        let first = try mint.token(now: Self.now)
        #expect(try mint.token(now: Self.now) != first)
    }

    @Test("A key with foreign line ends and blanks around its lines is read")
    func lineEnds() throws {
        let pem = Self.key.pemRepresentation
        _ = try PrivateKey(p8: pem.replacingOccurrences(of: "\n", with: "\r\n") + "\r\n\r\n")
        _ = try PrivateKey(p8: "\n" + pem.split(separator: "\n").map { "  \($0) " }.joined(separator: "\n"))
    }

    static let wrongKeys: [(String, PrivateKeyError)] = [
        ("", .empty), (" \n", .empty), ("MIGTAgEAMBMGByqGSM49", .notPEM),
        (P256.Signing.PrivateKey().publicKey.pemRepresentation, .otherPEM),
        ("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----", .otherPEM),
        (P384.Signing.PrivateKey().pemRepresentation, .notP256),
        ("-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----", .notP256),
        ("-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqGSM49", .notP256),
    ]

    @Test(
        "A text that is not a P-256 key is refused with one error that does not contain it (SA-14)",
        arguments: wrongKeys
    )
    func wrongKey(text: String, error: PrivateKeyError) {
        let thrown = #expect(throws: PrivateKeyError.self) { try PrivateKey(p8: text) }
        #expect(thrown == error)
        #expect(!error.description.contains("MIGTAgEAMBMGByqGSM49"))
    }

    @Test("No way of printing a key shows it (SA-14)")
    func printing() throws {
        let pem = Self.key.pemRepresentation
        let secret = pem.split(separator: "\n")[1].prefix(20)
        let credentials = APICredentials(
            privateKey: try PrivateKey(p8: pem),
            keyId: "K",
            issuerId: "I",
            bundleId: "com.example.shop"
        )
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in [dumped, "\(credentials)", String(reflecting: credentials)] {
            #expect(!text.contains(secret))
            #expect(text.contains("private key"))
        }
    }
}
