import ExternalPurchaseCore
import Ledger

/// Places of an invoice's members, which differ between API versions.
extension StripeObject {
    /// The subscription of an invoice: `parent.subscription_details`, before 2025-03-31 at the top.
    var invoiceSubscription: StripeObjectId? {
        object("parent")?.object("subscription_details")?.id("subscription") ?? id("subscription")
    }

    /// The metadata of the subscription when the invoice was finalized.
    var invoiceSubscriptionMetadata: StripeObject? {
        (object("parent")?.object("subscription_details") ?? object("subscription_details"))?.object("metadata")
    }

    /// The payment intents and charges of an invoice: `payments`, before 2025-03-31 `payment_intent` and `charge`.
    var invoicePayments: (intents: [StripeObjectId], charges: [StripeObjectId]) {
        let payments = data(of: "payments").map { $0.object("payment") }
        return (
            ([id("payment_intent")] + payments.map { $0?.id("payment_intent") }).compactMap { $0 },
            ([id("charge")] + payments.map { $0?.id("charge") }).compactMap { $0 }
        )
    }

    /// The country of an invoice's customer, the shipping address first; see ``StripeAddress/country(of:)``.
    var invoiceCountry: String?? {
        StripeAddress.country(of: [object("customer_shipping")?.object("address"), object("customer_address")])
    }

    /// The country of a session's customer, the shipping address first; see ``StripeAddress/country(of:)``.
    ///
    /// Since 2025-03-31 the shipping address is under `collected_information`.
    var sessionCountry: String?? {
        StripeAddress.country(of: [
            object("collected_information")?.object("shipping_details")?.object("address"),
            object("shipping_details")?.object("address"),
            object("shipping")?.object("address"),
            object("customer_details")?.object("address"),
        ])
    }

    /// True if Stripe Tax computed the tax, so that a tax of 0 is one.
    var isTaxComputed: Bool { object("automatic_tax")?["status"]?.stringValue == "complete" }
}
