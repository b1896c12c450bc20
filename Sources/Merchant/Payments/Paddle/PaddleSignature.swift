import Crypto
import ExternalPurchaseCore

/// Verifies the header `Paddle-Signature`, https://developer.paddle.com/webhooks/signature-verification.
///
/// The header is `ts=1795176000;h1=5257a8…`: UNIX seconds, and the HMAC-SHA256 of `1795176000:` and the body. It has several `h1`
/// while a secret is rotated; elements with another name are ignored.
package enum PaddleSignature {
    /// The name of the HTTP header.
    package static let header = "Paddle-Signature"
    /// The largest number of `h1` in one header.
    static let mostSignatures = 20

    /// Verifies a request; the signature is compared first, in constant time.
    ///
    /// - Returns: the index of the secret that signed the body.
    /// - Throws: ``PaymentRefusal/signature(_:)``.
    package static func verify(_ delivery: PaymentDelivery, secrets: [String]) throws(PaymentRefusal) -> Int {
        guard let header = delivery.header(header) else { throw .signature("the header \(Self.header) is missing") }
        let malformed = PaymentRefusal.signature(
            "the header \(Self.header) is not of the form ts=1795176000;h1=5257a8…"
        )
        var times: [String] = []
        var signatures: [[UInt8]] = []
        for element in header.split(separator: ";") {
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw malformed }
            switch parts[0] {
            case "ts": times.append(String(parts[1]))
            case "h1":
                guard signatures.count < mostSignatures else {
                    throw .signature("the header \(Self.header) has more than \(mostSignatures) signatures h1")
                }
                // One of another length is of no secret.
                signatures.append(bytes(hexadecimal: parts[1]) ?? [])
            default: break
            }
        }
        guard times.count == 1, !signatures.isEmpty, times[0].utf8.count <= 12, times[0].utf8.allSatisfy(\.isDigit),
            let seconds = Int64(times[0])
        else { throw malformed }
        let message = Array("\(times[0]):".utf8) + delivery.body
        var match: Int?
        for (index, secret) in secrets.enumerated() where !secret.isEmpty {
            let key = SymmetricKey(data: Array(secret.utf8))
            let code = HMAC<SHA256>.authenticationCode(for: message, using: key)
            // `==` of an authentication code takes the same time whatever differs.
            for signature in signatures where code == signature { match = match ?? index }
        }
        guard let match else { throw .signature("the signature is none of a secret of this endpoint and of this body") }
        try SignatureTime.check(seconds, delivery.machineTime)
        return match
    }

    /// The header's value for a body, as Paddle computes it.
    package static func value(of body: [UInt8], seconds: Int64, secret: String) -> String {
        let key = SymmetricKey(data: Array(secret.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(seconds):".utf8) + body, using: key)
        let digits = code.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 2 ? text : "0\(text)"
        }
        return "ts=\(seconds);h1=\(digits.joined())"
    }

    private static func bytes(hexadecimal text: Substring) -> [UInt8]? {
        guard text.utf8.count == 2 * SHA256.byteCount else { return nil }
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == text.utf8.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
