import ExternalPurchaseCore
import Ledger
import Reporting

extension TokenArrival {
    /// Reads the body of `POST /v1/tokens`.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - caller: the sender. A publishable key is public, so that its token counts as one from a visit.
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong, ``RequestError/foreignApp(_:of:)`` for a
    ///   token of another app than the caller's.
    init(body: JSONValue, caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.tokenRequest)
        // The token decoder handles blanks and line ends (TK-12).
        let token = fields.text("token")
        let customerId = fields.optionalString("customerId", maximum: 128)
        let checkoutId = fields.optionalString("checkoutId", maximum: 128)
        var storefront: StorefrontCode?
        if let text = fields.optionalString("storefront", maximum: .max) {
            storefront = StorefrontCode(text)
            if storefront == nil {
                let suggestion = StorefrontCode.suggestion(for: text).map { "; \($0) would be right" } ?? ""
                fields.fault("storefront", "is not a storefront: three capital letters such as NLD\(suggestion)")
            }
        }
        try fields.throwFaults()
        // The app of a token that cannot be decoded is unknown.
        if let own = caller.bundleId, let named = (try? ExternalPurchaseToken.decode(token ?? ""))?.token.bundleId,
            named != own
        {
            throw .foreignApp(named, of: own)
        }
        self.init(
            text: token ?? "",
            source: caller.isPublishable ? .website : .app,
            customerId: customerId.map { CustomerId($0) },
            checkoutId: checkoutId.map { CheckoutId($0) },
            storefront: storefront
        )
    }
}

extension CustomerCommand {
    /// Reads the body of `POST /v1/tokens/{externalPurchaseId}/customer`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    init(
        body: JSONValue,
        token: ExternalPurchaseId,
        caller: Caller
    ) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.tokenCustomerRequest)
        if body.objectValue?["customerId"] == nil { fields.fault("customerId", "is missing; null is nobody's") }
        let customerId = fields.optionalString("customerId", maximum: 128).map { CustomerId($0) }
        let by = fields.author("by", maximum: 256, caller: caller.author) ?? ""
        let reason = fields.optionalString("reason", maximum: 2_000)
        let bundleId = fields.app(of: caller)
        try fields.throwFaults()
        self.init(token, of: bundleId, customerId: customerId, by: by, reason: reason)
    }
}
