import ExternalPurchaseCore

/// A commission window opened by an event of the customer, evaluated for a sale (OB-31, OB-32, OB-72).
struct EventWindow: Hashable, Sendable {
    enum Length: Hashable, Sendable {
        /// The given number of days, as ``DayCount`` counts them.
        case days(Int)
        /// Calendar months in UTC, up to the end of the day.
        case months(Int)
    }

    /// The event that opens the window.
    let event: ReportingProgramme.Event
    /// The length of the window.
    let length: Length
    /// The moment for which the window is evaluated.
    let moment: Timestamp
    /// The newest such event up to the moment; nil if there is none.
    let opened: Timestamp?
    /// The last moment inside the window; nil without an event.
    let lastMoment: Timestamp?

    /// Creates the window of the newest event up to a moment; with equal lengths, no earlier event has a later end.
    init(
        _ length: Length,
        of event: ReportingProgramme.Event,
        at moment: Timestamp,
        events: CustomerEvents,
        counting days: DayCount
    ) {
        self.event = event
        self.length = length
        self.moment = moment
        opened = events.newest(event, upTo: moment)
        lastMoment = opened.map { Self.end(of: length, from: $0, counting: days) }
    }

    /// True when the moment lies inside the window, both ends included.
    var isInside: Bool { lastMoment.map { moment <= $0 } ?? false }

    /// The result as text.
    var reason: String {
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
    static func end(of length: Length, from start: Timestamp, counting counted: DayCount) -> Timestamp {
        switch length {
        case .days(let days): return counted.end(of: days, from: start)
        case .months(let months):
            let day = CalendarDate(inUTC: start).adding(months: months)
            return day.adding(days: 1).startInUTC.advanced(by: .milliseconds(-1))
        }
    }
}
