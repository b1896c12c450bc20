package import ExternalPurchaseCore

/// One thing to report, with its due date and what sets it (OB-51, OB-52).
package struct DeadlineEntry: Hashable, Sendable {
    package let subject: DeadlineSubject
    /// Nil where no rule gives one (OB-13).
    package let due: Deadline?
    package let selection: ProgrammeSelection

    /// An entry of what the rules say of a subject.
    package init(subject: DeadlineSubject, due: Deadline?, selection: ProgrammeSelection) {
        self.subject = subject
        self.due = due
        self.selection = selection
    }

    /// What makes it due and under which programme, in plain words.
    package var reason: String {
        (due.map { "due \($0.moment): \($0.reason)" } ?? "no deadline") + "; programme: \(selection.reason)"
    }

    /// Its state; nil without a due date.
    package func state(_ classifier: DeadlineClassifier) -> DeadlineState? {
        subject.isUnconfirmed ? .unconfirmed : (due?.moment).map(classifier.state)
    }

    /// When it is sent by itself (RR-72, OB-52); nil while it is held, not settled or without a due date.
    package func sendMoment(_ settings: DeadlineSettings) -> Timestamp? {
        guard subject.heldFor == nil else { return nil }
        switch subject {
        case .token(let token): return token.answerAt ?? due?.sendMomentOfTokenReport(lead: settings.sendLead)
        case .lineItem(let item):
            guard item.token != nil, let settledAt = item.settledAt else { return nil }
            return Deadline.sendMoment(ofItemSettledAt: settledAt, due: due?.moment, delay: settings.sendDelay)
        }
    }
}

/// How many entries are in each state (OB-51).
package struct DeadlineCounts: Hashable, Sendable {
    package var open = 0
    /// By the distance of the warning that is reached, in days.
    package var warned: [Int: Int] = [:]
    package var overdue = 0
    package var withoutDueDate = 0
    /// Tokens that only visits named and nothing is sold with, which are never late (TK-74).
    package var unconfirmed = 0
    /// Entries that need a person, each also counted above.
    package var held = 0

    package init() {}

    /// All entries.
    package var total: Int { open + warned.values.reduce(0, +) + overdue + withoutDueDate + unconfirmed }

    /// Counts entries of one state; nil is without a due date.
    package mutating func add(_ count: Int, _ state: DeadlineState?, needsReview: Bool) {
        switch state {
        case .unconfirmed: unconfirmed += count
        case .open: open += count
        case .warned(let days): warned[days, default: 0] += count
        case .overdue: overdue += count
        case nil: withoutDueDate += count
        }
        if needsReview { held += count }
    }
}
