import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func paymentEvent(_ id: PaymentEventId, of provider: PaymentProvider) throws(LedgerError) -> StoredPaymentEvent? {
        try query(
            "SELECT * FROM payment_events WHERE provider = ? AND event_id = ?",
            [provider.rawValue, id.rawValue]
        ).decoded(PaymentEventRow.record).first
    }

    func paymentEvents(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredPaymentEvent] {
        try query(.paymentEvents, filter, page).decoded(PaymentEventRow.record)
    }

    func firstHeldPaymentEvent(of bundleId: BundleId) throws(LedgerError) -> StoredPaymentEvent? {
        try query(Query.heldPaymentEvent, [bundleId.rawValue]).decoded(PaymentEventRow.record).first
    }

    func paymentEvents(
        about objects: Set<String>,
        of provider: PaymentProvider
    ) throws(LedgerError) -> [StoredPaymentEvent] {
        let names = JSONValue.array(objects.sorted().map(JSONValue.string)).text
        return try query(Query.paymentEventsOfObjects, [provider.rawValue, names]).decoded(PaymentEventRow.record)
    }

    func fetchedPaymentObject(
        _ request: String,
        of provider: PaymentProvider
    ) throws(LedgerError) -> FetchedPaymentObject? {
        try query(
            "SELECT * FROM payment_objects WHERE provider = ? AND request = ?",
            [provider.rawValue, request]
        ).decoded(PaymentObjectRow.record).first
    }

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
