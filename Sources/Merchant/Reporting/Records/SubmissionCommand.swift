package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

/// A person's word that the export of a month was submitted by hand.
package struct SubmissionCommand: Hashable, Sendable {
    package let choice: MonthChoice
    /// The day on which it was submitted.
    package let on: CalendarDate
    package let by: String
    package let reference: String

    package init(_ choice: MonthChoice, on: CalendarDate, by: String, reference: String) {
        self.choice = choice
        self.on = on
        self.by = by
        self.reference = reference
    }
}

/// A person's word that a manual export was not submitted after all.
package struct WithdrawalCommand: Hashable, Sendable {
    package let exportId: ManualExportId
    /// The month that the export is of.
    package let month: String
    /// Nil for the only app.
    package let bundleId: BundleId?
    package let by: String
    package let reason: String

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
