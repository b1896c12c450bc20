// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import Crypto
import CryptoExtras
import Foundation
import RawSockets
import Synchronization

/// An OpenID Connect provider on a port of this machine, every answer of which a test can change.
///
/// Nothing here comes from the code under test: its tokens and keys are put together by hand.
final class ProviderStandIn: Sendable {
    enum Signer: Sendable {
        case p256(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
        /// An HMAC with any bytes as its secret.
        case secret([UInt8])
        case nobody
    }

    /// What the provider does with one sign-in.
    struct Plan: Sendable {
        /// A copy of a dictionary of JSON values, which is not `Sendable`.
        struct Object: @unchecked Sendable {
            var members: [String: Any]
            subscript(name: String) -> Any? {
                get { members[name] }
                set { members[name] = newValue }
            }
        }

        var header = Object(members: ["alg": "ES256", "kid": "one", "typ": "JWT"])
        /// In addition to those that every token has; `NSNull` leaves one out.
        var claims = Object(members: [:])
        var signer = Signer.p256(ProviderStandIn.first)
        /// The keys at their address, by id.
        var keys = ["one": Signer.p256(ProviderStandIn.first)]
        /// In addition to the metadata that every provider has.
        var metadata = Object(members: [:])
        /// Answers by path in place of the right ones: status and body.
        var answers: [String: (status: String, body: [UInt8])] = [:]
    }

    private struct State {
        var plan = Plan()
        var codes: [String: (nonce: String, challenge: String, redirect: String)] = [:]
        var requests: [String] = []
        var number = 0
    }

    static let first = P256.Signing.PrivateKey()
    static let second = P256.Signing.PrivateKey()
    static let rsa = try! _RSA.Signing.PrivateKey(keySize: .bits2048)
    static let clientId = "dashboard & co"
    static let clientSecret = "s3cret:/+%"

    private let listener: RawListener
    private let state = Mutex(State())
    private let now: @Sendable () -> Double

    var issuer: String { "http://127.0.0.1:\(listener.port)" }
    /// The paths that were asked for, in order.
    var requests: [String] { state.withLock(\.requests) }
    var plan: Plan {
        get { state.withLock(\.plan) }
        set { state.withLock { $0.plan = newValue } }
    }

    /// - Parameter now: the provider's clock in seconds since 1970.
    init(now: @escaping @Sendable () -> Double) throws {
        listener = try RawListener()
        self.now = now
    }

    func start() {
        listener.start { [weak self] connection in
            defer { connection.close() }
            guard let self, let request = connection.request() else { return }
            let answer = self.answer(request)
            connection.respond(answer.status, type: "application/json", answer.body)
        }
    }

    /// Signs a person in who follows the address of the sign-in, as the provider's page does.
    ///
    /// - Returns: the code and the state that the browser takes back.
    func signIn(_ address: String) throws -> (code: String, state: String) {
        let items = URLComponents(string: address)?.queryItems ?? []
        func value(_ name: String) throws -> String {
            let values = items.filter { $0.name == name }.compactMap(\.value)
            guard values.count == 1, !values[0].isEmpty else { throw Missing(name: name) }
            return values[0]
        }
        guard try value("response_type") == "code", try value("client_id") == Self.clientId,
            try value("code_challenge_method") == "S256",
            try value("scope").split(separator: " ").contains("openid")
        else { throw Missing(name: "another value") }
        let entry = (
            nonce: try value("nonce"), challenge: try value("code_challenge"), redirect: try value("redirect_uri")
        )
        let code = state.withLock { state -> String in
            state.number += 1
            state.codes["code-\(state.number)"] = entry
            return "code-\(state.number)"
        }
        return (code, try value("state"))
    }

    struct Missing: Error { let name: String }

    // MARK: Answers

