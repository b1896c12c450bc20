import Crypto
package import ExternalPurchaseCore

/// Verifies the header `Stripe-Signature`, https://docs.stripe.com/webhooks#verify-manually.
///
/// The header is `t=1795176000,v1=5257a8…`: UNIX seconds, and the HMAC-SHA256 of `1795176000.` and the body. It has
/// several `v1` while a secret is rotated out, one for each secret; elements with another name are ignored.
package enum StripeSignature {
    /// The name of the HTTP header.
    package static let header = "Stripe-Signature"
    /// The largest difference between the time in the header and the machine's clock, in both directions.
    static let tolerance = Duration.seconds(300)
    /// The largest number of `v1` in one header: Stripe signs with the secrets of one endpoint, of which few are valid
    /// at once, and a longer header only costs time before anything is verified.
    static let mostSignatures = 20

    /// Why a signature is refused.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case missingHeader
        /// The header has no single time, or no `v1` of 64 hexadecimal digits.
        case malformedHeader
        /// The header has more than ``StripeSignature/mostSignatures`` elements `v1`.
        case tooManySignatures
        case tooOld
        /// The time in the header is later than the machine's clock allows.
        case inTheFuture
        case noMatch

        package var description: String {
            switch self {
            case .missingHeader: "the header \(StripeSignature.header) is missing"
            case .malformedHeader: "the header \(StripeSignature.header) is not of the form t=1795176000,v1=5257a8…"
            case .tooManySignatures:
                "the header \(StripeSignature.header) has more than \(StripeSignature.mostSignatures) signatures v1"
            case .tooOld: "the signature is older than 300 seconds; check the machine's clock"
            case .inTheFuture: "the signature is more than 300 seconds in the future; check the machine's clock"
            case .noMatch: "the signature is none of this endpoint's signing secret and of this body"
            }
        }
    }

    /// Verifies a body.
    ///
    /// The signature is compared first, in constant time, so that a refusal because of the time concerns genuine
    /// messages only.
    ///
    /// - Parameters:
    ///   - body: the bytes as received.
    ///   - header: the header's value; nil if there is none.
    ///   - secrets: the signing secrets with their prefix `whsec_`; several while one is rotated out.
    ///   - now: the machine's clock.
    /// - Returns: the index of the secret that signed the body.
    @discardableResult
    package static func verify(
        _ body: [UInt8],
        header: String?,
        secrets: [String],
        now: Timestamp
    ) throws(Failure) -> Int {
        guard let header else { throw .missingHeader }
        let (time, signatures) = try parse(header)
        let message = Array("\(time.text).".utf8) + body
        var match: Int?
        for (index, secret) in secrets.enumerated() where !secret.isEmpty {
            let key = SymmetricKey(data: Array(secret.utf8))
            let code = HMAC<SHA256>.authenticationCode(for: message, using: key)
            // `==` of an authentication code takes the same time whatever differs.
            for signature in signatures where code == signature { match = match ?? index }
        }
        guard let match else { throw .noMatch }
        // Only seconds are known of the sender's time.
        let age = Timestamp(milliseconds: time.seconds * 1_000).duration(to: now)
        if age >= tolerance + .seconds(1) { throw .tooOld }
        if age < -tolerance { throw .inTheFuture }
        return match
    }

    /// The header's value for a body, as Stripe computes it.
    package static func value(of body: [UInt8], at time: Timestamp, secret: String) -> String {
        let seconds = String(time.milliseconds / 1_000)
        let message = Array("\(seconds).".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Array(secret.utf8)))
        return "t=\(seconds),v1=\(code.map(hexadecimal).joined())"
    }

    private static func parse(
        _ header: String
    ) throws(Failure) -> (time: (text: String, seconds: Int64), signatures: [[UInt8]]) {
        var times: [String] = []
        var signatures: [[UInt8]] = []
        for element in header.split(separator: ",") {
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .malformedHeader }
            let value = String(parts[1]).trimmingBlanks
            switch String(parts[0]).trimmingBlanks {
            case "t": times.append(value)
            case "v1":
                guard signatures.count < mostSignatures else { throw .tooManySignatures }
                guard let bytes = bytes(hexadecimal: value), bytes.count == SHA256.byteCount else {
                    throw .malformedHeader
                }
                signatures.append(bytes)
            default: break
            }
        }
        guard times.count == 1, !signatures.isEmpty, times[0].utf8.allSatisfy(\.isDecimalDigit),
            let seconds = Int64(times[0]), seconds < 253_402_300_800
        else { throw .malformedHeader }
        return ((times[0], seconds), signatures)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 2 ? text : "0\(text)"
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension UInt8 {
    fileprivate var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
