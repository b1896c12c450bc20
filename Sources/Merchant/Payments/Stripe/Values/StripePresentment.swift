import ExternalPurchaseCore

/// What the customer was charged, where that is in another currency than the shop's price (Adaptive Pricing).
///
/// Sessions, payment intents, charges and refunds have it as `presentment_details` since 2025-03-31. Before, a session had
/// the customer's currency in its own amounts, and the shop's in `currency_conversion`.
struct StripePresentment: Hashable, Sendable {
    let amount: Int64
    let currency: StripeCurrency

    /// Nil where the customer was charged in the object's own currency.
    init?(of object: StripeObject) throws(NoSale) {
        guard let details = object.object("presentment_details") else { return nil }
        currency = try StripeCurrency(of: details, "presentment_currency", name: object.name)
        guard let amount = try details.integer("presentment_amount"), amount >= 0 else {
            throw .held(.amount, "the presentment_details of \(object.name) have no presentment_amount of 0 or more")
        }
        self.amount = amount
    }

    /// What a part of an object's amount is in the currency of the customer.
    func part(_ part: Int64, of whole: Int64, name: String) throws(NoSale) -> Int64 {
        part == whole ? amount : try currency.fraction(of: amount, part, of: whole, name: name)
    }
}

extension StripeObject {
    /// What the refunds of a charge gave back: without what was authorised and not captured, in the customer's currency.
    func refunded(without released: Int64) throws(NoSale) -> (amount: Int64, currency: StripeCurrency) {
        let refunded = try repaidAmount("amount_refunded")
        guard refunded > released else {
            throw .notUsed(.released, "what \(name) gives back was authorised and not captured")
        }
        guard let presented = try StripePresentment(of: self) else {
            return (refunded - released, try StripeCurrency(of: self))
        }
        let amount = try integer("amount") ?? refunded
        return (try presented.part(refunded - released, of: amount, name: name), presented.currency)
    }
}
