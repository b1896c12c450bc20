import ExternalPurchaseCore
package import Ledger

/// A token whose first report has a deadline, or a sale, with what it waits for.
package struct DeadlineSubject: Hashable, Sendable {
    package let row: OpenRow
    let readiness: HoldClassifier.Readiness
    /// The time of a token's first report without sales; nil for a sale, and where the deadline rules alone determine it
    /// (NT-65).
    var answerAt: Timestamp?

    /// The reason why it is not sent automatically; nil when it is.
    package var heldFor: String? { readiness.reason }

    /// True when a person must act before it can be reported (RR-45, RR-47, errors); false if it only waits.
    package var needsReview: Bool { readiness.needsReview }

    /// True for a token in the state ``DeadlineState/unconfirmed``.
    ///
    /// It is reported by its deadline but never counts as late, because a forged token looks the same (TK-74).
    package var isUnconfirmed: Bool {
        guard case .token(let token) = row else { return false }
        return token.isUnconfirmedVisit
    }

    var isToken: Bool {
        guard case .token = row else { return false }
        return true
    }

    var bundleId: BundleId {
        switch row {
        case .token(let token): token.bundleId
        case .sale(let sale): sale.bundleId
        }
    }

    /// The environment in which the token or sale counts.
    var environment: AppStoreEnvironment {
        switch row {
        case .token(let token): token.externalPurchaseId.environment
        case .sale(let sale): sale.environment
        }
    }

    /// Returns the subject with its deadline and programmes.
    func entry(by rules: DeadlineRules) -> DeadlineEntry {
        DeadlineEntry(subject: self, due: rules.deadline(of: row), selection: rules.selection(of: row))
    }
}
