import ExternalPurchaseCore

/// How the days of a commission window are counted (OB-72).
package struct DayCount: Hashable, Sendable {
    /// The setting `commission.window`.
    package enum Unit: String, Hashable, Sendable, CaseIterable {
        /// Through the end of the last calendar day.
        case calendarDays
        /// Periods of 24 hours, end included.
        case hours
    }

    var unit = Unit.calendarDays
    /// The zone of calendar days, that of the deadlines: the customer's is not known.
    var zone = ReportingTimeZone.utc

    /// The last moment that counts.
    ///
    /// - Parameters:
    ///   - days: the number of days; the day of the event itself is not one of them.
    ///   - start: the event.
    func end(of days: Int, from start: Timestamp) -> Timestamp {
        switch unit {
        case .hours: start + .days(days)
        case .calendarDays:
            zone.start(of: zone.day(of: start).adding(days: Int64(days) + 1)).advanced(by: .milliseconds(-1))
        }
    }
}
