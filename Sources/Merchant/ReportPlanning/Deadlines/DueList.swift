package import ExternalPurchaseCore

/// What has not been reported yet, in the order in which it needs attention (OB-51, OB-52).
///
/// Entries that need a person come first, then what is sent by itself or waits; each part is in the order of its due dates, ties by creation and
/// then as given; entries without a due date are last in their part. The list does not depend on the clock. It is made
/// in near-linear time, and an entry is built when it is read.
package struct DueList: Sendable {
    /// One thing to report.
    package struct Entry: Hashable, Sendable {
        package let subject: DueSubject
        /// Nil where neither rule gives one (OB-13).
        package let due: DueDate?
        package let selection: ProgrammeSelection

        /// An entry of what the rules say of a subject.
        package init(subject: DueSubject, due: DueDate?, selection: ProgrammeSelection) {
            self.subject = subject
            self.due = due
            self.selection = selection
        }

        /// What makes it due and under which programme, in plain words.
        package var reason: String {
            (due.map { "due \($0.moment): \($0.reason)" } ?? "no deadline") + "; programme: \(selection.reason)"
        }

        /// Where it stands; nil without a due date.
        ///
        /// - Parameters:
        ///   - now: the clock.
        ///   - warnDays: the distances of `due.warn`.
        package func state(at now: Timestamp, warnDays: [Int]) -> DueState? {
            subject.isUnconfirmed ? .unconfirmed : due?.state(at: now, warnDays: warnDays)
        }

        /// When it is sent by itself (RR-72, OB-52); nil while it is held, not settled or without a due date.
        package func sendMoment(_ settings: DueSettings) -> Timestamp? {
            guard subject.heldFor == nil else { return nil }
            switch subject {
            case .token: return due?.sendMomentOfTokenReport(lead: settings.sendLead)
            case .lineItem(let item):
                guard item.token != nil, let settledAt = item.settledAt else { return nil }
                return DueDate.sendMoment(ofItemSettledAt: settledAt, due: due?.moment, delay: settings.sendDelay)
            }
        }
    }

    /// How many entries stand where (OB-51), for a metric.
    package struct Counts: Hashable, Sendable {
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

        /// Everything, however it stands.
        package var total: Int { open + warned.values.reduce(0, +) + overdue + withoutDueDate + unconfirmed }

        /// Counts an entry by its due date in ms, nil for none.
        mutating func add(_ moment: Int64?, isUnconfirmed: Bool, _ settings: DueSettings, at now: Timestamp) {
            if isUnconfirmed { return unconfirmed += 1 }
            guard let moment else { return withoutDueDate += 1 }
            if now.milliseconds > moment { return overdue += 1 }
            let warning = settings.warnDays.last { days in
                DueList.moment(moment, before: Int64(days) * Timestamp.day) <= now.milliseconds
            }
            if let warning { warned[warning, default: 0] += 1 } else { open += 1 }
        }
    }

    private struct Row {
        /// `Int64.max` for none.
        let moment: Int64
        let createdAt: Int64
        /// The place among the tokens, behind them among the items.
        let input: Int32
    }

    package let rules: DueRules
    /// How many of those given were reported already.
    package let reportedCount: Int
    private let tokens: [DueToken]
    private let items: [DueLineItem]
    private let rows: [Row]
    private let heldCount: Int

    /// The list of tokens and line items; those that are reported are left out.
    package init(tokens: [DueToken], items: [DueLineItem], rules: DueRules) {
        self.rules = rules
        self.tokens = tokens
        self.items = items
        var moments = DueMoments(rules: rules)
        var held: [Row] = []
        var others: [Row] = []
        for index in tokens.indices where !tokens[index].isReported {
            let token = tokens[index]
            let row = Row(
                moment: moments.moment(of: token).milliseconds,
                createdAt: token.createdAt.milliseconds,
                input: Int32(index)
            )
            if !token.needsReview { others.append(row) } else { held.append(row) }
        }
        for index in items.indices where !items[index].isReported {
            let item = items[index]
            let row = Row(
                moment: moments.moment(of: item)?.milliseconds ?? .max,
                createdAt: item.createdAt.milliseconds,
                input: Int32(tokens.count + index)
            )
            if !item.needsReview { others.append(row) } else { held.append(row) }
        }
        held.sort(by: Self.isOrdered)
        others.sort(by: Self.isOrdered)
        heldCount = held.count
        rows = held + others
        reportedCount = tokens.count + items.count - rows.count
    }

    /// The entries that need a person.
    package var held: Slice<DueList> { self[0..<heldCount] }

    /// What would be late if nothing more were sent until a moment: everything due before it that can be late, in the order of
    /// the list.
    package func late(by moment: Timestamp) -> some RandomAccessCollection<Entry> {
        var indices = Array(0..<firstIndex(notBefore: moment, in: 0..<heldCount))
        indices += heldCount..<firstIndex(notBefore: moment, in: heldCount..<rows.count)
        indices.removeAll { isUnconfirmed(rows[$0]) }
        return indices.lazy.map { self[$0] }
    }

    /// How many entries stand where.
    package func counts(at now: Timestamp) -> Counts {
        var counts = Counts()
        counts.held = heldCount
        for row in rows {
            counts.add(
                row.moment == .max ? nil : row.moment,
                isUnconfirmed: isUnconfirmed(row),
                rules.settings,
                at: now
            )
        }
        return counts
    }

    /// The steps that entries passed since the last look, the most urgent of each entry, in the order of the list.
    ///
    /// An entry that arrived after the last look has passed all steps that lie behind it.
    ///
    /// - Parameters:
    ///   - lastLook: the clock at the last look, nil for none: then everything counts that stands past a step.
    ///   - now: the clock.
    package func alerts(since lastLook: Timestamp?, until now: Timestamp) -> [Alert] {
        let steps: [(DueState, Int64)] = rules.settings.warnDays.map { (.warned(days: $0), Int64($0) * Timestamp.day) }
        let farthest = Self.moment(now.milliseconds, before: -(steps.first?.1 ?? 0))
        // The first moment of being late is the one after the due date.
        let allSteps = steps + [(.overdue, -1)]
        var result: [Alert] = []
        for index in rows.indices where rows[index].moment <= farthest && rows[index].moment != .max {
            if isUnconfirmed(rows[index]) { continue }
            let due = rows[index].moment
            let passed = allSteps.last { Self.moment(due, before: $0.1) <= now.milliseconds }
            guard let passed else { continue }
            let moment = Timestamp(milliseconds: Self.moment(due, before: passed.1))
            if let lastLook, moment <= lastLook, receivedAt(rows[index]) <= lastLook { continue }
            result.append(Alert(entry: self[index], step: passed.0, passedAt: moment))
        }
        return result
    }

    private func isUnconfirmed(_ row: Row) -> Bool {
        let input = Int(row.input)
        return input < tokens.count && tokens[input].isUnconfirmed
    }

    private func receivedAt(_ row: Row) -> Timestamp {
        let input = Int(row.input)
        return input < tokens.count ? tokens[input].receivedAt : items[input - tokens.count].receivedAt
    }

    private func firstIndex(notBefore moment: Timestamp, in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].moment < moment.milliseconds { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate static func moment(_ moment: Int64, before distance: Int64) -> Int64 {
        Timestamp(milliseconds: moment).advanced(byMilliseconds: -distance).milliseconds
    }

    private static func isOrdered(_ left: Row, _ right: Row) -> Bool {
        (left.moment, left.createdAt, left.input) < (right.moment, right.createdAt, right.input)
    }
}

extension DueList: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { rows.count }

    package subscript(position: Int) -> Entry {
        let input = Int(rows[position].input)
        if input < tokens.count {
            let token = tokens[input]
            return Entry(subject: .token(token), due: rules.dueDate(of: token), selection: rules.selection(of: token))
        }
        let item = items[input - tokens.count]
        return Entry(subject: .lineItem(item), due: rules.dueDate(of: item), selection: rules.selection(of: item))
    }
}

/// A step towards a due date that an entry passed: for a webhook, a log line or a metric.
package struct Alert: Hashable, Sendable {
    package let entry: DueList.Entry
    /// The warning reached, or overdue; never `open`.
    package let step: DueState
    /// When the step was passed.
    package let passedAt: Timestamp
}
