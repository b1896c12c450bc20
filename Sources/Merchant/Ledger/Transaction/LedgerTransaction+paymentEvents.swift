package import ExternalPurchaseCore

extension LedgerQueries {
    package func paymentEvent(_ id: PaymentEventId, of provider: PaymentProvider) throws(LedgerError)
        -> StoredPaymentEvent?
    {
        try query(
            "SELECT * FROM payment_events WHERE provider = ? AND event_id = ?",
            [provider.rawValue, id.rawValue]
        ).decoded(PaymentEventRow.record).first
    }

    package func paymentEvents(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError)
        -> [StoredPaymentEvent]
    {
        try query(.paymentEvents, filter, page).decoded(PaymentEventRow.record)
    }

    /// The first held event whose review item is that of an app (``StoredPaymentEvent/reviewingApp``).
    package func firstHeldPaymentEvent(of bundleId: BundleId) throws(LedgerError) -> StoredPaymentEvent? {
        try query(Query.heldPaymentEvent, [bundleId.rawValue]).decoded(PaymentEventRow.record).first
    }

    /// The first and the last of the events that arrived by a time and still wait for another event or object, and whose
    /// review item is that of an app; two, one or none.
    ///
    /// Those that wait for a bank are not among them: payments and refunds that are pending.
    package func stuckPaymentEvents(
        of bundleId: BundleId,
        receivedBy time: Timestamp
    ) throws(LedgerError) -> [StoredPaymentEvent] {
        try query(Query.stuckPaymentEvents, [bundleId.rawValue, time.milliseconds]).decoded(PaymentEventRow.record)
    }

    /// The events that name one of the objects, in order of arrival.
    package func paymentEvents(
        about objects: Set<String>,
        of provider: PaymentProvider
    ) throws(LedgerError) -> [StoredPaymentEvent] {
        let names = JSONValue.array(objects.sorted().map(JSONValue.string)).text
        return try query(Query.paymentEventsOfObjects, [provider.rawValue, names]).decoded(PaymentEventRow.record)
    }

    package func fetchedPaymentObject(
        _ request: String,
        of provider: PaymentProvider
    ) throws(LedgerError) -> FetchedPaymentObject? {
        try query(
            "SELECT * FROM payment_objects WHERE provider = ? AND request = ?",
            [provider.rawValue, request]
        ).decoded(PaymentObjectRow.record).first
    }
}

extension LedgerTransaction {
    func insertRow(of event: StoredPaymentEvent) throws(LedgerError) -> Int64 {
        let sequence = try insert(event, into: PaymentEventRow.table)
        for object in event.objects.sorted() {
            try perform(
                "INSERT INTO payment_event_objects (provider, object_id, sequence) VALUES (?, ?, ?)",
                [event.provider.rawValue, object, sequence]
            )
        }
        return sequence
    }

    func updateRow(of event: StoredPaymentEvent) throws(LedgerError) -> Int64 {
        try change(PaymentEventRow.update, to: event, at: event.sequence, otherwise: "no such payment event")
    }

    func putRow(of object: FetchedPaymentObject, _ provider: PaymentProvider) throws(LedgerError) -> Int64 {
        try run(
            """
            INSERT INTO payment_objects (provider, request, object_id, content, fetched_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (provider, request) DO UPDATE SET content = excluded.content, fetched_at = excluded.fetched_at
            """,
            [provider.rawValue, object.request, object.objectId, object.content.text, object.fetchedAt.milliseconds]
        )
        return 0
    }
}

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
