import Crypto
package import ExternalPurchaseCore
import Ledger

/// Signs webhook messages so that the receiver can verify their origin: HMAC-SHA256 (RFC 2104) over time and body.
package enum WebhookSignature {
    /// The name of the HTTP header.
    package static let header = "External-Purchase-Signature"

    /// The header value, such as `t=1795176000,v1=5257a8…`: UNIX seconds and HMAC.
    ///
    /// The HMAC is computed over `1795176000.` followed by the body. The time is part of the signed text, so that a
    /// receiver can refuse old messages.
    package static func value(of body: [UInt8], at time: Timestamp, secret: [UInt8]) -> String {
        let seconds = String(time.milliseconds / 1_000)
        let code = authenticationCode(of: Array("\(seconds).".utf8) + body, secret: secret)
        return "t=\(seconds),v1=\(code.hexadecimal)"
    }

    /// Computes the HMAC-SHA256 of a message, 32 bytes.
    static func authenticationCode(of message: [UInt8], secret: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
    }
}
