import ExternalPurchaseCore

/// The country of an address.
enum StripeAddress {
    /// The alpha-3 code of the first address that names a country; the outer nil means that none does.
    ///
    /// An address whose country ISO 3166-1 does not have gives an inner nil: the sale then has no tax country, because
    /// another country would be a guess.
    static func country(of addresses: [StripeObject?]) -> String?? {
        for address in addresses {
            guard let text = address?["country"]?.stringValue, !text.isEmpty else { continue }
            let code = text.uppercased()
            return .some((Country.alpha2(code) ?? Country.alpha3(code))?.alpha3)
        }
        return nil
    }
}
