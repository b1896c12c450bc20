import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func reviewItems(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try query(.reviewItems, filter, page).decoded(ReviewRow.record)
    }

    func openReviewItems(_ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try query(Query.openReview, [page.after, page.bound]).decoded(ReviewRow.record)
    }

    func openReviewItems(
        of kind: ReviewKind,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ReviewItem] {
        try query(Query.openReviewOfKind, [bundleId.rawValue, kind.rawValue]).decoded(ReviewRow.record)
    }

    func reviewItems(
        about subject: ReviewSubject,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ReviewItem] {
        try query(Query.reviewAbout, [bundleId.rawValue, subject.columns.kind, subject.columns.id])
            .decoded(ReviewRow.record)
    }

    func insertRow(of item: ReviewItem) throws(LedgerError) -> Int64 { try insert(item, into: ReviewRow.table) }

    func resolveRow(_ sequence: Int64, _ resolution: ReviewResolution) throws(LedgerError) -> Int64 {
        try change(ReviewRow.resolution, to: resolution, at: sequence, otherwise: "no such open item")
    }
}
