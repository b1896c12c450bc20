import Crypto
import ExternalPurchaseCore

/// A key of a developer account, which signs API calls.
struct SigningKey: Sendable {
    let id: String
    let issuerId: String
    let privateKey: P256.Signing.PrivateKey

    init(id: String, issuerId: String, privateKey: P256.Signing.PrivateKey) {
        self.id = id
        self.issuerId = issuerId
        self.privateKey = privateKey
    }

    /// Creates a key from a private key or from random bytes.
    ///
    /// Its id has the form of App Store Connect: ten capital letters and digits.
    ///
    /// The id is derived from the key, so a stored key has the same id after a restart.
    init(issuerId: String, privateKey: P256.Signing.PrivateKey? = nil, dependencies: EmulatorDependencies) {
        let key = privateKey ?? Self.randomKey(dependencies)
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
        let id = SHA256.hash(data: key.publicKey.rawRepresentation).prefix(10).map {
            alphabet[Int($0) % alphabet.count]
        }
        self.init(id: String(decoding: id, as: UTF8.self), issuerId: issuerId, privateKey: key)
    }

    /// 32 random bytes are a private key unless they exceed the order of the curve, which happens about once in 2^32.
    private static func randomKey(_ dependencies: EmulatorDependencies) -> P256.Signing.PrivateKey {
        for _ in 0..<8 {
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: dependencies.randomBytes(32)) { return key }
        }
        return P256.Signing.PrivateKey()
    }
}
