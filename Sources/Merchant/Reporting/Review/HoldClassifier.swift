package import ExternalPurchaseCore
import Ledger

/// Decides whether a person must act before a sale or token is reported (OB-52).
///
/// Due list, review items, alerts, metrics and lists all use this type, so that they count the same rows.
package struct HoldClassifier: Hashable, Sendable {
    /// The time that a sale may wait for a token or its purchase before it needs review.
    let tokenWait: Duration
    /// The apps of the configuration, whose reports are sent; nil if they are not known.
    let apps: Set<BundleId>?

    /// The state of something that is not reported.
    package enum Readiness: Hashable, Sendable {
        /// The server reports it without further action.
        case scheduled
        /// It waits for a time, a token or another sale; contains the reason.
        case waiting(String)
        /// A person must act; contains the reason.
        case needsReview(String)
        /// It is not due: a person closed it, or its obligation ended.
        case closed

        /// The reason why it is not scheduled; nil if it is scheduled or closed.
        var reason: String? {
            switch self {
            case .waiting(let reason), .needsReview(let reason): reason
            case .scheduled, .closed: nil
            }
        }

        package var needsReview: Bool {
            if case .needsReview = self { true } else { false }
        }
    }

    package init(tokenWait: Duration = .days(1), apps: Set<BundleId>? = nil) {
        self.tokenWait = tokenWait
        self.apps = apps
    }

    /// Returns the apps of which nothing is sent before a person acts, each with the reason.
    func blockedApps(in ledger: LedgerQueries) throws(LedgerError) -> [BundleId: String] {
        var blocked: [BundleId: String] = [:]
        for app in try ledger.appsWithRefusedKey() { blocked[app] = Self.refusedKey }
        for app in try unknownApps(in: ledger) { blocked[app] = Self.unknownApp }
        return blocked
    }

    /// Returns the apps with open tokens or sales that the configuration lacks.
    func unknownApps(in ledger: LedgerQueries) throws(LedgerError) -> [BundleId] {
        guard let apps else { return [] }
        return try ledger.appsWithDeadlines().filter { !apps.contains($0) }
    }

    /// Says for each app that the configuration lacks what of it is not reported.
    ///
    /// Tokens that may be forged do not count, because nothing depends on them (TK-74).
    func unknownApps(in groups: [DeadlineGroup: Int]) -> [(app: BundleId, detail: String)] {
        guard let apps else { return [] }
        var open: [BundleId: (tokens: Int, sales: Int)] = [:]
        for (group, count) in groups where !apps.contains(group.bundleId) && !group.isUnconfirmed {
            if group.isLineItem {
                open[group.bundleId, default: (0, 0)].sales += count
            } else {
                open[group.bundleId, default: (0, 0)].tokens += count
            }
        }
        return open.sorted { $0.key < $1.key }.map { app, open in
            let counts = [(open.tokens, "token"), (open.sales, "sale")].filter { $0.0 > 0 }
                .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
            return (app, "the configuration lacks \(app), of which \(counts) are not reported: nothing of it is sent")
        }
    }

    /// Returns the readiness of a sale that Apple has not accepted and that is in no manual export.
    ///
    /// - Parameters:
    ///   - state: the state of the sale.
    ///   - causes: the causes of its hold.
    ///   - review: whether a person closed its review item.
    ///   - flags: what a person reads about the sale; the reason of the readiness.
    ///   - reportState: the state of the report that holds the sale; nil if none does.
    ///   - receivedAt: the time of the sale's arrival.
    ///   - now: the current time, which decides whether a sale has waited too long.
    func readiness(
        of state: SaleState,
        causes: Set<HoldCause>,
        review: SaleReview,
        flags: @autoclosure () -> Set<SaleFlag>,
        reportState: ReportState?,
        receivedAt: Timestamp,
        now: Timestamp
    ) -> Readiness {
        if reportState == .needsAttention { return .needsReview("its report was refused") }
        guard state == .held else { return .scheduled }
        if review == .closed { return .closed }
        let reason = flags().map(\.rawValue).sorted().joined(separator: ", ")
        guard !causes.isEmpty, !causes.contains(where: { $0.release == .person }) else { return .needsReview(reason) }
        let isOverdue = now >= receivedAt + tokenWait || receivedAt.isAhead(of: now)
        return waitsForArrival(causes) && isOverdue ? .needsReview(reason) : .waiting(reason)
    }

    /// Returns whether a sale that is held for these causes waits for its token or purchase to arrive.
    func waitsForArrival(_ causes: Set<HoldCause>) -> Bool { causes.contains { $0.release == .arrival } }

    /// Returns the time from which a sale that waits for an arrival needs review; nil for other sales.
    func reviewMoment(of open: OpenSale, _ readiness: Readiness) -> Timestamp? {
        guard case .waiting = readiness, waitsForArrival(open.holdCauses) else { return nil }
        return open.receivedAt + tokenWait
    }

    /// Returns the readiness of an unreported sale.
    ///
    /// - Parameters:
    ///   - open: the sale.
    ///   - blockedApps: the apps of which nothing is sent, each with the reason.
    ///   - now: the current time.
    func readiness(of open: OpenSale, blockedApps: [BundleId: String], now: Timestamp) -> Readiness {
        let readiness = readiness(
            of: open.state,
            causes: open.holdCauses,
            review: open.review,
            flags: open.flags,
            reportState: open.reportState,
            receivedAt: open.receivedAt,
            now: now
        )
        return blocked(readiness, open.bundleId, blockedApps)
    }

    /// Returns the readiness of a sale; reported sales and those in a manual export are closed.
    func readiness(of sale: StoredSale, blockedApps: [BundleId: String] = [:], now: Timestamp) -> Readiness {
        guard [.planned, .held, .inReport].contains(sale.standing) else { return .closed }
        let readiness = readiness(
            of: sale.attribution.state,
            causes: sale.attribution.holdCauses,
            review: sale.attribution.review,
            flags: sale.attribution.flags,
            reportState: sale.reportState,
            receivedAt: sale.receivedAt,
            now: now
        )
        return blocked(readiness, sale.sale.bundleId, blockedApps)
    }

    private func blocked(_ readiness: Readiness, _ bundleId: BundleId, _ apps: [BundleId: String]) -> Readiness {
        readiness == .scheduled ? apps[bundleId].map(Readiness.needsReview) ?? readiness : readiness
    }

    /// Returns the readiness of an unreported token.
    ///
    /// - Parameters:
    ///   - open: the token.
    ///   - blockedApps: the apps of which nothing is sent, each with the reason.
    func readiness(of open: OpenToken, blockedApps: [BundleId: String] = [:]) -> Readiness {
        // A token that Apple does not know no longer has to be reported (TK-74); its sales are held individually.
        if open.state == .unknownToApple { return .closed }
        if open.reporting == .onRequest { return .closed }
        if open.hasRefusedReport { return .needsReview("its report was refused") }
        if open.endpoint == .missing {
            return .waiting("the app has no base URL for the token's environment")
        }
        // A token that may be forged requires no action of a person (TK-74).
        if open.isUnconfirmedVisit { return .scheduled }
        return blocked(.scheduled, open.bundleId, blockedApps)
    }

    private static let refusedKey = "Apple refuses the key of the app: nothing of it is sent"
    private static let unknownApp = "the configuration lacks the app: nothing of it is sent"
}

extension HoldCause {
    /// What ends a hold.
    fileprivate enum Release: Hashable, Sendable {
        /// Time, or another sale that has its own review item.
        case time
        /// An arrival; the sale waits for it for a limited time.
        case arrival
        /// A person's action.
        case person
    }

    fileprivate var release: Release {
        switch self {
        case .inFuture, .waitsForStart, .waitsForCorrection, .buyHeld, .startHeld, .orderHeld: .time
        case .noToken, .noActiveToken, .buyUnknown, .importedRefund, .checkoutContradiction: .arrival
        case .noExchangeRate, .noTax, .noTaxCountry, .wrongReference, .refundCurrencyDiffers, .refundTooPrecise,
            .refundTaxDiffers, .reversalBeforeChargeback, .laterStartReported, .environmentContradiction, .buyVoided,
            .refundAboveBuy, .refundBeforeBuy, .tooLateToReport, .tokenUnknownToApple, .tokenNotReportable,
            .notConvertible, .reportRefused, .reportedAlready, .importedSubscription, .buyRetracted, .referenceClosed:
            .person
        }
    }
}
