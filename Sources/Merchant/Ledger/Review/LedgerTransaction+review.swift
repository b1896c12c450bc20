import ExternalPurchaseCore

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
