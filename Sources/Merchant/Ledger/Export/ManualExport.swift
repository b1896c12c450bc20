package import ExternalPurchaseCore

/// The name of a manual export, per app.
package struct ManualExportId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The sales of a programme and month that go to Apple by hand (OB-61).
package struct ManualExport: Hashable, Sendable {
    /// The place in the order of making, from 1; 0 before it is stored.
    package var sequence: Int64
    package let exportId: ManualExportId
    package let bundleId: BundleId
    /// The programme's id.
    package let programme: String
    /// The month's name as the programme's calendar gives it.
    package let month: String
    package let madeAt: Timestamp
    package var handedIn: ManualSubmission?
    /// Set when it was taken back.
    package var withdrawal: ExportWithdrawal?

    package init(
        sequence: Int64 = 0,
        exportId: ManualExportId,
        bundleId: BundleId,
        programme: String,
        month: String,
        madeAt: Timestamp,
        handedIn: ManualSubmission? = nil,
        withdrawal: ExportWithdrawal? = nil
    ) {
        self.sequence = sequence
        self.exportId = exportId
        self.bundleId = bundleId
        self.programme = programme
        self.month = month
        self.madeAt = madeAt
        self.handedIn = handedIn
        self.withdrawal = withdrawal
    }
}

/// The record that a person submitted an export by hand (OB-62).
package struct ManualSubmission: Hashable, Sendable {
    package let at: Timestamp
    package let by: String
    /// What Apple answered with.
    package let reference: String

    package init(at: Timestamp, by: String, reference: String) {
        self.at = at
        self.by = by
        self.reference = reference
    }
}

/// The record that a submitted manual export does not count.
package struct ExportWithdrawal: Hashable, Sendable {
    package let at: Timestamp
    package let by: String
    package let reason: String

    package init(at: Timestamp, by: String, reason: String) {
        self.at = at
        self.by = by
        self.reason = reason
    }
}

/// What can be asked about manual exports.
package protocol ManualExportQueries {
    func manualExport(_ id: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> ManualExport?
    func manualExports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ManualExport]
    func sales(in export: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> [StoredSale]
}
