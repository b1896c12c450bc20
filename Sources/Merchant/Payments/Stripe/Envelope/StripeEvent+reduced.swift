package import ExternalPurchaseCore
package import Ledger

// What is stored of events: no names, addresses, card data or links (OB-92).
extension StripeEvent {
    /// The event with the members that ``StripeInterpreter`` reads.
    ///
    /// It is read again by ``init(json:)`` and interpreted like the event as received.
    package var reduced: JSONValue {
        var data: [JSONObject.Member] = [.init("object", object.reducedObject)]
        if let previousAttributes { data.append(.init("previous_attributes", previousAttributes.reducedObject)) }
        var members: [JSONObject.Member] = [
            .init("id", .string(id)), .init("object", .string("event")), .init("type", .string(type)),
            .init("created", .integer(created.milliseconds / 1_000)), .init("livemode", .bool(isLive)),
        ]
        if let account { members.append(.init("account", .string(account))) }
        if let apiVersion { members.append(.init("api_version", .string(apiVersion))) }
        members.append(.init("data", .object(JSONObject(data))))
        return .object(JSONObject(members))
    }

    /// The merchant's customer whom the metadata of an object in the event names.
    package var customerId: CustomerId? { object.named("external_purchase_customer").map { CustomerId($0) } }

    /// The app that the metadata of an object in the event names.
    package var bundleId: BundleId? { object.named("external_purchase_bundle").map { BundleId($0) } }
}

extension JSONValue {
    /// An object of Stripe with the members that ``StripeInterpreter`` reads.
    package var reducedObject: JSONValue {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.compactMap { member in
                        if member.key.hasSameScalars(as: "metadata") {
                            return .init(member.key, member.value.ownMetadata)
                        }
                        guard Self.names.containsName(member.key) else { return nil }
                        return .init(member.key, member.value.reducedObject)
                    }
                )
            )
        case .array(let elements): .array(elements.map(\.reducedObject))
        default: self
        }
    }

    private var ownMetadata: JSONValue {
        guard let object = objectValue else { return self }
        return .object(JSONObject(object.members.filter { $0.key.hasPrefix("external_purchase_") }))
    }

    /// The text of a name in the first metadata that has it.
    fileprivate func named(_ name: String) -> String? {
        switch self {
        case .object(let object):
            for member in object.members {
                if member.key.hasSameScalars(as: "metadata"), let text = member.value.objectValue?[name]?.stringValue,
                    !text.isEmpty
                {
                    return text
                }
                if let found = member.value.named(name) { return found }
            }
            return nil
        case .array(let elements): return elements.lazy.compactMap { $0.named(name) }.first
        default: return nil
        }
    }

    /// The names of members that the interpretation reads, in whatever object they are.
    private static let names: Set<String> = [
        "address", "amount", "amount_captured", "amount_discount", "amount_excluding_tax", "amount_paid",
        "amount_received", "amount_refunded", "amount_shipping", "amount_subtotal", "amount_tax", "amount_total",
        "automatic_tax", "balance_transactions", "billing_reason", "cancel_at", "canceled_at", "capture_method",
        "captured", "charge", "charges", "checkout", "client_reference_id", "collected_information", "country",
        "created", "currency", "customer", "customer_address", "customer_balance_transaction", "customer_details",
        "customer_shipping", "data", "discount_amounts", "effective_at", "end", "ended_at", "has_more", "id",
        "inclusive", "invoice", "invoice_item_details", "items", "latest_charge", "latest_invoice", "line_items",
        "lines", "livemode", "lookup_key", "mode", "object", "out_of_band_amount", "paid", "paid_at", "parent",
        "payment", "payment_intent", "payment_status", "payments", "percentage", "period", "period_end", "period_start",
        "plan", "post_payment_amount", "post_payment_credit_notes_amount", "pre_payment_credit_notes_amount",
        "presentment_amount", "presentment_currency", "presentment_details", "pretax_credit_amounts", "price",
        "price_details", "pricing", "product", "proration", "proration_details", "quantity", "rate", "reason", "refund",
        "refunded", "refunds", "shipping", "shipping_cost", "shipping_details", "start", "status", "status_transitions",
        "subscription", "subscription_details", "subscription_item", "subscription_item_details", "subtotal", "tax",
        "tax_amounts", "tax_behavior", "tax_rate", "tax_rate_details", "tax_rates", "taxability_reason",
        "taxable_amount", "taxes", "total", "total_details", "total_discount_amounts", "total_excluding_tax",
        "total_tax_amounts", "total_taxes", "type", "unique_id", "unit_amount", "unit_amount_excluding_tax",
    ]
}
