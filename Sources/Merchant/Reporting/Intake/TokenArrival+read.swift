package import ExternalPurchaseCore
package import Ledger

extension TokenArrival {
    /// Reads the body of `POST /v1/tokens`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    package static func read(
        _ body: JSONValue,
        source: TokenSource
    ) throws(RequestError) -> TokenArrival {
        var fields = try RequestDecoder(body, known: ["token", "customerId", "checkoutId", "storefront"])
        // Blanks and line ends in a token are the decoder's to judge (TK-12).
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
        return TokenArrival(
            text: token ?? "",
            source: source,
            customerId: customerId.map { CustomerId($0) },
            checkoutId: checkoutId.map { CheckoutId($0) },
            storefront: storefront
        )
    }
}
