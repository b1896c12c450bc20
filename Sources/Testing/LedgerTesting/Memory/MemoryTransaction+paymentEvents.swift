import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func paymentEvent(_ id: PaymentEventId, of provider: PaymentProvider) -> StoredPaymentEvent? {
        ledger.paymentEvents.first { $0.eventId == id && $0.provider == provider }
    }

    func paymentEvents(matching filter: ListFilter, _ page: LedgerPage) -> [StoredPaymentEvent] {
        slice(ledger.paymentEvents, page) { StoredPaymentEvent.listFields.matches($0, filter) }
    }

    func firstHeldPaymentEvent(of bundleId: BundleId) -> StoredPaymentEvent? {
        ledger.paymentEvents.first { $0.result.state == .held && $0.reviewingApp == bundleId }
    }

    func paymentEvents(about objects: Set<String>, of provider: PaymentProvider) -> [StoredPaymentEvent] {
        ledger.paymentEvents.filter { $0.provider == provider && !$0.objects.isDisjoint(with: objects) }
    }

    func fetchedPaymentObject(_ request: String, of provider: PaymentProvider) -> FetchedPaymentObject? {
        ledger.paymentObjects[MemoryLedger.PaymentRequest(provider: provider, request: request)]
    }

    func add(_ event: StoredPaymentEvent) throws(LedgerError) -> Int64 {
        guard paymentEvent(event.eventId, of: event.provider) == nil else { throw .conflict("the event is known") }
        var event = event
        event.sequence = Int64(ledger.paymentEvents.count + 1)
        return append(event, to: \.paymentEvents)
    }

    func change(_ event: StoredPaymentEvent) throws(LedgerError) {
        guard let place = ledger.paymentEvents.firstIndex(where: { $0.sequence == event.sequence }) else {
            throw .conflict("no such payment event")
        }
        replace(place, in: \.paymentEvents, by: event)
    }

    func put(_ object: FetchedPaymentObject, _ provider: PaymentProvider) {
        set(\.paymentObjects, MemoryLedger.PaymentRequest(provider: provider, request: object.request), object)
    }
}

extension StoredPaymentEvent {
    /// The event with another id of its customer.
    func replacing(_ old: CustomerId, by new: CustomerId) -> StoredPaymentEvent {
        StoredPaymentEvent(
            sequence: sequence,
            eventId: eventId,
            provider: provider,
            apps: apps,
            bundleId: bundleId,
            type: type,
            isLive: isLive,
            createdAt: createdAt,
            arrival: arrival,
            receivedAt: receivedAt,
            content: content.replacing(old.rawValue, by: new.rawValue),
            customerId: new,
            objects: objects,
            result: result
        )
    }
}

extension JSONValue {
    /// The value with one text in place of another, wherever it is a whole value.
    fileprivate func replacing(_ old: String, by new: String) -> JSONValue {
        switch self {
        case .string(old): .string(new)
        case .array(let elements): .array(elements.map { $0.replacing(old, by: new) })
        case .object(let object):
            .object(JSONObject(object.members.map { .init($0.key, $0.value.replacing(old, by: new)) }))
        default: self
        }
    }
}
