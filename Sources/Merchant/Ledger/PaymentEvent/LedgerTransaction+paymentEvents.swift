package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a payment event; one with a known id changes nothing.
    ///
    /// - Returns: the event as stored, and whether it is new.
    package func insert(_ event: StoredPaymentEvent) throws(LedgerError) -> (event: StoredPaymentEvent, isNew: Bool) {
        if let known = try paymentEvent(event.eventId, of: event.provider) { return (known, false) }
        var event = event
        event.sequence = try perform(.insertPaymentEvent(event))
        return (event, true)
    }

    /// Stores the result of an application, and the app of the event; a result that says the same changes nothing.
    package func setResult(
        _ result: PaymentEventResult,
        of event: StoredPaymentEvent,
        app bundleId: BundleId?
    ) throws(LedgerError) {
        if result.agrees(with: event.result), event.bundleId == bundleId { return }
        var event = event
        event.result = result
        event.bundleId = bundleId
        try perform(.updatePaymentEvent(event))
    }

    /// Stores a fetched object; a later one of the same request replaces it.
    package func put(_ object: FetchedPaymentObject, of provider: PaymentProvider) throws(LedgerError) {
        try perform(.putPaymentObject(object, provider))
    }
}
