package import ExternalPurchaseCore

/// Says at one moment whether a due date is open, warned of or past (OB-51).
///
/// Everything that counts, lists or tells due dates goes by it: the boundaries between the states are also what a store
/// counts by.
package struct DeadlineClassifier: Hashable, Sendable {
    /// The clock.
    package let now: Timestamp
    /// The distances of `due.warn` in days, least first.
    private let warnDays: [Int]
    /// The last moments of each state but the last one, in ascending order: overdue, each warning, then open.
    package let boundaries: [Timestamp]

    /// States at a moment.
    ///
    /// - Parameters:
    ///   - now: the clock.
    ///   - warnDays: the distances of `due.warn`, in any order.
    package init(at now: Timestamp, warnDays: [Int]) {
        self.now = now
        self.warnDays = warnDays.sorted()
        boundaries =
            [now.advanced(byMilliseconds: -1)]
            + self.warnDays.map { now.advanced(byMilliseconds: Int64($0) * Timestamp.day) }
    }

    /// The state of a due date.
    package func state(of moment: Timestamp) -> DeadlineState { state(ofBucket: boundaries.count { $0 < moment }) }

    /// The state of due dates with that many boundaries before them.
    package func state(ofBucket bucket: Int) -> DeadlineState {
        switch bucket {
        case ...0: .overdue
        case ...warnDays.count: .warned(days: warnDays[bucket - 1])
        default: .open
        }
    }

    /// The most urgent step that a due date has passed, and when it passed it; nil before the first.
    package func passedStep(of moment: Timestamp) -> (step: DeadlineState, at: Timestamp)? {
        let state = state(of: moment)
        switch state {
        // The first moment of being late is the one after the due date.
        case .overdue: return (state, moment.advanced(byMilliseconds: 1))
        case .warned(let days): return (state, moment.advanced(byMilliseconds: -Int64(days) * Timestamp.day))
        case .open, .unconfirmed: return nil
        }
    }

    /// The first due date that has passed no step yet.
    package var firstOpen: Timestamp { (boundaries.last ?? now).advanced(byMilliseconds: 1) }
}
