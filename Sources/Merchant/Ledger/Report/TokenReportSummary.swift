package import ExternalPurchaseCore

/// Which reports name a token, without the reports themselves.
package struct TokenReportSummary: Hashable, Sendable {
    /// The statuses of reports that are accepted or on their way; refused and withdrawn ones are left out.
    package var statuses: Set<ReportStatus>
    /// True when a `LINE_ITEM` report exists that is not withdrawn, refused ones included.
    package var holdsSales: Bool
    /// True when a report exists that is neither accepted nor withdrawn.
    ///
    /// Later reports of the token wait for it (SA-74).
    package var hasOpenReport: Bool

    package init(statuses: Set<ReportStatus> = [], holdsSales: Bool = false, hasOpenReport: Bool = false) {
        self.statuses = statuses
        self.holdsSales = holdsSales
        self.hasOpenReport = hasOpenReport
    }
}
