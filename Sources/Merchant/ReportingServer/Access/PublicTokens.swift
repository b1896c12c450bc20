import ExternalPurchaseCore
import Ledger
import Reporting

/// What callers without access to the complete ledger learn about the tokens that they send.
enum PublicTokens {
    /// Returns the checkout of a token that a publishable key sends: the named one, or one that follows from the token.
    ///
    /// The stored checkout of a known token is another caller's. The derived one is the same at every repetition, and
    /// whoever can compute it has the token already.
    static func checkout(of arrival: TokenArrival) -> CheckoutId? {
        if let named = arrival.checkoutId { return named }
        guard let token = try? ExternalPurchaseToken.decode(arrival.text).token else { return nil }
        let text = "checkout\n\(token.bundleId.rawValue)\n\(token.externalPurchaseId.rawValue)"
        return CheckoutId(String(text.utf8.sha256.hexadecimal.prefix(32)))
    }

    /// Runs an intake and replaces the list of apps in the error of a foreign token, unless the caller has access to
    /// all apps.
    static func hidingApps<Value>(
        in arrival: TokenArrival,
        from caller: Caller,
        _ body: () async throws(RequestError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await body()
        } catch {
            guard caller.isPublishable || caller.bundleId != nil, case .invalid = error,
                (try? ExternalPurchaseToken.decode(arrival.text)) != nil
            else { throw error }
            throw .invalid([FieldError("/token", "is of none of the apps registered here")])
        }
    }
}
