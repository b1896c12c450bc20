package import ExternalPurchaseCore

/// The first entries of a due list and the counts of all of it, in memory that grows with the first ones only (OB-51).
///
/// The entries come in any order, one at a time; what a ``DueList`` of all of them begins with comes out.
package struct DueSurvey: Sendable {
    package let rules: DueRules
    /// Of everything that the scan visited.
    package private(set) var counts = DueList.Counts()
    /// How many entries meet the bound, whatever the limit.
    package private(set) var matching = 0
    /// True when more entries follow the ones that are kept.
    package var isCut: Bool { behind > limit }

    private let now: Timestamp
    private let limit: Int
    private let after: DuePlace?
    private let bound: Timestamp?
    private let isIncluded: (@Sendable (DueSubject, Timestamp?) -> Bool)?
    private var moments: DueMoments
    private var kept: [Kept] = []
    /// From here on nothing can be among the first any more.
    private var bar: DuePlace?
    /// How many entries stand behind ``after``.
    private var behind = 0

    private struct Kept {
        let place: DuePlace
        let subject: DueSubject
    }

    /// An empty survey.
    ///
    /// - Parameters:
    ///   - rules: the due dates.
    ///   - now: the clock, for the counts.
    ///   - limit: how many entries are kept.
    ///   - after: the place of the last entry of the page before; nil begins at the first.
    ///   - bound: keeps only what is late when nothing is sent until then; nil keeps all.
    ///   - isIncluded: what the scan visits, with its due moment; nil visits all.
    package init(
        rules: DueRules,
        at now: Timestamp,
        limit: Int,
        after: DuePlace? = nil,
        lateBy bound: Timestamp? = nil,
        where isIncluded: (@Sendable (DueSubject, Timestamp?) -> Bool)? = nil
    ) {
        self.rules = rules
        self.now = now
        self.limit = max(0, limit)
        self.after = after
        self.bound = bound
        self.isIncluded = isIncluded
        moments = DueMoments(rules: rules)
    }

    /// Looks at a token; one that is reported is passed over.
    ///
    /// - Parameter sequence: its place in the order of arrival.
    package mutating func look(at token: DueToken, sequence: Int64) {
        guard !token.isReported else { return }
        let place = DuePlace(
            isHeld: token.needsReview,
            moment: moments.moment(of: token),
            createdAt: token.createdAt,
            isLineItem: false,
            sequence: sequence
        )
        look(at: .token(token), place)
    }

    /// Looks at a line item; one that is reported is passed over.
    ///
    /// - Parameter sequence: its place in the order of arrival.
    package mutating func look(at item: DueLineItem, sequence: Int64) {
        guard !item.isReported else { return }
        let place = DuePlace(
            isHeld: item.needsReview,
            moment: moments.moment(of: item),
            createdAt: item.createdAt,
            isLineItem: true,
            sequence: sequence
        )
        look(at: .lineItem(item), place)
    }

    /// The entries that are kept, in the order in which they need attention.
    package var entries: [(place: DuePlace, entry: DueList.Entry)] {
        kept.sorted { $0.place < $1.place }.prefix(limit).map { kept in
            let entry =
                switch kept.subject {
                case .token(let token):
                    DueList.Entry(
                        subject: kept.subject,
                        due: rules.dueDate(of: token),
                        selection: rules.selection(of: token)
                    )
                case .lineItem(let item):
                    DueList.Entry(
                        subject: kept.subject,
                        due: rules.dueDate(of: item),
                        selection: rules.selection(of: item)
                    )
                }
            return (kept.place, entry)
        }
    }

    private mutating func look(at subject: DueSubject, _ place: DuePlace) {
        if let isIncluded, !isIncluded(subject, place.moment) { return }
        counts.add(place.moment?.milliseconds, isUnconfirmed: subject.isUnconfirmed, rules.settings, at: now)
        if place.isHeld { counts.held += 1 }
        if let bound {
            guard let moment = place.moment, moment < bound, !subject.isUnconfirmed else { return }
        }
        matching += 1
        if let after, place <= after { return }
        behind += 1
        if let bar, place >= bar { return }
        kept.append(Kept(place: place, subject: subject))
        // Sorted once in as many steps as entries are kept, so that a step costs the logarithm of their number.
        guard kept.count >= 2 * limit + 64 else { return }
        kept.sort { $0.place < $1.place }
        kept.removeSubrange(limit...)
        bar = kept.last?.place ?? DuePlace.first
    }
}

/// Where an entry stands in a due list: held ones first, by due date, creation and arrival, tokens before line items.
///
/// It stays the same while the rules and the entry do, whatever else is reported meanwhile.
package struct DuePlace: Hashable, Sendable, Comparable {
    package let isHeld: Bool
    /// Nil for none, which is last.
    package let moment: Timestamp?
    package let createdAt: Timestamp
    package let isLineItem: Bool
    /// The place in the order of arrival, from 1.
    package let sequence: Int64

    package init(isHeld: Bool, moment: Timestamp?, createdAt: Timestamp, isLineItem: Bool, sequence: Int64) {
        self.isHeld = isHeld
        self.moment = moment
        self.createdAt = createdAt
        self.isLineItem = isLineItem
        self.sequence = sequence
    }

    /// Before every entry.
    static let first = DuePlace(
        isHeld: true,
        moment: Timestamp(milliseconds: .min),
        createdAt: Timestamp(milliseconds: .min),
        isLineItem: false,
        sequence: 0
    )

    package static func < (left: Self, right: Self) -> Bool {
        if left.isHeld != right.isHeld { return left.isHeld }
        let (leftMoment, rightMoment) = (left.moment?.milliseconds ?? .max, right.moment?.milliseconds ?? .max)
        if leftMoment != rightMoment { return leftMoment < rightMoment }
        if left.createdAt != right.createdAt { return left.createdAt < right.createdAt }
        if left.isLineItem != right.isLineItem { return right.isLineItem }
        return left.sequence < right.sequence
    }

    /// The place as the cursor of a page.
    package var text: String {
        let moment = moment.map { String($0.milliseconds) } ?? "none"
        let (part, kind) = (isHeld ? "held" : "due", isLineItem ? "item" : "token")
        return "\(part).\(moment).\(createdAt.milliseconds).\(kind).\(sequence)"
    }

    /// Reads what ``text`` wrote; nil for any other text.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, ["held", "due"].contains(parts[0]), ["item", "token"].contains(parts[3]),
            let createdAt = Int64(parts[2]), let sequence = Int64(parts[4])
        else { return nil }
        var moment: Timestamp?
        if parts[1] != "none" {
            guard let milliseconds = Int64(parts[1]) else { return nil }
            moment = Timestamp(milliseconds: milliseconds)
        }
        self.init(
            isHeld: parts[0] == "held",
            moment: moment,
            createdAt: Timestamp(milliseconds: createdAt),
            isLineItem: parts[3] == "item",
            sequence: sequence
        )
    }
}
