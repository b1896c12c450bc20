import ExternalPurchaseCore

extension Timestamp {
    /// Whether the moment was written by a clock that was ahead and has been set right since (SA-75).
    ///
    /// Such a moment counts as now: nothing waits for it. The clocks of several servers may differ by five minutes.
    func isAhead(of now: Timestamp) -> Bool { self >= now.firstAhead }

    /// The first moment that is ahead of this one.
    var firstAhead: Timestamp { self + .minutes(5) + .milliseconds(1) }
}
