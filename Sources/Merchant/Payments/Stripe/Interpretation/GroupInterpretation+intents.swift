import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads the payment intents: one without a Checkout session is a sale only if its metadata names the product.
    mutating func readIntents() {
        for (id, events) in objects(.intent) {
            let unusable = events.filter { $0.metadataError != nil }
            for event in unusable { if let error = event.metadataError { set(error.outcome, for: [event]) } }
            let events = events.filter { !unusable.contains($0) }
            if events.isEmpty { continue }
            let metadata = intentMetadata([id])
            let isOurs = metadata.isOurs
            let sent: [Sale]?
            do throws(NoSale) {
                sent = try posted(charge: nil, intent: id)
            } catch {
                set(error.outcome, for: events)
                continue
            }
            if let sent {
                set(.used(sent.map(\.saleId)), for: events)
            } else if let outcome = sessionOutcome(ofIntent: id, isOurs: isOurs) {
                set(outcome, for: events)
            } else if !links.invoices(charge: nil, intent: id).isEmpty {
                let invoices = links.invoices(charge: nil, intent: id).sorted()
                let saleIds = invoices.flatMap { self.saleIds(invoice: $0, nil) }
                let reason = PaymentReason(.madeByInvoice, "an invoice made the payment intent and is the sale")
                set(isOurs && !saleIds.isEmpty ? .used(saleIds) : .notUsed(reason), for: events)
            } else if let productId = metadata.productId, let first = events.first, let last = events.last {
                do throws(NoSale) {
                    // A payment that is captured in several steps has what was captured so far.
                    let draft = try sale(ofIntent: id, last, productId, metadata).at(first.created)
                    let sale = try emit(draft, restating: captureRestatement(of: draft))
                    paymentSales[id] = sale
                    set(.used([sale.saleId]), for: events)
                    noteMissingRate(of: [sale], for: events)
                } catch {
                    set(error.outcome, for: events)
                }
            } else if isOurs {
                let reason = PaymentReason(
                    .session,
                    "the payment intent names no product; its session does (checkout.session.completed), or the metadata "
                        + "external_purchase_product"
                )
                set(.waiting(reason, isAlert: false), for: events)
            } else {
                let reason = PaymentReason(.notOurs, "the payment intent has no metadata external_purchase_…")
                set(.notUsed(reason), for: events)
            }
        }
    }

    /// Reads the charges: one whose payment intent gives a sale adds nothing; another one is a sale if its metadata names the
    /// product.
    mutating func readCharges() {
        for (id, events) in objects(.charge) {
            guard let object = events.first.flatMap({ StripeObject($0.object) }) else { continue }
            let intent = object.id("payment_intent")
            do throws(NoSale) {
                if let posted = try posted(charge: id, intent: intent) {
                    set(.used(posted.map(\.saleId)), for: events)
                    continue
                }
                let metadata = try StripeMetadata(object.object("metadata"))
                if let sale = paymentSales[intent ?? id] {
                    let reason = PaymentReason(
                        .known,
                        "the event of the Checkout session or of the payment intent gives the sale"
                    )
                    set(metadata.isOurs ? .used([sale.saleId]) : .notUsed(reason), for: events)
                    continue
                }
                guard metadata.isOurs else {
                    throw .notUsed(.notOurs, "the charge has no metadata external_purchase_…")
                }
                guard links.invoices(charge: id, intent: intent).isEmpty else {
                    throw .notUsed(.madeByInvoice, "an invoice made the charge and is the sale")
                }
                guard let productId = metadata.productId else {
                    throw .waiting(
                        .session,
                        "the charge names no product; its session does (checkout.session.completed), or the metadata "
                            + "external_purchase_product"
                    )
                }
                let captures = events.filter { StripeObject($0.object)?["captured"]?.boolValue != false }
                guard let event = captures.last else {
                    if releases.isWhole(intent ?? id) {
                        throw .notUsed(.released, "nothing of the charge was captured")
                    }
                    throw .waiting(.unpaid, "the charge is authorised and not captured yet")
                }
                // A charge that is captured in several steps has what was captured so far.
                let draft = try sale(ofIntent: intent ?? id, event, productId, metadata, received: "amount_captured")
                let sale = try emit(
                    draft.at(captures.first?.created ?? event.created),
                    restating: captureRestatement(of: draft)
                )
                paymentSales[intent ?? id] = sale
                set(.used([sale.saleId]), for: events)
                noteMissingRate(of: [sale], for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    /// The purchase of a shop that creates payment intents, or charges, by itself.
    ///
    /// Stripe computes no tax for it, so rate and country are those of the configuration; the shipping address has the
    /// country where it is given.
    private func sale(
        ofIntent id: StripeObjectId,
        _ event: StripeEvent,
        _ productId: String,
        _ metadata: StripeMetadata,
        received: String = "amount_received"
    ) throws(NoSale) -> Sale {
        guard let intent = StripeObject(event.object) else { throw .held(.member, "the payment is no object") }
        let account = try seller(metadata)
        let presented = try StripePresentment(of: intent)
        let own = try StripeCurrency(of: intent)
        let currency = presented?.currency ?? own
        let received = try intent.requiredInteger(received)
        let pricing = Pricing(
            account: account,
            currency: currency,
            isTaxComputed: false,
            taxCountry: StripeAddress.country(of: [intent.object("shipping")?.object("address")]) ?? account.taxCountry
        )
        let purchase = try pricing.purchase(
            productId,
            quantity: 1,
            inclusive: try presented.map { presented throws(NoSale) in
                try presented.part(received, of: intent.integer("amount") ?? received, name: id.rawValue)
            } ?? received,
            tax: 0,
            name: id.rawValue
        )
        return Sale(
            saleId: SaleId(id.rawValue),
            bundleId: account.bundleId,
            occurredAt: event.created,
            customerId: metadata.customerId,
            checkoutId: metadata.checkoutId,
            externalPurchaseId: metadata.externalPurchaseId,
            kind: try .lines([purchase], of: id.rawValue, metadata.charged)
        )
    }

    /// Whether more was captured than the ledger's sale has.
    func captureRestatement(of draft: Sale) -> PaymentSale.Restatement? {
        let (paid, sold) = (draft.purchases, standing[draft.saleId]?.purchases ?? [])
        guard !sold.isEmpty, Set(paid.map(\.currency)) == Set(sold.map(\.currency)),
            paid.map(\.inclusive).reduce(0, +) > sold.map(\.inclusive).reduce(0, +)
        else { return nil }
        return .captured
    }

    /// Nil for a payment intent without a session.
    private func sessionOutcome(ofIntent intent: StripeObjectId, isOurs: Bool) -> PaymentOutcome? {
        if let sale = paymentSales[intent] {
            return isOurs
                ? .used([sale.saleId])
                : .notUsed(PaymentReason(.known, "the event of the Checkout session gives the sale"))
        }
        let isOfSession = objects(.session).flatMap(\.events).contains {
            StripeObject($0.object)?.id("payment_intent") == intent
        }
        guard isOfSession, links.invoices(charge: nil, intent: intent).allSatisfy({ invoiceSales[$0] == nil }) else {
            return nil
        }
        return .waiting(PaymentReason(.session, "the Checkout session has no sale yet"), isAlert: false)
    }
}

extension StripeEvent {
    /// Why the metadata of the object cannot be used; nil if it can.
    fileprivate var metadataError: NoSale? {
        do throws(NoSale) {
            _ = try StripeMetadata(StripeObject(object)?.object("metadata"))
            return nil
        } catch {
            return error
        }
    }
}
