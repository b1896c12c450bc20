package import ExternalPurchaseCore
import Ledger

/// A token or line item to report, with its deadline and programmes (OB-51, OB-52).
package struct DeadlineEntry: Hashable, Sendable {
    package let subject: DeadlineSubject
    /// Nil where no rule sets a deadline (OB-13).
    package let due: Deadline?
    package let selection: ProgrammeSelection

    /// The cause of the deadline and the programme, as text for the operator.
    var reason: String {
        (due.map { "due \($0.moment): \($0.reason)" } ?? "no deadline") + "; programme: \(selection.reason)"
    }

    /// The state of the entry; nil without a deadline.
    package func state(_ classifier: DeadlineClassifier) -> DeadlineState? {
        subject.isUnconfirmed ? .unconfirmed : (due?.moment).map(classifier.state)
    }

    /// The time of automatic sending (RR-72, OB-52); nil while the subject is held or without a token.
    package func sendMoment(_ settings: DeadlineSettings) -> Timestamp? {
        guard subject.heldFor == nil else { return nil }
        switch subject.row {
        case .token: return subject.answerAt ?? due?.sendMomentOfTokenReport(lead: settings.sendLead)
        case .sale(let sale):
            guard sale.token != nil else { return nil }
            return Deadline.sendMoment(ofItemSettledAt: sale.receivedAt, due: due?.moment, delay: settings.sendDelay)
        }
    }
}

/// The number of entries in each state (OB-51).
package struct DeadlineCounts: Hashable, Sendable {
    package var open = 0
    /// Counts by the reached warning threshold, in days.
    package var warned: [Int: Int] = [:]
    package var overdue = 0
    package var withoutDueDate = 0
    /// Tokens without sales that only visits named; they are never late (TK-74).
    package var unconfirmed = 0
    /// Entries that need a person; each is also counted by its state.
    package var held = 0
    /// Those of ``overdue`` that need a person.
    package var overdueHeld = 0

    init() {}

    /// The number of all entries.
    package var total: Int { open + warned.values.reduce(0, +) + overdue + withoutDueDate + unconfirmed }

    func adding(_ other: DeadlineCounts) -> DeadlineCounts {
        var sum = self
        sum.open += other.open
        sum.warned.merge(other.warned, uniquingKeysWith: +)
        sum.overdue += other.overdue
        sum.withoutDueDate += other.withoutDueDate
        sum.unconfirmed += other.unconfirmed
        sum.held += other.held
        sum.overdueHeld += other.overdueHeld
        return sum
    }

    /// Adds entries of one state; nil means without a deadline.
    mutating func add(_ count: Int, _ state: DeadlineState?, needsReview: Bool) {
        switch state {
        case .unconfirmed: unconfirmed += count
        case .open: open += count
        case .warned(let days): warned[days, default: 0] += count
        case .overdue: overdue += count
        case nil: withoutDueDate += count
        }
        if needsReview { held += count }
        if needsReview, state == .overdue { overdueHeld += count }
    }
}
