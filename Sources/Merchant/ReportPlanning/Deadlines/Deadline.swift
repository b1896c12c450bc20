package import ExternalPurchaseCore

/// When something has to be reported, and what makes it due (RR-70, OB-51).
package struct Deadline: Hashable, Sendable {
    /// Rule (a): the horizon of the token itself.
    package struct Horizon: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// That many ms after its creation.
            case unreported(milliseconds: Int64)
            /// Its expiration.
            case expiration
        }

        package let moment: Timestamp
        package let kind: Kind
    }

    /// Rule (b): the deadline of a month.
    package struct MonthDeadline: Hashable, Sendable {
        /// The last moment of the deadline's day (RR-71).
        package let moment: Timestamp
        /// The id of the programme.
        package let programme: String
        /// Since when the programme's terms are in force.
        package let effectiveFrom: String
        /// The month of the creation date.
        package let month: ReportingMonth
        /// Days after the end of the month.
        package let days: Int
        /// The lower of the confidences of calendar and days (OB-2).
        package let confidence: ReportingProgramme.Confidence
    }

    /// What makes it due.
    package enum Rule: Hashable, Sendable {
        /// (a)
        case horizon(Horizon)
        /// (b)
        case month(MonthDeadline)
    }

    /// When the token or line item was made.
    package let createdAt: Timestamp
    /// Rule (a), nil for line items.
    package let horizon: Horizon?
    /// Rule (b), nil without a programme or where it has no deadline (OB-13).
    package let month: MonthDeadline?
    /// The earlier of the two.
    package let rule: Rule

    /// A due date by at least one of the rules; nil without any.
    package init?(createdAt: Timestamp, horizon: Horizon?, month: MonthDeadline?) {
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

    /// Whole days of 24 hours that are left, rounded down: 0 on the last one, −1 and less when it is overdue.
    package func daysLeft(at now: Timestamp) -> Int {
        let left = moment.milliseconds.subtractingReportingOverflow(now.milliseconds)
        guard !left.overflow else { return moment < now ? .min : .max }
        let (days, rest) = left.partialValue.quotientAndRemainder(dividingBy: Timestamp.day)
        return Int(rest < 0 ? days - 1 : days)
    }

    /// When a report without items is sent: a tenth of the time from creation to due date before it, at most the lead.
    ///
    /// A moment that is past means at once (RR-72).
    package func sendMomentOfTokenReport(lead: Int64) -> Timestamp {
        Self.sendMoment(ofTokenMadeAt: createdAt, due: moment, lead: lead)
    }

    /// ``sendMomentOfTokenReport(lead:)`` of a token made and due at these moments.
    package static func sendMoment(
        ofTokenMadeAt createdAt: Timestamp,
        due moment: Timestamp,
        lead: Int64
    ) -> Timestamp {
        let span = moment.milliseconds.subtractingReportingOverflow(createdAt.milliseconds)
        let tenth = span.overflow ? lead : max(0, span.partialValue / 10)
        return moment.advanced(byMilliseconds: -min(lead, tenth))
    }

    /// When an item is sent: when it settles plus the delay, but from 24 hours before its due date on without delay.
    ///
    /// A moment that is past means at once (RR-72, OB-52).
    ///
    /// - Parameter moment: the due date; nil for an item without one.
    package static func sendMoment(
        ofItemSettledAt settledAt: Timestamp,
        due moment: Timestamp?,
        delay: Int64
    ) -> Timestamp {
        let rested = settledAt.advanced(byMilliseconds: delay)
        guard let last = moment?.advanced(byMilliseconds: -Timestamp.day) else { return rested }
        return max(settledAt, min(rested, last))
    }

    /// What makes it due, in plain words, with how sure it is (OB-2).
    package var reason: String {
        switch rule {
        case .horizon(let horizon):
            switch horizon.kind {
            case .expiration: return "the token expires then"
            case .unreported(let milliseconds):
                let days = milliseconds / Timestamp.day
                let span = milliseconds % Timestamp.day == 0 ? "\(days) days" : "\(milliseconds) ms"
                return "\(span) after the token was made at \(createdAt)"
            }
        case .month(let deadline):
            let month = deadline.month
            return "\(deadline.days) days after the end of \(month) (\(month.firstDay) to \(month.lastDay)), programme "
                + "\(deadline.programme) in force since \(deadline.effectiveFrom), \(deadline.confidence.words)"
        }
    }
}

/// Where a due date stands (OB-51).
package enum DeadlineState: Hashable, Sendable {
    /// A token that only visits named and nothing is sold with: it is never late (TK-74).
    case unconfirmed
    /// No warning is reached.
    case open
    /// This warning is reached, in days before the due date; the next one is not.
    case warned(days: Int)
    /// The due date is past; it is still sent (OB-53).
    case overdue
}

extension ReportingProgramme.Confidence {
    /// How sure a figure is, with the advice of OB-2.
    package var words: String {
        let date = (asOf.map { " as of \($0)" } ?? "") + (note.map { " (\($0))" } ?? "")
        return switch level {
        case .apple: "stated by Apple\(date)"
        case .overlay: "stated in the overlay file\(date)"
        case .secondHand: "second-hand\(date): look at Apple's page before relying on it"
        case .assumed: "assumed\(date): look at Apple's page before relying on it"
        }
    }

    /// The one that is less sure.
    static func lower(_ left: Self?, _ right: Self?) -> Self {
        let order: [ReportingProgramme.ConfidenceLevel] = [.assumed, .secondHand, .overlay, .apple]
        func rank(_ confidence: Self?) -> Int { confidence.flatMap { order.firstIndex(of: $0.level) } ?? 0 }
        return (rank(left) <= rank(right) ? left : right) ?? Self(level: .assumed)
    }
}
