import ExternalPurchaseCore

/// What a line sold: the ids that choose the reported product.
struct StripePrice: Hashable, Sendable {
    var id: String?
    var product: String?
    var lookupKey: String?
    /// True if the line has the complete price, so that a missing lookup key is known to be missing.
    var isComplete = false

    /// Reads the price of an invoice line or of a session's line item.
    ///
    /// Since 2025-03-31 an invoice line has `pricing.price_details` with two ids; before it had `price`, and in
    /// versions before 2020 `plan`.
    init(of line: StripeObject) throws(NoSale) {
        if let details = line.object("pricing")?.object("price_details") {
            if let price = details.object("price") {
                try read(price)
            } else {
                id = try details.text("price")
            }
            if product == nil { product = try Self.id("product", of: details) }
        } else if let price = line.object("price") ?? line.object("plan") {
            try read(price)
        } else {
            id = try line.text("price")
        }
    }

    /// Reads a price that was requested.
    init(price: StripeObject) throws(NoSale) {
        try read(price)
    }

    private mutating func read(_ price: StripeObject) throws(NoSale) {
        id = try price.text("id")
        product = try Self.id("product", of: price)
        lookupKey = try price.text("lookup_key")
        isComplete = true
    }

    /// Ids of prices and products may have any characters, because a shop chooses them.
    private static func id(_ key: String, of object: StripeObject) throws(NoSale) -> String? {
        if let expanded = object.object(key) { return try expanded.text("id") }
        return try object.text(key)
    }
}
