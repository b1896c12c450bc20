/// The settings of alerts.
package struct AlertSettings: Hashable, Sendable {
    /// The time between two scans for deadlines; review items are queried more often.
    package var every: Duration
    /// The largest number of events that a message describes; further ones are only counted.
    package var first: Int
    /// If true, alerts also cover rows that the server reports in time without a person, such as unused tokens (RR-72).
    ///
    /// If false, such a row causes an alert only when its planned send time has passed or it is overdue.
    package var includesScheduled: Bool
    /// If false, new review items cause no alert; they remain in the review list.
    package var includesReview: Bool

    package init(
        every: Duration = .seconds(60),
        first: Int = 50,
        includesScheduled: Bool = false,
        includesReview: Bool = true
    ) {
        self.every = every
        self.first = first
        self.includesScheduled = includesScheduled
        self.includesReview = includesReview
    }
}

/// Receives alerts in addition to the log.
package protocol AlertReceiver: Sendable {
    /// Delivers the stored bytes of a message, or what they say in words.
    ///
    /// - Returns: nil if the receiver accepted the message; otherwise the reason in plain words.
    func deliver(_ body: [UInt8], messageId: String) async -> String?
}
