import Crypto
package import ExternalPurchaseCore
import Ledger

/// Signs a webhook message with HMAC-SHA256 (RFC 2104) over time and bytes.
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
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
    }
}