    private func answer(_ request: RawListener.Request) -> (status: String, body: [UInt8]) {
        let path = String(request.target.prefix { $0 != "?" })
        let plan = state.withLock { state in
            state.requests.append(path)
            return state.plan
        }
        if let answer = plan.answers[path] { return answer }
        switch path {
        case "/.well-known/openid-configuration":
            var members: [String: Any] = [
                "issuer": issuer, "authorization_endpoint": issuer + "/authorize?tenant=1",
                "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
                "scopes_supported": ["openid", "profile", "groups", "offline_access"],
            ]
            members.merge(plan.metadata.members) { $1 }
            return ("200 OK", Self.json(members))
        case "/keys": return ("200 OK", Self.json(["keys": plan.keys.map { Self.key($0.key, $0.value) }]))
        case "/token": return token(request, plan)
        default: return ("404 Not Found", [])
        }
    }

    private func token(_ request: RawListener.Request, _ plan: Plan) -> (status: String, body: [UInt8]) {
        let refused = ("400 Bad Request", Self.json(["error": "invalid_grant"]))
        var form: [String: String] = [:]
        for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            form[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        let pair = "dashboard%20%26%20co:s3cret%3A%2F%2B%25"
        let isBasic = request.headers["authorization"] == "Basic " + Data(pair.utf8).base64EncodedString()
        let isPost = form["client_id"] == Self.clientId && form["client_secret"] == Self.clientSecret
        let wantsPost = (plan.metadata["token_endpoint_auth_methods_supported"] as? [String]) == ["client_secret_post"]
        guard request.method == "POST", form["grant_type"] == "authorization_code", wantsPost ? isPost : isBasic else {
            return ("401 Unauthorized", Self.json(["error": "invalid_client"]))
        }
        // A code counts once, and for whoever began the sign-in.
        guard let entry = state.withLock({ $0.codes.removeValue(forKey: form["code"] ?? "") }),
            entry.redirect == form["redirect_uri"],
            entry.challenge == Self.encoded(Array(SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))))
        else { return refused }
        var claims: [String: Any] = [
            "iss": issuer, "aud": Self.clientId, "sub": "248289761001", "nonce": entry.nonce,
            "exp": Int(now()) + 300, "iat": Int(now()), "preferred_username": "kim", "groups": ["staff", "accounting"],
        ]
        claims.merge(plan.claims.members) { $1 }
        claims = claims.filter { !($0.value is NSNull) }
        let token = Self.token(plan.header.members, claims, plan.signer)
        return ("200 OK", Self.json(["access_token": "a", "token_type": "Bearer", "id_token": token]))
    }

    // MARK: Tokens and keys

    static func token(_ header: [String: Any], _ claims: [String: Any], _ signer: Signer) -> String {
        let text = encoded(json(header)) + "." + encoded(json(claims))
        let data = Data(text.utf8)
        let signature: [UInt8] =
            switch signer {
            case .p256(let key): (try? key.signature(for: data)).map { Array($0.rawRepresentation) } ?? []
            case .rsa(let key):
                (try? key.signature(for: data, padding: .insecurePKCS1v1_5)).map { Array($0.rawRepresentation) } ?? []
            case .secret(let bytes):
                Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: bytes)))
            case .nobody: []
            }
        return text + "." + encoded(signature)
    }

    private static func key(_ id: String, _ signer: Signer) -> [String: Any] {
        switch signer {
        case .p256(let key):
            let point = Array(key.publicKey.x963Representation)
            return [
                "kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "x": encoded(Array(point[1..<33])),
                "y": encoded(Array(point[33...])),
            ]
        case .rsa(let key):
            guard let primitives = try? key.publicKey.getKeyPrimitives() else { return [:] }
            return [
                "kty": "RSA", "kid": id, "alg": "RS256", "n": encoded(Array(primitives.modulus)),
                "e": encoded(Array(primitives.publicExponent)),
            ]
        case .secret(let bytes): return ["kty": "oct", "kid": id, "k": encoded(bytes)]
        case .nobody: return ["kty": "EC", "crv": "P-256", "kid": id]
        }
    }

    static func json(_ value: [String: Any]) -> [UInt8] {
        (try? JSONSerialization.data(withJSONObject: value)).map { Array($0) } ?? []
    }

    static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}
