import AppStoreServerClient
import ExternalPurchaseCore
import ReportConformance

extension UncheckedTokenSigner {
    /// Returns the value of the `Authorization` header of a request; nil for a request without one.
    ///
    /// - Throws: an error without details when the JWT cannot be signed.
    func value(
        of authorization: ConformanceAuthorization,
        now: Timestamp
    ) throws(ConformanceTransportError) -> String? {
        if authorization.isOmitted { return nil }
        if let text = authorization.text { return "\(authorization.scheme) \(text)" }
        let form: Signature =
            switch authorization.signature {
            case .valid: .raw
            case .damaged: .damaged
            case .der: .der
            case .none: .none
            }
        do {
            let token = try token(
                now: now,
                header: authorization.header,
                claims: authorization.claims,
                signature: form
            )
            return "\(authorization.scheme) \(token)"
        } catch {
            // The errors of the key may contain parts of it (SA-14).
            throw ConformanceTransportError(reason: "the JWT could not be signed")
        }
    }
}
