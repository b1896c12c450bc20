package import ExternalPurchaseCore

/// Classifies deadlines at one time as open, warned or overdue (OB-51).
///
/// All counts, lists and alerts of deadlines use it. Its boundaries between the states are also the boundaries that a
/// store counts by.
package struct DeadlineClassifier: Hashable, Sendable {
    /// The time of the classification.
    package let now: Timestamp
    /// The warning thresholds of `due.warn` in days, in ascending order.
    private let warnDays: [Int]
    /// The last moment of each state except the last one, in ascending order: overdue, each warning, then open.
    let boundaries: [Timestamp]

    /// Creates a classifier for a given time.
    ///
    /// - Parameters:
    ///   - now: the time of the classification.
    ///   - warnDays: the warning thresholds of `due.warn` in days, in any order.
    init(at now: Timestamp, warnDays: [Int]) {
        self.now = now
        self.warnDays = warnDays.sorted()
        boundaries =
            [now - .milliseconds(1)]
            + self.warnDays.map { now.advanced(by: .days($0)) }
    }

    /// The state of a deadline.
    func state(of moment: Timestamp) -> DeadlineState { state(ofBucket: boundaries.count { $0 < moment }) }

    /// The state of deadlines that have the given number of boundaries before them.
    func state(ofBucket bucket: Int) -> DeadlineState {
        switch bucket {
        case ...0: .overdue
        case ...warnDays.count: .warned(days: warnDays[bucket - 1])
        default: .open
        }
    }

    /// The most urgent state that a deadline has reached, and the time at which it reached it; nil if it is open.
    func passedStep(of moment: Timestamp) -> (step: DeadlineState, at: Timestamp)? {
        let state = state(of: moment)
        switch state {
        // A deadline is overdue from the first millisecond after it.
        case .overdue: return (state, moment + .milliseconds(1))
        case .warned(let days): return (state, moment - .days(days))
        case .open, .unconfirmed: return nil
        }
    }

    /// The earliest deadline that is still open.
    var firstOpen: Timestamp { (boundaries.last ?? now).advanced(by: .milliseconds(1)) }
}
