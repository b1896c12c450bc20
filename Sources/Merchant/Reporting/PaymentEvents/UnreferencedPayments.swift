import ExternalPurchaseCore
import Ledger

/// The payments of which nothing says that they belong to an external purchase, beside the others.
///
/// A landing page that loses its parameter makes every payment one of them, and nothing is reported any more.
package enum UnreferencedPayments {
    /// The time whose share is compared with that of ``before``.
    static let recent = Duration.days(1)
    /// The time before the recent one; also what the overview and the metrics show.
    package static let before = Duration.days(30)
    /// The least number of recent payments of which a share says something.
    static let least = 10
    /// By how much the share must be larger than before.
    static let jump = 0.3

    private struct Share {
        var unreferenced = 0
        var all = 0
        var value: Double { all == 0 ? 0 : Double(unreferenced) / Double(all) }

        init(_ figures: [PaymentFigure], of bundleId: BundleId) {
            for figure in figures where figure.bundleId == bundleId && figure.isLive {
                all += figure.count
                if figure.reference == .unreferenced { unreferenced += figure.count }
            }
        }
    }

    /// Opens the review items of apps whose share has jumped, and resolves those whose share is as before.
    static func review(
        of apps: Set<BundleId>,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let start = now - recent
        let (latest, earlier) = try (
            ledger.paymentFigures(after: start, through: now),
            ledger.paymentFigures(after: start - before, through: start)
        )
        for app in apps.sorted() {
            let (share, usual) = (Share(latest, of: app), Share(earlier, of: app))
            let open = try ledger.openReviewItems(of: .paymentsUnreferenced, app: app).first
            if share.all >= least, share.value >= usual.value + jump {
                guard open == nil else { continue }
                _ = try ledger.open(
                    ReviewItem(
                        bundleId: app,
                        kind: .paymentsUnreferenced,
                        subject: .app,
                        detail:
                            "\(share.unreferenced) of \(share.all) payments of the last day name no external purchase; "
                            + "in the 30 days before, \(usual.unreferenced) of \(usual.all): the checkout page may have "
                            + "lost the parameter checkout",
                        openedAt: now
                    )
                )
            } else if let open, share.all >= least {
                try ledger.resolve(
                    open.sequence,
                    ReviewResolution(
                        resolvedAt: now,
                        by: "system",
                        note: "\(share.unreferenced) of \(share.all) payments of the last day name none"
                    )
                )
            }
        }
    }
}
