package import ExternalPurchaseCore

extension LedgerQueries {
    /// The event with an id, of whichever provider; their ids differ in form.
    package func paymentEvent(_ id: PaymentEventId) throws(LedgerError) -> StoredPaymentEvent? {
        for provider in PaymentProvider.allCases {
            if let event = try paymentEvent(id, of: provider) { return event }
        }
        return nil
    }

    package func paymentEvent(_ id: PaymentEventId, of provider: PaymentProvider) throws(LedgerError)
        -> StoredPaymentEvent?
    {
        let key = KnownPaymentEvents.Key(id, provider)
        if let known = cache.paymentEvents.event(key) { return known }
        let event = try query(.event(id, of: provider)).decoded(PaymentEventRow.record).first
        cache.paymentEvents.keep(event, at: key)
        return event
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
        about objects: Set<PaymentObjectName>,
        of provider: PaymentProvider
    ) throws(LedgerError) -> [StoredPaymentEvent] {
        if let known = cache.paymentEvents.events(about: objects, of: provider) { return known }
        let known = cache.paymentEvents
        let events = try query(.eventsAbout(objects, of: provider)).decoded { row throws(LedgerError) in
            // The events of a payment are read again with what they are connected with; their content is JSON.
            let id = try PaymentEventRow.eventId.read(from: row)
            let event = known.event(KnownPaymentEvents.Key(id, provider)).flatMap(\.self)
            return if let event { event } else { try PaymentEventRow.record(row) }
        }
        cache.paymentEvents.keep(events, about: objects, of: provider)
        return events
    }

    /// Whether a payment with this reference belongs to an external purchase, of apps that share an endpoint.
    package func isReferenced(
        _ reference: PaymentReference,
        of provider: PaymentProvider,
        apps: Set<BundleId>
    ) throws(LedgerError) -> Bool {
        let names = JSONValue.array(apps.sorted().map { .string($0.rawValue) }).text
        return try query(Query.referencedPaymentEvent, [provider.rawValue, reference.name.rawValue, names])
            .decoded { row throws(LedgerError) in try row.integer(at: 0) }.first != nil
    }

    /// What customers paid by events of a time range, without its start, by app, environment, reference and currency.
    package func paymentFigures(after start: Timestamp, through end: Timestamp) throws(LedgerError) -> [PaymentFigure] {
        try query(Query.paymentFigures, [start.milliseconds, end.milliseconds]).decoded(PaymentFigure.record)
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
            try perform(Query.connectPaymentEvent, [event.provider.rawValue, object.rawValue, sequence])
        }
        return sequence
    }

    func updateRow(of event: StoredPaymentEvent) throws(LedgerError) -> Int64 {
        let table = PaymentEventRow.table
        let row = SQLArguments([event.sequence.sqlValue] + table.insertion.arguments(of: event).values)
        if try connection.amend(table.numberedInsertion, row) { return 0 }
        return try change(PaymentEventRow.update, to: event, at: event.sequence, otherwise: "no such payment event")
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

    /// Lets an event be found by objects of its payment that it does not name, such as the invoice of a refund.
    package func connect(_ event: StoredPaymentEvent, to objects: Set<PaymentObjectName>) throws(LedgerError) {
        for object in objects.subtracting(event.objects).sorted() {
            cache.answers.forget([.objectOfEvents(object)])
            cache.paymentEvents.connect(event, to: object)
            try perform(Query.connectPaymentEvent, [event.provider.rawValue, object.rawValue, event.sequence])
        }
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
        try connect(event, to: Set(result.sales.map { PaymentObjectName(PaymentReference.saleMark + $0.rawValue) }))
    }

    /// Stores a fetched object; a later one of the same request replaces it.
    package func put(_ object: FetchedPaymentObject, of provider: PaymentProvider) throws(LedgerError) {
        try perform(.putPaymentObject(object, provider))
    }
}

extension LedgerTransaction {
    /// Lets events be applied again whose payment was not known to belong to an external purchase.
    ///
    /// - Parameter provider: the provider whose customer the reference is; nil for a checkout, which any may name.
    package func reopenPaymentEvents(
        with reference: PaymentReference,
        of provider: PaymentProvider? = nil
    ) throws(LedgerError) {
        let providers = provider.map { [$0] } ?? PaymentProvider.allCases
        let asked = providers.map { ExpectedQuery.events(with: reference, of: $0).statement.arguments }
        let events = try queries(Query.paymentEventsToReopen, withEach: asked).decoded(PaymentEventRow.record)
        try reopen(events.flatMap(\.self))
    }

    /// Lets the events of a payment be applied again, since a sale names it or no longer does; without those set aside.
    package func reopenPaymentEvents(of payment: PaymentLink) throws(LedgerError) {
        try reopen(
            paymentEvents(about: [PaymentObjectName(payment.id)], of: payment.provider)
                .filter { $0.result.state != .dismissed && $0.result.state != .received }
        )
    }

    /// Lets the events that tell a sale be applied again.
    ///
    /// - Parameter isUndecided: true for those only that are held or wait.
    /// - Returns: false if none is found by the sale's id, not even one that is to be applied anyway.
    package func reopenPaymentEvents(of sale: SaleId, isUndecided: Bool = false) throws(LedgerError) -> Bool {
        let states: Set<PaymentEventResult.State> =
            isUndecided ? [.held, .waiting] : [.applied, .notUsed, .held, .waiting]
        // The id of a sale begins with that of its payment where it is not the provider's own.
        let slashes = sale.rawValue.indices.filter { sale.rawValue[$0] == "/" }
        let beginnings = slashes.map { String(sale.rawValue[..<$0]) }
        let names = [sale.rawValue] + beginnings + beginnings.prefix(1).map(SaleId.id(ofPart:))
        let objects = Set(names.map { PaymentObjectName($0) })
        var isFound = false
        for provider in PaymentProvider.allCases {
            // A refund has events of its own, which name the payment whose events tell it, too.
            let named = try paymentEvents(about: objects, of: provider).flatMap(\.paymentObjects)
            let connected = objects.union(named.filter { !$0.isOfSubscription })
            let telling = try paymentEvents(about: connected, of: provider).filter { $0.result.sales.contains(sale) }
            let events = telling.filter { states.contains($0.result.state) }
            try reopen(events)
            // An event that was opened before is applied again without more.
            isFound = isFound || !events.isEmpty || telling.contains { $0.result.state == .received }
        }
        return isFound
    }

    private func reopen(_ events: [StoredPaymentEvent]) throws(LedgerError) {
        for var event in events {
            event.result = PaymentEventResult(.received, detail: nil, sales: event.result.sales, decidedAt: nil)
            try perform(.updatePaymentEvent(event))
        }
    }
}

/// The number and the sum of payments of one app, environment, reference and currency.
package struct PaymentFigure: Hashable, Sendable {
    package let bundleId: BundleId
    package let isLive: Bool
    package let reference: PaymentEventResult.Reference
    /// ISO 4217.
    package let currency: String
    package let count: Int
    package let amount: MilliUnits

    static func record(_ row: any SQLRow) throws(LedgerError) -> PaymentFigure {
        let reference = try row.text(at: 2)
        return PaymentFigure(
            bundleId: BundleId(try row.text(at: 0)),
            isLive: try row.integer(at: 1) != 0,
            reference: PaymentEventResult.Reference(rawValue: reference) ?? .unreferenced,
            currency: try row.text(at: 3),
            count: Int(try row.integer(at: 4)),
            amount: MilliUnits(try row.integer(at: 5))
        )
    }
}
