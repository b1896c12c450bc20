import Crypto
package import ExternalPurchaseCore

/// Verifies requests that are signed as Standard Webhooks, https://www.standardwebhooks.com.
///
/// `webhook-signature` has one or several `v1,BASE64`, separated by spaces: the HMAC-SHA256 of `webhook-id`,
/// `webhook-timestamp` and the body, joined by periods. Signatures of other versions are ignored.
package enum StandardWebhookSignature {
    /// The largest difference between the stated time and the machine's clock, in both directions.
    static let tolerance = Duration.seconds(300)
    /// The largest number of signatures in one header: as many valid secrets as no sender has.
    static let mostSignatures = 20
    private static let prefix = "whsec_"

    /// The key of a secret: the bytes after `whsec_`, or the text as it is; nil for `whsec_` without Base64.
    package static func key(of secret: String) -> Data? {
        guard secret.hasPrefix(prefix) else { return Data(secret.utf8) }
        return Data(base64Encoded: String(secret.dropFirst(prefix.count))).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Verifies a request; the signature is compared first, in constant time.
    ///
    /// - Returns: the index of the secret that signed the body.
    /// - Throws: ``PaymentRefusal/signature(_:)``.
    package static func verify(_ delivery: PaymentDelivery, secrets: [String]) throws(PaymentRefusal) -> Int {
        func header(_ name: String) throws(PaymentRefusal) -> String {
            guard let value = delivery.header(name) else { throw .signature("the header \(name) is missing") }
            return value
        }
        let (id, time) = (try header("webhook-id"), try header("webhook-timestamp"))
        let signatures = try header("webhook-signature").split(separator: " ")
        guard (1...255).contains(id.utf8.count) else {
            throw .signature("the header webhook-id has no text of 1 to 255 bytes")
        }
        guard time.utf8.count <= 12, time.utf8.allSatisfy(\.isDigit), let seconds = Int64(time) else {
            throw .signature("the header webhook-timestamp is not a time in whole UNIX seconds such as 1795176000")
        }
        guard signatures.count <= mostSignatures else {
            throw .signature("the header webhook-signature has more than \(mostSignatures) signatures")
        }
        let own = signatures.compactMap { signature in
            signature.hasPrefix("v1,") ? Data(base64Encoded: String(signature.dropFirst(3))) : nil
        }
        guard !own.isEmpty else { throw .signature("the header webhook-signature has no signature v1,BASE64") }
        let message = Data("\(id).\(time).".utf8) + delivery.body
        var match: Int?
        for (index, secret) in secrets.enumerated() {
            guard let key = key(of: secret) else { continue }
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            // `==` of an authentication code takes the same time whatever differs.
            for signature in own where code == signature { match = match ?? index }
        }
        guard let match else { throw .signature("the signature is none of a secret of this endpoint and of this body") }
        try SignatureTime.check(seconds, delivery.machineTime)
        return match
    }

    /// The value of the header `webhook-signature` for a body.
    package static func value(of body: [UInt8], id: String, seconds: Int64, secret: String) -> String {
        let message = Data("\(id).\(seconds).".utf8) + body
        let key = SymmetricKey(data: key(of: secret) ?? Data())
        return "v1," + Data(HMAC<SHA256>.authenticationCode(for: message, using: key)).base64EncodedString()
    }
}

/// Compares the time of a verified signature with the machine's clock.
enum SignatureTime {
    static func check(_ seconds: Int64, _ now: Timestamp) throws(PaymentRefusal) {
        let age = Timestamp(milliseconds: seconds * 1_000).duration(to: now)
        // Only seconds are known of the sender's time.
        if age >= .seconds(301) {
            throw .signature("the signature is older than 300 seconds; check the machine's clock")
        }
        if age < .seconds(-300) {
            throw .signature("the signature is more than 300 seconds in the future; check the machine's clock")
        }
    }
}
