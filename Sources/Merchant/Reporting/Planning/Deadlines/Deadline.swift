package import ExternalPurchaseCore

/// The deadline of a token or line item, and the rule that sets it (RR-70, OB-51).
package struct Deadline: Hashable, Sendable {
    /// Rule (a): the latest time for a token's first report, derived from the token itself.
    package struct Horizon: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// The given time after the token's creation.
            case unreported(after: Duration)
            /// The expiration of the token.
            case expiration
        }

        let moment: Timestamp
        let kind: Kind
    }

    /// Rule (b): the deadline of a reporting month.
    package struct MonthDeadline: Hashable, Sendable {
        /// The last millisecond of the deadline's day (RR-71).
        let moment: Timestamp
        /// The id of the programme.
        let programme: String
        /// The date from which the programme's terms are in force.
        let effectiveFrom: String
        /// The month that contains the creation date.
        let month: ReportingMonth
        /// The number of days after the end of the month.
        let days: Int
        /// The lower confidence of calendar and days (OB-2).
        let confidence: ReportingProgramme.Confidence
    }

    /// The rule that sets the deadline.
    enum Rule: Hashable, Sendable {
        /// Rule (a).
        case horizon(Horizon)
        /// Rule (b).
        case month(MonthDeadline)
    }

    /// The creation date of the token or line item.
    let createdAt: Timestamp
    /// The result of rule (a); nil for line items.
    let horizon: Horizon?
    /// The result of rule (b); nil without a programme or where it has no deadline (OB-13).
    let month: MonthDeadline?
    /// The rule with the earlier deadline.
    let rule: Rule

    /// Creates a deadline from the results of the rules; returns nil if both are nil.
    init?(createdAt: Timestamp, horizon: Horizon?, month: MonthDeadline?) {
        switch (horizon, month) {
        case (let horizon?, let month?): rule = horizon.moment <= month.moment ? .horizon(horizon) : .month(month)
        case (let horizon?, nil): rule = .horizon(horizon)
        case (nil, let month?): rule = .month(month)
        case (nil, nil): return nil
        }
        self.createdAt = createdAt
        self.horizon = horizon
        self.month = month
    }

    /// The last moment that is in time.
    package var moment: Timestamp {
        switch rule {
        case .horizon(let horizon): horizon.moment
        case .month(let month): month.moment
        }
    }

    /// The remaining whole days of 24 hours, rounded down: 0 on the last day, negative when overdue.
    package func daysLeft(at now: Timestamp) -> Int {
        let left = now.duration(to: moment)
        let days = left.wholeDays
        return Int(left < .days(days) ? days - 1 : days)
    }

    /// The time at which a report without items is sent.
    ///
    /// It is sent before its deadline by a tenth of the time from creation to deadline, but at most by `lead`.
    /// A time in the past means immediately (RR-72).
    func sendMomentOfTokenReport(lead: Duration) -> Timestamp {
        Self.sendMoment(ofTokenMadeAt: createdAt, due: moment, lead: lead)
    }

    /// The value of ``sendMomentOfTokenReport(lead:)`` for the given creation date and deadline.
    package static func sendMoment(
        ofTokenMadeAt createdAt: Timestamp,
        due moment: Timestamp,
        lead: Duration
    ) -> Timestamp {
        let tenth = max(.zero, createdAt.duration(to: moment) / 10)
        return moment - .milliseconds(min(lead, tenth).wholeMilliseconds)
    }

    /// The time at which a line item is sent: a delay after it is settled, but no delay within 24 hours of its
    /// deadline.
    ///
    /// A time in the past means immediately (RR-72, OB-52).
    ///
    /// - Parameter moment: the deadline; nil for an item without one.
    static func sendMoment(
        ofItemSettledAt settledAt: Timestamp,
        due moment: Timestamp?,
        delay: Duration
    ) -> Timestamp {
        let rested = settledAt + delay
        guard let last = moment?.advanced(by: .days(-1)) else { return rested }
        return max(settledAt, min(rested, last))
    }

    /// The rule that sets the deadline and its confidence, as text for the operator (OB-2).
    package var reason: String {
        switch rule {
        case .horizon(let horizon):
            switch horizon.kind {
            case .expiration: return "the token expires then"
            case .unreported(let time):
                let days = time.wholeDays
                let span = time == .days(days) ? "\(days) days" : "\(time.wholeMilliseconds) ms"
                return "\(span) after the token was made at \(createdAt)"
            }
        case .month(let deadline):
            let month = deadline.month
            return "\(deadline.days) days after the end of \(month) (\(month.firstDay) to \(month.lastDay)), programme "
                + "\(deadline.programme) in force since \(deadline.effectiveFrom), \(deadline.confidence.words)"
        }
    }
}

/// The state of a deadline at a given time (OB-51).
package enum DeadlineState: Hashable, Sendable {
    /// A token without sales that only visits named; it is never late (TK-74).
    case unconfirmed
    /// No warning threshold is reached.
    case open
    /// The warning threshold of that many days before the deadline is reached, the next one is not.
    case warned(days: Int)
    /// The deadline has passed; the report is still sent (OB-53).
    case overdue
}

extension ReportingProgramme.Confidence {
    /// The confidence as text, with the advice of OB-2.
    var words: String {
        let date = (asOf.map { " as of \($0)" } ?? "") + (note.map { " (\($0))" } ?? "")
        return switch level {
        case .apple: "stated by Apple\(date)"
        case .overlay: "stated in the overlay file\(date)"
        case .secondHand: "second-hand\(date): look at Apple's page before relying on it"
        case .assumed: "assumed\(date): look at Apple's page before relying on it"
        }
    }

    /// Returns the lower of two confidences.
    static func lower(_ left: Self?, _ right: Self?) -> Self {
        let order: [ReportingProgramme.ConfidenceLevel] = [.assumed, .secondHand, .overlay, .apple]
        func rank(_ confidence: Self?) -> Int { confidence.flatMap { order.firstIndex(of: $0.level) } ?? 0 }
        return (rank(left) <= rank(right) ? left : right) ?? Self(level: .assumed)
    }
}
