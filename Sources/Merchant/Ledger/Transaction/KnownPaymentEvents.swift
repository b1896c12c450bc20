/// The payment events that one transaction has read or stored, and those about some objects.
struct KnownPaymentEvents {
    struct Key: Hashable {
        let provider: PaymentProvider
        let id: PaymentEventId

        init(_ event: StoredPaymentEvent) { self.init(event.eventId, event.provider) }

        init(_ id: PaymentEventId, _ provider: PaymentProvider) {
            self.id = id
            self.provider = provider
        }
    }

    private struct Objects: Hashable {
        let provider: PaymentProvider
        let names: Set<PaymentObjectName>
    }

    /// Nil for an event that is not stored.
    private var events: [Key: StoredPaymentEvent?] = [:]
    /// The events about objects, in order of arrival.
    private var lists: [Objects: [Key]] = [:]
    /// The keys of ``lists`` that have an object.
    private var asked: [PaymentProvider: [PaymentObjectName: Set<Set<PaymentObjectName>>]] = [:]

    /// The largest number of events, so that a long read does not collect a ledger in memory.
    private var capacity = 1_024

    /// Keeps what is read ahead for the closures of a group until they have run.
    mutating func makeRoom(for rows: Int) { capacity = max(capacity, 2 * rows) }

    func event(_ key: Key) -> StoredPaymentEvent?? { events[key] }

    func events(about names: Set<PaymentObjectName>, of provider: PaymentProvider) -> [StoredPaymentEvent]? {
        lists[Objects(provider: provider, names: names)].map { $0.compactMap { events[$0] ?? nil } }
    }

    mutating func keep(_ event: StoredPaymentEvent?, at key: Key) {
        if events.count >= capacity { removeAll() }
        events[key] = .some(event)
    }

    mutating func keep(_ found: [StoredPaymentEvent], about names: Set<PaymentObjectName>, of provider: PaymentProvider)
    {
        if events.count + found.count > capacity || lists.count >= capacity { removeAll() }
        if found.count > capacity { return }
        for event in found { events[Key(event)] = .some(event) }
        lists[Objects(provider: provider, names: names)] = found.map { Key($0) }
        for name in names { asked[provider, default: [:]][name, default: []].insert(names) }
    }

    /// Notes an event that the transaction stored, or changed.
    mutating func note(_ event: StoredPaymentEvent) {
        let isNew = (events[Key(event)] ?? nil) == nil
        keep(event, at: Key(event))
        if isNew { for object in event.objects { connect(event, to: object) } }
    }

    /// Adds an event to those about an object.
    mutating func connect(_ event: StoredPaymentEvent, to object: PaymentObjectName) {
        for names in asked[event.provider]?[object] ?? [] {
            let objects = Objects(provider: event.provider, names: names)
            guard var list = lists[objects], !list.contains(Key(event)) else { continue }
            if (events[Key(event)] ?? nil) == nil { events[Key(event)] = .some(event) }
            list.append(Key(event))
            lists[objects] = list.sorted { number($0) < number($1) }
        }
    }

    private func number(_ key: Key) -> Int64 { (events[key] ?? nil)?.sequence ?? 0 }

    mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        lists.removeAll(keepingCapacity: true)
        asked.removeAll(keepingCapacity: true)
    }
}
