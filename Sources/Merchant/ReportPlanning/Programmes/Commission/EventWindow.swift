package import ExternalPurchaseCore

/// Whether a sale lies in the window that an event of the customer opened (OB-31, OB-32, OB-72).
package struct EventWindow: Hashable, Sendable {
    package enum Length: Hashable, Sendable {
        /// That many times 24 hours, inclusive.
        case days(Int)
        /// Civil months in UTC, to the end of the day.
        case months(Int)
    }

    /// What opens the window.
    package let event: ReportingProgramme.Event
    /// How long it stays open.
    package let length: Length
    /// The moment for which the window is evaluated.
    package let moment: Timestamp
    /// The newest event before it, nil when there is none.
    package let opened: Timestamp?
    /// The last moment inside, nil without an event.
    package let lastMoment: Timestamp?

    /// The window of the newest event up to a moment: as all are of one length, no older one reaches further.
    package init(
        _ length: Length,
        of event: ReportingProgramme.Event,
        at moment: Timestamp,
        events: CustomerEvents
    ) {
        self.event = event
        self.length = length
        self.moment = moment
        opened = events.newest(event, upTo: moment)
        lastMoment = opened.map { Self.end(of: length, from: $0) }
    }

    /// True when the sale lies inside, both ends included.
    package var isInside: Bool { lastMoment.map { moment <= $0 } ?? false }

    /// The verdict in plain words.
    package var reason: String {
        guard let opened, let lastMoment else { return "no \(event.rawValue) before the sale is known" }
        let span =
            switch length {
            case .days(let days): "\(days) days"
            case .months(let months): "\(months) months"
            }
        return "\(isInside ? "inside" : "outside") the \(span) from \(event.rawValue) at \(opened), which end at "
            + "\(lastMoment)"
    }

    /// The last moment inside a window.
    package static func end(of length: Length, from start: Timestamp) -> Timestamp {
        switch length {
        case .days(let days): return start.advanced(byMilliseconds: Int64(days) * Timestamp.day)
        case .months(let months):
            let day = CalendarDate(inUTC: start).adding(months: months)
            return day.adding(days: 1).startInUTC.advanced(byMilliseconds: -1)
        }
    }
}
