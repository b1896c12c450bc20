/// How often is looked for what has to be told, and how much one message holds.
package struct EscalationSettings: Hashable, Sendable {
    /// Time between two looks at what is due, in ms; attention items are looked at more often.
    package var every: Int64
    /// Most events that a message names one by one; the others are counted.
    package var first: Int
    /// False leaves out what is neither held nor late for the moment at which it is sent by itself (RR-72).
    package var tellsScheduled: Bool

    package init(every: Int64 = 60_000, first: Int = 50, tellsScheduled: Bool = true) {
        self.every = every
        self.first = first
        self.tellsScheduled = tellsScheduled
    }
}

/// Whoever is told of escalations beside the log.
package protocol EscalationReceiver: Sendable {
    /// Hands over the exact bytes of a message.
    ///
    /// - Returns: nil once it was taken; else why not, in plain words.
    func take(_ body: [UInt8], messageId: String) async -> String?
}
