package import ExternalPurchaseCore
package import Ledger

/// A statement by a person that a month's export was submitted by hand.
package struct SubmissionCommand: Hashable, Sendable {
    let choice: MonthChoice
    /// The day of the submission.
    let on: CalendarDate
    let by: String
    let reference: String

    package init(_ choice: MonthChoice, on: CalendarDate, by: String, reference: String) {
        self.choice = choice
        self.on = on
        self.by = by
        self.reference = reference
    }
}

/// A statement by a person that a manual export was not submitted.
package struct WithdrawalCommand: Hashable, Sendable {
    let exportId: ManualExportId
    /// The month of the export.
    let month: String
    /// The app; nil selects the only registered one.
    let bundleId: BundleId?
    let by: String
    let reason: String

    package init(
        _ exportId: ManualExportId,
        month: String,
        of bundleId: BundleId? = nil,
        by: String,
        reason: String
    ) {
        self.exportId = exportId
        self.month = month
        self.bundleId = bundleId
        self.by = by
        self.reason = reason
    }
}
