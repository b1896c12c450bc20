import ExternalPurchaseCore

extension LedgerTransaction {
    /// Puts something on the list of what waits for a person; one of that kind and subject that is open already stays
    /// as it is.
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
    /// - Throws: ``LedgerError/conflict(_:)`` when there is no open item of that sequence.
    package func resolve(_ sequence: Int64, _ resolution: ReviewResolution) throws(LedgerError) {
        try perform(.resolveReview(sequence: sequence, resolution))
    }
}
