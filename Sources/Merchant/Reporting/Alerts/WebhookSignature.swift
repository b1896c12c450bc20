package import ExternalPurchaseCore
import Ledger

/// Proves to a webhook's receiver that a message comes from here: HMAC-SHA256 (RFC 2104) over time and bytes.
package enum WebhookSignature {
    /// The name of the header.
    package static let header = "External-Purchase-Signature"

    /// The header's value, `t=1795176000,v1=5257a8…`: UNIX seconds, and the HMAC of `1795176000.` and the body.
    ///
    /// The time is part of what is signed, so that a receiver can refuse what was recorded long ago.
    package static func value(of body: [UInt8], at time: Timestamp, secret: [UInt8]) -> String {
        let seconds = String(time.milliseconds / 1_000)
        let code = authenticationCode(of: Array("\(seconds).".utf8) + body, secret: secret)
        return "t=\(seconds),v1=\(code.hexadecimal)"
    }

    /// HMAC-SHA256, 32 bytes.
    package static func authenticationCode(of message: [UInt8], secret: [UInt8]) -> [UInt8] {
        let block = 64
        var key = secret.count > block ? SHA256.hash(secret) : secret
        key += [UInt8](repeating: 0, count: block - key.count)
        return SHA256.hash(key.map { $0 ^ 0x5C } + SHA256.hash(key.map { $0 ^ 0x36 } + message))
    }
}
