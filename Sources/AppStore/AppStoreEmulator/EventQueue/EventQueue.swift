import ExternalPurchaseCore

/// An event that happens at a scheduled moment (NT-101).
struct DueEvent: Hashable, Sendable, Comparable {
    /// The kind of event.
    ///
    /// The order of the cases decides between events at the same moment.
    enum Kind: Hashable, Sendable {
        /// The token's `CREATED` notification.
        case created(ExternalPurchaseId)
        /// A reminder of an active token, numbered from 1.
        case reminder(ExternalPurchaseId, Int64)
        /// The token has no report.
        ///
        /// Repetitions are numbered from 1.
        case unreported(ExternalPurchaseId, Int64)
        /// The next attempt to deliver a notification.
        case attempt(NotificationRecord.ID)

        fileprivate var rank: Int {
            switch self {
            case .created: 0
            case .reminder: 1
            case .unreported: 2
            case .attempt: 3
            }
        }

        fileprivate var id: String {
            switch self {
            case .created(let token), .reminder(let token, _), .unreported(let token, _): token.rawValue
            case .attempt(let notification): notification
            }
        }
    }

    let moment: Timestamp
    let kind: Kind

    static func < (left: Self, right: Self) -> Bool {
        (left.moment, left.kind.rank, left.kind.id) < (right.moment, right.kind.rank, right.kind.id)
    }
}

/// The scheduled events, earliest first.
///
/// The queue is a binary heap in an array: https://en.wikipedia.org/wiki/Binary_heap.
struct EventQueue: Sendable {
    private var events: [DueEvent] = []

    var first: DueEvent? { events.first }
    var isEmpty: Bool { events.isEmpty }

    mutating func insert(_ event: DueEvent) {
        events.append(event)
        var child = events.count - 1
        while child > 0, events[child] < events[(child - 1) / 2] {
            events.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The events in no particular order.
    var all: [DueEvent] { events }

    /// Removes an event that has happened.
    mutating func remove(_ event: DueEvent) {
        if events.first == event {
            _ = popFirst()
        } else if let index = events.firstIndex(of: event) {
            var rest = events
            rest.remove(at: index)
            self = EventQueue()
            for event in rest { insert(event) }
        }
    }

    mutating func popFirst() -> DueEvent? {
        guard let first = events.first else { return nil }
        events.swapAt(0, events.count - 1)
        events.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < events.count }
            guard let least = children.min(by: { events[$0] < events[$1] }), events[least] < events[parent] else {
                break
            }
            events.swapAt(least, parent)
            parent = least
        }
        return first
    }
}
