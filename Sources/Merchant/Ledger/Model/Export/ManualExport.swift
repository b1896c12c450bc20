package import ExternalPurchaseCore

/// The id of a manual export, unique per app.
package struct ManualExportId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The sales of a programme and month that a person submits to Apple by hand (OB-61).
package struct ManualExport: Hashable, Sendable {
    /// The sequence number in order of creation, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let exportId: ManualExportId
    package let bundleId: BundleId
    /// The id of the programme.
    package let programme: String
    /// The name of the month in the programme's calendar.
    package let month: String
    package let madeAt: Timestamp
    package var submission: ManualSubmission?
    /// Set when the export is withdrawn.
    package var withdrawal: ExportWithdrawal?

    package init(
        sequence: Int64 = 0,
        exportId: ManualExportId,
        bundleId: BundleId,
        programme: String,
        month: String,
        madeAt: Timestamp,
        submission: ManualSubmission? = nil,
        withdrawal: ExportWithdrawal? = nil
    ) {
        self.sequence = sequence
        self.exportId = exportId
        self.bundleId = bundleId
        self.programme = programme
        self.month = month
        self.madeAt = madeAt
        self.submission = submission
        self.withdrawal = withdrawal
    }
}

/// The record that a person submitted an export by hand (OB-62).
package struct ManualSubmission: Hashable, Sendable {
    package let at: Timestamp
    package let by: String
    /// The reference that Apple gave for the submission.
    package let reference: String

    package init(at: Timestamp, by: String, reference: String) {
        self.at = at
        self.by = by
        self.reference = reference
    }
}

/// The record that a submitted manual export was withdrawn.
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
