/// How often is looked for what has to be told, and how much one message holds.
package struct AlertSettings: Hashable, Sendable {
    /// The time between two scans for deadlines, in milliseconds; review items are queried more often.
    package var every: Int64
    /// Most events that a message names one by one; the others are counted.
    package var first: Int
    /// True tells also of what is neither held nor late for the moment at which it is sent by itself (RR-72), such as
    /// unused tokens.
    package var tellsScheduled: Bool
    /// False leaves out the opening of review items; they are listed all the same.
    package var tellsReview: Bool

    package init(every: Int64 = 60_000, first: Int = 50, tellsScheduled: Bool = false, tellsReview: Bool = true) {
        self.every = every
        self.first = first
        self.tellsScheduled = tellsScheduled
        self.tellsReview = tellsReview
    }
}

/// Receives alerts beside the log.
package protocol AlertReceiver: Sendable {
    /// Hands over the exact bytes of a message.
    ///
    /// - Returns: nil once it was taken; else why not, in plain words.
    func take(_ body: [UInt8], messageId: String) async -> String?
}
