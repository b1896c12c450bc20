import ExternalPurchaseCore

extension GroupInterpretation {
    /// Whose sale an invoice is: its own metadata, then that of the objects connected with it.
    ///
    /// The invoice's own metadata is in the event that gives the sale, so what other events add never replaces it.
    func metadata(of invoice: StripeObject, _ id: StripeObjectId) throws(NoSale) -> StripeMetadata {
        let subscription = invoice.invoiceSubscription
        var metadata = try ownMetadata(of: invoice)
        for session in sessions(invoice: id, subscription) {
            if let read = try? sessionMetadata(session) { metadata = metadata.completed(by: read) }
        }
        metadata = metadata.completed(by: intentMetadata(links.intents(ofInvoice: id)))
        guard let subscription else { return metadata }
        metadata = metadata.completed(by: subscriptionMetadata(subscription))
        for earlier in earlierInvoices(of: subscription, than: invoice) {
            if let read = try? ownMetadata(of: earlier) { metadata = metadata.completed(by: read) }
        }
        return metadata
    }

    /// Whose subscription it is, for an event that has no invoice.
    func metadata(ofSubscription object: StripeObject, _ id: StripeObjectId) throws(NoSale) -> StripeMetadata {
        var metadata = try StripeMetadata(object.object("metadata"))
        for session in sessions(invoice: nil, id) {
            if let read = try? sessionMetadata(session) { metadata = metadata.completed(by: read) }
        }
        metadata = metadata.completed(by: subscriptionMetadata(id))
        for invoice in paidInvoices(of: id) {
            if let read = try? ownMetadata(of: invoice) { metadata = metadata.completed(by: read) }
        }
        return metadata
    }

    /// The sessions that made an invoice or a subscription, as their events have them.
    func sessions(invoice: StripeObjectId?, _ subscription: StripeObjectId?) -> [StripeObject] {
        objects(.session).flatMap(\.events).compactMap { StripeObject($0.object) }.filter { session in
            invoice != nil && session.id("invoice") == invoice
                || subscription != nil && session.id("subscription") == subscription
                || invoice != nil
                    && session.id("payment_intent").map {
                        links.intents(ofInvoice: invoice ?? "").contains($0)
                    } ?? false
        }
    }

    /// The metadata of an invoice, of its subscription and of its subscription's lines, all in one event.
    private func ownMetadata(of invoice: StripeObject) throws(NoSale) -> StripeMetadata {
        var metadata = try StripeMetadata(invoice.object("metadata"))
            .completed(by: StripeMetadata(invoice.invoiceSubscriptionMetadata))
        // Versions before 2023 have the subscription's metadata in its lines only.
        for line in invoice.data(of: "lines") {
            metadata = metadata.completed(by: try StripeMetadata(line.object("metadata")))
        }
        return metadata
    }

    private func subscriptionMetadata(_ id: StripeObjectId) -> StripeMetadata {
        var metadata = StripeMetadata.none
        for (subscription, events) in objects(.subscription, .endedSubscription) where subscription == id {
            for event in events {
                let object = StripeObject(event.object)?.object("metadata")
                if let read = try? StripeMetadata(object) { metadata = metadata.completed(by: read) }
            }
        }
        return metadata
    }

    /// The paid invoices of a subscription, the first one first.
    func paidInvoices(of subscription: StripeObjectId) -> [StripeObject] {
        let invoices = objects(.paidInvoice).compactMap { $0.events.first.flatMap { StripeObject($0.object) } }
        return invoices.filter { $0.invoiceSubscription == subscription }
            .sorted { ($0.creation, $0.name) < ($1.creation, $1.name) }
    }

    private func earlierInvoices(of subscription: StripeObjectId, than invoice: StripeObject) -> [StripeObject] {
        paidInvoices(of: subscription).filter { ($0.creation, $0.name) < (invoice.creation, invoice.name) }
    }
}

extension StripeObject {
    fileprivate var creation: Int64 { self["created"]?.int64Value ?? .max }
}
