package import ExternalPurchaseCore

/// A summary of the reports that name a token.
package struct TokenReportSummary: Hashable, Sendable {
    /// The statuses of accepted reports and of reports in transit, without refused and withdrawn ones.
    package var statuses: Set<ReportStatus>
    /// True when a `LINE_ITEM` report exists that is not withdrawn; refused ones count.
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
