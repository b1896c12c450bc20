import Crypto
import ExternalPurchaseCore
import Ledger
import Synchronization

/// The forms of the sign-in, each of which serves one attempt.
///
/// A form's token signs the form's cookie, which has the end of the form's life. So only used forms are in memory, at most
/// ``limit``: nobody displaces the forms of others by opening many.
final class SignInForms: Sendable {
    /// How long a form is valid.
    static let lifetime = Duration.hours(1)
    /// The largest number of used forms in memory; further ones displace those that end first.
    static let limit = 10_000

    /// It lives as long as the process.
    private let secret: SymmetricKey
    private let used = Mutex<[String: Timestamp]>([:])

    /// - Parameter secret: 32 random bytes.
    init(secret: [UInt8]) {
        self.secret = SymmetricKey(data: secret)
    }

    /// Creates a form.
    ///
    /// - Parameter randomBytes: 32 random bytes.
    /// - Returns: the value of its cookie, and the token that the form carries.
    func form(_ randomBytes: [UInt8], at now: Timestamp) -> (cookie: String, token: String) {
        let cookie = "\((now + Self.lifetime).milliseconds)-\(randomBytes.hexadecimal)"
        return (cookie, token(of: cookie))
    }

    /// Uses a form up.
    ///
    /// - Returns: false if the token is not the cookie's, the form is too old, or it was used before.
    func use(cookie: String, token: String, at now: Timestamp) -> Bool {
        guard token.isEqualInConstantTime(to: self.token(of: cookie)),
            let end = Int64(cookie.prefix { $0 != "-" }).map({ Timestamp(milliseconds: $0) }), now < end
        else { return false }
        return used.withLock { used in
            if used.count >= Self.limit { Self.makeRoom(in: &used, at: now) }
            return used.updateValue(end, forKey: cookie) == nil
        }
    }

    /// The number of used forms in memory.
    var count: Int { used.withLock(\.count) }

    private func token(of cookie: String) -> String {
        Array(HMAC<SHA256>.authenticationCode(for: Array("sign-in\n\(cookie)".utf8), using: secret)).hexadecimal
    }

    private static func makeRoom(in used: inout [String: Timestamp], at now: Timestamp) {
        used = used.filter { now < $0.value }
        guard used.count >= limit else { return }
        for (cookie, _) in used.sorted(by: { $0.value < $1.value }).prefix(limit / 4) { used[cookie] = nil }
    }
}
