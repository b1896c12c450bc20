package import ExternalPurchaseCore
package import Ledger

/// Says whether a person must act before a sale or a token is reported (OB-52).
///
/// Due list, review items, alerts, metrics and lists all go by this one type, so that they count the same rows.
package struct HoldClassifier: Hashable, Sendable {
    /// How long a sale may wait for a token or for its purchase before a person must look at it, in ms.
    package let tokenWait: Int64

    /// Where something stands that is not reported.
    package enum Standing: Hashable, Sendable {
        /// The server sends it by itself.
        case scheduled
        /// It waits for a moment, a token or another sale; the reason.
        case waiting(String)
        /// A person must act; the reason.
        case needsReview(String)
        /// A person closed the matter, or its duty ended: it is due nowhere.
        case closed

        /// Why it is not sent by itself; nil when it is, and when the matter is closed.
        package var reason: String? {
            switch self {
            case .waiting(let reason), .needsReview(let reason): reason
            case .scheduled, .closed: nil
            }
        }

        package var needsReview: Bool {
            if case .needsReview = self { true } else { false }
        }
    }

    package init(tokenWait: Int64 = Timestamp.day) {
        self.tokenWait = tokenWait
    }

    /// Flags that inform only: they do not hold a sale.
    private static let information: Set<SaleFlag> = [
        .customerContradiction, .checkoutContradiction, .withdrawnCurrency, .sentApart, .noLineItem, .imported,
        .newSubscription,
    ]
    /// Flags of a sale that waits for a moment or for another sale, which has a review item of its own.
    private static let waiting: Set<SaleFlag> = [
        .inFuture, .waitsForStart, .waitsForCorrection, .buyHeld, .startHeld, SaleFlag(rawValue: "order-held"),
    ]
    /// Flags of a sale that waits for something to arrive, but not for ever.
    private static let waitingForArrival: Set<SaleFlag> = [.noToken, .noActiveToken, SaleFlag(rawValue: "buy-unknown")]

    /// Where a sale stands that Apple has not accepted and that is in no manual export.
    ///
    /// - Parameters:
    ///   - reportState: the state of the report that holds the sale; nil when none does.
    ///   - now: the clock, for sales that wait for something to arrive.
    package func standing(
        of state: SaleState,
        flags: Set<SaleFlag>,
        reportState: ReportState?,
        receivedAt: Timestamp,
        now: Timestamp
    ) -> Standing {
        if reportState == .needsAttention { return .needsReview("its report was refused") }
        guard state == .held else { return .scheduled }
        if flags.contains(.reviewClosed) { return .closed }
        let reason = flags.map(\.rawValue).sorted().joined(separator: ", ")
        let causes = flags.subtracting(Self.information)
        let arrivals = causes.intersection(Self.waitingForArrival)
        if causes.isSubset(of: Self.waiting.union(Self.waitingForArrival)), !causes.isEmpty {
            let isOverdue = now >= receivedAt.advanced(byMilliseconds: tokenWait)
            return !arrivals.isEmpty && isOverdue ? .needsReview(reason) : .waiting(reason)
        }
        return .needsReview(reason)
    }

    /// True for a sale that waits for its token or its purchase to arrive.
    func waitsForArrival(_ flags: Set<SaleFlag>) -> Bool { !flags.isDisjoint(with: Self.waitingForArrival) }

    /// From when a person must look at a sale that waits for something to arrive; nil for one that does not.
    func reviewMoment(of open: OpenSale, _ standing: Standing) -> Timestamp? {
        guard case .waiting = standing, waitsForArrival(open.flags) else { return nil }
        return open.receivedAt.advanced(byMilliseconds: tokenWait)
    }

    /// Where a sale stands that is not reported.
    ///
    /// - Parameter refusedKeys: the apps whose key Apple refuses (SA-73).
    func standing(of open: OpenSale, refusedKeys: Set<BundleId>, now: Timestamp) -> Standing {
        let standing = standing(
            of: open.state,
            flags: open.flags,
            reportState: open.reportState,
            receivedAt: open.receivedAt,
            now: now
        )
        return blocked(standing, open.bundleId, refusedKeys)
    }

    /// Where a sale stands; reported ones and those in a manual export are closed.
    func standing(of sale: StoredSale, refusedKeys: Set<BundleId> = [], now: Timestamp) -> Standing {
        guard [.planned, .held, .inReport].contains(sale.standing) else { return .closed }
        let standing = standing(
            of: sale.attribution.state,
            flags: sale.attribution.flags,
            reportState: sale.reportState,
            receivedAt: sale.receivedAt,
            now: now
        )
        return blocked(standing, sale.sale.bundleId, refusedKeys)
    }

    private func blocked(_ standing: Standing, _ bundleId: BundleId, _ refusedKeys: Set<BundleId>) -> Standing {
        standing == .scheduled && refusedKeys.contains(bundleId) ? .needsReview(Self.refusedKey) : standing
    }

    /// Where a token stands that is not reported.
    ///
    /// - Parameter refusedKeys: the apps whose key Apple refuses (SA-73).
    func standing(of open: OpenToken, refusedKeys: Set<BundleId> = []) -> Standing {
        // Apple's refusal ends the duty of a token that it does not know (TK-74); its sales are held each.
        if open.state == .unknownToApple { return .closed }
        if !open.flags.isEmpty, open.flags.contains(.reportRefused) { return .closed }
        if open.hasRefusedReport { return .needsReview("its report was refused") }
        if !open.flags.isEmpty, open.flags.contains(.noBaseURL) {
            return .waiting("the app has no base URL for the token's environment")
        }
        // What may be forged asks nothing of a person (TK-74).
        if open.isUnconfirmedVisit { return .scheduled }
        return refusedKeys.contains(open.bundleId) ? .needsReview(Self.refusedKey) : .scheduled
    }

    private static let refusedKey = "Apple refuses the key of the app: nothing of it is sent"
}
