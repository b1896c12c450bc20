package import ExternalPurchaseCore

/// The result of one scan of unreported tokens and sales: counts by state, and what has passed a warning step (OB-51).
///
/// The entries come in any order, one at a time; memory grows with the kinds of places only.
package struct DueLook: Sendable {
    /// Where an entry stands, for figures by app and environment.
    package struct Place: Hashable, Sendable {
        package let bundleId: BundleId
        /// Nil for a sale without a token.
        package let environment: AppStoreEnvironment?
        package let isToken: Bool
        /// Nil without a due date.
        package let state: DueState?
        /// True when a person must act first.
        package let isHeld: Bool

        package init(
            bundleId: BundleId,
            environment: AppStoreEnvironment?,
            isToken: Bool,
            state: DueState?,
            isHeld: Bool
        ) {
            self.bundleId = bundleId
            self.environment = environment
            self.isToken = isToken
            self.state = state
            self.isHeld = isHeld
        }
    }

    /// An entry past a step.
    package struct Passed: Hashable, Sendable {
        package let subject: DueSubject
        /// The most urgent step that lies behind; never `open` or `unconfirmed`.
        package let step: DueState
        package let passedAt: Timestamp
    }

    /// The clock of the look.
    package let now: Timestamp
    package private(set) var places: [Place: Int] = [:]
    /// The distances of `due.warn`, most first, in days and in ms.
    private let warnings: [(days: Int, distance: Int64)]

    /// A look that has seen nothing yet.
    package init(settings: DueSettings, now: Timestamp) {
        self.now = now
        warnings = settings.warnDays.map { ($0, Int64($0) * Timestamp.day) }
    }

    /// Looks at an entry that is not reported.
    ///
    /// - Parameter due: the last moment in time; nil without any.
    /// - Returns: the step that it is past; nil when it is past none.
    package mutating func look(at subject: DueSubject, due: Timestamp?) -> Passed? {
        let (state, passedAt) = subject.isUnconfirmed ? (.unconfirmed, nil) : standing(due)
        let place = Place(
            bundleId: subject.bundleId,
            environment: subject.environment,
            isToken: subject.isToken,
            state: state,
            isHeld: subject.needsReview
        )
        places[place, default: 0] += 1
        guard let state, let passedAt else { return nil }
        return Passed(subject: subject, step: state, passedAt: passedAt)
    }

    private func standing(_ due: Timestamp?) -> (state: DueState?, passedAt: Timestamp?) {
        guard let due else { return (nil, nil) }
        // The first moment of being late is the one after the due date.
        if now > due { return (.overdue, due.advanced(byMilliseconds: 1)) }
        let reached = warnings.last { due.advanced(byMilliseconds: -$0.distance) <= now }
        guard let reached else { return (.open, nil) }
        return (.warned(days: reached.days), due.advanced(byMilliseconds: -reached.distance))
    }
}

extension DueSubject {
    package var isToken: Bool {
        guard case .token = self else { return false }
        return true
    }

    package var bundleId: BundleId {
        switch self {
        case .token(let token): token.bundleId
        case .lineItem(let item): item.bundleId
        }
    }

    /// Nil for a sale without a token.
    package var environment: AppStoreEnvironment? {
        switch self {
        case .token(let token): token.id.environment
        case .lineItem(let item): item.token?.environment
        }
    }

    /// The subject with its due date and programme.
    package func entry(by rules: DueRules) -> DueList.Entry {
        switch self {
        case .token(let token):
            DueList.Entry(subject: self, due: rules.dueDate(of: token), selection: rules.selection(of: token))
        case .lineItem(let item):
            DueList.Entry(subject: self, due: rules.dueDate(of: item), selection: rules.selection(of: item))
        }
    }
}
