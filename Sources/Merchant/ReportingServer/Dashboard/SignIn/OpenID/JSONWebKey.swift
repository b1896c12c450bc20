import Crypto
import CryptoExtras
import ExternalPurchaseCore

/// A public key of the provider that signs tokens (RFC 7517).
struct JSONWebKey: Sendable {
    /// The algorithms of signatures that are accepted; all others are refused, also those that a key would allow.
    enum Algorithm: String, Sendable {
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    private enum Key: Sendable {
        case p256(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    let id: String?
    private let key: Key

    /// The only algorithm of the key, whatever a token's header says.
    var algorithm: Algorithm {
        switch key {
        case .p256: .es256
        case .rsa: .rs256
        }
    }

    /// Reads a key; nil for one of another kind or for another use, such as encryption.
    init?(_ object: JSONObject) {
        id = object["kid"]?.stringValue
        if let use = object["use"], use != .string("sig") { return nil }
        if let uses = object["key_ops"]?.arrayValue, !uses.contains(.string("verify")) { return nil }
        guard let key = Self.key(object) else { return nil }
        self.key = key
        if let named = object["alg"], named != .string(algorithm.rawValue) { return nil }
    }

    private static func key(_ object: JSONObject) -> Key? {
        switch object["kty"]?.stringValue {
        case "EC":
            guard object["crv"] == .string("P-256"), let x = bytes(object["x"]), let y = bytes(object["y"]),
                x.count == 32, y.count == 32
            else { return nil }
            return (try? P256.Signing.PublicKey(x963Representation: [4] + x + y)).map { .p256($0) }
        case "RSA":
            guard let n = bytes(object["n"])?.drop(while: { $0 == 0 }), let e = bytes(object["e"]),
                // A smaller modulus can be factored, and larger numbers take long to check.
                (256...1_024).contains(n.count), (1...4).contains(e.count)
            else { return nil }
            return (try? _RSA.Signing.PublicKey(n: Array(n), e: e)).map { .rsa($0) }
        default: return nil
        }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        (value?.stringValue).flatMap { Base64URL.decode($0.utf8)?.bytes }
    }

    /// Whether a signature in the form of RFC 7518 is the key's over a text.
    func isValid(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        switch key {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: text)
        case .rsa(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: text, padding: .insecurePKCS1v1_5)
        }
    }

    /// Reads the keys of a set that can check tokens; nil for what is no set.
    static func all(in bytes: [UInt8]) -> [JSONWebKey]? {
        guard let set = (try? JSONReader().read(bytes))?.objectValue, let keys = set["keys"]?.arrayValue else {
            return nil
        }
        return keys.compactMap { $0.objectValue.flatMap(JSONWebKey.init) }
    }
}
