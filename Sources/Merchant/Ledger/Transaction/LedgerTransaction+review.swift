package import ExternalPurchaseCore

extension LedgerQueries {
    package func reviewItems(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try query(.reviewItems, filter, page).decoded(ReviewRow.record)
    }

    package func openReviewItems(_ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try query(Query.openReview, [page.after, page.bound]).decoded(ReviewRow.record)
    }

    /// Open items of one kind and app, in order of arrival.
    package func openReviewItems(
        of kind: ReviewKind,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ReviewItem] {
        try query(Query.openReviewOfKind, [bundleId.rawValue, kind.rawValue]).decoded(ReviewRow.record)
    }

    /// Open and resolved items about one subject.
    package func reviewItems(
        about subject: ReviewSubject,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ReviewItem] {
        try query(.reviewItems(about: subject, app: bundleId)).decoded(ReviewRow.record)
    }
}

extension LedgerTransaction {
    func insertRow(of item: ReviewItem) throws(LedgerError) -> Int64 { try insert(item, into: ReviewRow.table) }

    func resolveRow(_ sequence: Int64, _ resolution: ReviewResolution) throws(LedgerError) -> Int64 {
        try change(ReviewRow.resolution, to: resolution, at: sequence, otherwise: "no such open item")
    }
}

extension LedgerTransaction {
    /// Opens a review item; an open item of the same kind and subject is left unchanged.
    ///
    /// - Returns: the open item.
    package func open(_ item: ReviewItem) throws(LedgerError) -> ReviewItem {
        let known = try reviewItems(about: item.subject, app: item.bundleId)
        if let open = known.first(where: { $0.kind == item.kind && $0.resolution == nil }) { return open }
        var item = item
        item.resolution = nil
        item.sequence = try perform(.openReview(item))
        return item
    }

    /// Closes an open review item and records the person and the time.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when there is no open item of that sequence number.
    package func resolve(_ sequence: Int64, _ resolution: ReviewResolution) throws(LedgerError) {
        try perform(.resolveReview(sequence: sequence, resolution))
    }
}
