import Crypto
import ExternalPurchaseCore
import Ledger
import Synchronization

/// The sign-ins that wait for the provider, each of which ends once.
///
/// A cookie of the browser has the end of the sign-in, random bytes and the way back. State, nonce and verifier are
/// computed of the whole cookie by a secret of the process, so that only ended sign-ins are in memory, and nobody
/// displaces those of others by beginning many.
final class OpenIDFlows: Sendable {
    /// How long a person may take at the provider.
    static let lifetime = Duration.minutes(15)
    /// The largest number of ended sign-ins in memory.
    static let limit = 10_000

    /// A sign-in as its cookie says it.
    struct Flow {
        let cookie: String
        /// Sent along, and returned by the provider, so that nobody else's answer is taken (RFC 6749, section 10.12).
        let state: String
        /// Part of the token, so that no other sign-in's token is taken.
        let nonce: String
        /// What redeems the code (RFC 7636).
        let verifier: String
        /// The path of this server that follows.
        let next: String

        /// The SHA-256 of the verifier, which is sent along.
        var challenge: String { Base64URL.encode(verifier.utf8.sha256) }
    }

    private let secret: SymmetricKey
    private let ended = Mutex<[String: Timestamp]>([:])

    /// - Parameter secret: 32 random bytes.
    init(secret: [UInt8]) {
        self.secret = SymmetricKey(data: secret)
    }

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - randomBytes: 32 random bytes.
    ///   - next: a path of this server.
    func begin(_ randomBytes: [UInt8], next: String, at now: Timestamp) -> Flow {
        let end = (now + Self.lifetime).milliseconds
        return flow("\(end).\(Base64URL.encode(randomBytes)).\(Base64URL.encode(next.utf8))", next: next)
    }

    /// Returns the sign-in of a cookie whose state the provider returned; nil for another state, and when it is over.
    func flow(ofCookie cookie: String, state: String, at now: Timestamp) -> Flow? {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, cookie.utf8.count <= 4_096, let end = Int64(parts[0]),
            now < Timestamp(milliseconds: end),
            let next = Base64URL.decode(parts[2].utf8).flatMap({ String(validating: $0.bytes, as: UTF8.self) })
        else { return nil }
        let flow = flow(cookie, next: next)
        return flow.state.isEqualInConstantTime(to: state) ? flow : nil
    }

    /// Ends a sign-in; false if it has ended before.
    func end(_ flow: Flow, at now: Timestamp) -> Bool {
        ended.withLock { ended in
            if ended.count >= Self.limit {
                ended = ended.filter { now < $0.value }
                if ended.count >= Self.limit, let oldest = ended.min(by: { $0.value < $1.value }) {
                    ended[oldest.key] = nil
                }
            }
            return ended.updateValue(now + Self.lifetime, forKey: flow.state) == nil
        }
    }

    private func flow(_ cookie: String, next: String) -> Flow {
        func text(_ purpose: String) -> String {
            Base64URL.encode(
                Array(HMAC<SHA256>.authenticationCode(for: Array("\(purpose)\n\(cookie)".utf8), using: secret))
            )
        }
        return Flow(
            cookie: cookie,
            state: text("state"),
            nonce: text("nonce"),
            verifier: text("verifier"),
            next: next
        )
    }
}
