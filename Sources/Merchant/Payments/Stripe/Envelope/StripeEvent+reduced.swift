package import ExternalPurchaseCore
package import Ledger

// What is stored of events: amounts, ids, dates, statuses, currencies, countries and rates, whether or not they are read today, so that
// a better interpretation can be applied to what has come. No names, addresses, card data, texts, links or secrets (OB-92).
extension StripeEvent {
    /// The event with the members that are kept.
    ///
    /// It is read again by ``init(json:)`` and interpreted like the event as received.
    package var reduced: JSONValue {
        var data: JSONObject = ["object": object.reducedObject]
        if let previousAttributes { data["previous_attributes"] = previousAttributes.reducedObject }
        var members: JSONObject = [
            "id": .string(id), "object": .string("event"), "type": .string(type),
            "created": .integer(created.milliseconds / 1_000), "livemode": .bool(isLive),
        ]
        if let account { members["account"] = .string(account) }
        if let apiVersion { members["api_version"] = .string(apiVersion) }
        members["data"] = .object(data)
        return .object(members)
    }

    /// The merchant's customer whom the metadata of an object in the event names.
    package var customerId: CustomerId? { object.named("external_purchase_customer").map { CustomerId($0) } }

    /// The app that the metadata of an object in the event names.
    package var bundleId: BundleId? { object.named("external_purchase_bundle").map { BundleId($0) } }
}

extension JSONValue {
    /// An object of Stripe with the members that are kept.
    package var reducedObject: JSONValue {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.compactMap { member in
                        if member.key.hasSameScalars(as: "metadata") {
                            return .init(member.key, member.value.ownMetadata)
                        }
                        if member.key.hasSameScalars(as: "payment_method_options") {
                            return .init(member.key, member.value.captureMethods)
                        }
                        // Names of other scripts are none of these: no text is compared that must be normalised first.
                        guard member.key.utf8.count <= 64, member.key.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
                        if Self.names.contains(member.key) { return .init(member.key, member.value.reducedObject) }
                        guard Self.figures.contains(member.key) else { return nil }
                        return member.value.figure.map { .init(member.key, $0) }
                    }
                )
            )
        case .array(let elements): .array(elements.map(\.reducedObject))
        default: self
        }
    }

    /// A number, date, id, code or status, or objects with these; nil for a text of people, a link and a secret.
    private var figure: JSONValue? {
        switch self {
        case .null, .bool, .number: self
        case .string(let text): text.utf8.count <= 64 && text.utf8.allSatisfy(Self.isOfCode) ? self : nil
        case .array(let elements): .array(elements.compactMap(\.figure))
        case .object: reducedObject
        }
    }

    private static func isOfCode(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isDigit || "_-.".utf8.contains(byte)
    }

    /// The payment methods that have a way of capturing of their own, with that way alone.
    private var captureMethods: JSONValue {
        guard let object = objectValue else { return self }
        return .object(
            JSONObject(
                object.members.compactMap { member in
                    guard JSONValue.string(member.key).figure != nil,
                        let method = member.value.objectValue?["capture_method"]?.figure, method.stringValue != nil
                    else { return nil }
                    return .init(member.key, .object(["capture_method": method]))
                }
            )
        )
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
        "created", "credited_items", "currency", "customer", "customer_address", "customer_balance_transaction",
        "customer_details", "customer_shipping", "data", "discount_amounts", "effective_at", "end", "ended_at",
        "has_more", "id", "inclusive", "invoice", "invoice_item_details", "invoice_line_items", "items",
        "latest_charge", "latest_invoice", "line_items", "lines", "livemode", "lookup_key", "mode", "object",
        "out_of_band_amount", "paid", "paid_at", "parent", "payment", "payment_intent", "payment_status", "payments",
        "percentage", "period", "period_end", "period_start", "plan", "post_payment_amount",
        "post_payment_credit_notes_amount", "pre_payment_credit_notes_amount", "presentment_amount",
        "presentment_currency", "presentment_details", "pretax_credit_amounts", "price", "price_details", "pricing",
        "product", "proration", "proration_details", "quantity", "rate", "reason", "refund", "refunded", "refunds",
        "shipping", "shipping_cost", "shipping_details", "start", "status", "status_transitions", "subscription",
        "subscription_details", "subscription_item", "subscription_item_details", "subtotal", "tax", "tax_amounts",
        "tax_behavior", "tax_rate", "tax_rate_details", "tax_rates", "taxability_reason", "taxable_amount", "taxes",
        "total", "total_details", "total_discount_amounts", "total_excluding_tax", "total_tax_amounts", "total_taxes",
        "type", "unique_id", "unit_amount", "unit_amount_excluding_tax",
    ]

    /// The names of further members that have figures, dates, ids and codes of payments.
    private static let figures: Set<String> = [
        "active", "adaptive_pricing", "amount_capturable", "amount_due", "amount_off", "amount_overpaid",
        "amount_remaining", "amount_to_collect", "application_fee", "application_fee_amount", "attempt_count",
        "attempted", "auto_advance", "available_on", "balance_transaction", "billing_cycle_anchor", "billing_scheme",
        "breakdown", "cancel_at_period_end", "cancellation_reason", "collection_method", "confirmation_method",
        "coupon", "credit_balance_transaction", "currency_conversion", "current_period_end", "current_period_start",
        "days_until_due", "default_tax_rates", "destination", "discount", "discount_amount", "discountable",
        "discounts", "dispute", "disputed", "divide_by", "due_by", "due_date", "duration", "duration_in_months",
        "effective_percentage", "enabled", "ending_balance", "evidence_details", "exchange_rate", "expires_at",
        "failure_balance_transaction", "failure_code", "failure_reason", "fee", "fee_details", "finalized_at",
        "flat_amount", "from_invoice", "fx_rate", "has_evidence", "interval", "interval_count",
        "is_charge_refundable", "is_default", "latest_revision", "marked_uncollectible_at", "net",
        "network_reason_code", "next_payment_attempt", "on_behalf_of", "paid_out_of_band", "past_due",
        "pending_reason", "percent_off", "pre_payment_amount", "promotion_code", "rate_type", "recurring",
        "reporting_category", "round", "schedule", "shipping_rate", "source_currency", "source_transfer",
        "start_date", "starting_balance", "submission_count", "subtotal_excluding_tax", "tax_type", "test_clock",
        "tiers_mode", "total_pretax_credit_amounts", "transfer", "transfer_data", "transfer_reversal",
        "transform_quantity", "trial_end", "trial_start", "unit_amount_decimal", "usage_type", "voided_at",
    ]
}
