import ExternalPurchaseCore
import ReportValidation

/// The accepted reports of one app and environment.
struct ReportBook: Sendable {
    private(set) var history = AcceptedHistory()
    /// The status of each token in its newest accepted report.
    private var statuses: [ExternalPurchaseId: ReportStatus] = [:]

    subscript(requestIdentifier: RequestIdentifier) -> ReceivedReport? { history.report(requestIdentifier) }

    /// The tokens that were reported as duplicates, regardless of later reports.
    private var duplicates: Set<ExternalPurchaseId> = []

    /// True if a report of the token with status `DUPLICATE_TOKEN` was accepted.
    func isDuplicate(_ token: ExternalPurchaseId) -> Bool { duplicates.contains(token) }

    /// The accepted reports in the order of their acceptance.
    var reports: [ReceivedReport] { history.reports }

    func status(of token: ExternalPurchaseId) -> ReportStatus? { statuses[token] }

    mutating func accept(_ report: ReceivedReport) {
        history.accept(report)
        guard let token = report.externalPurchaseId else { return }
        statuses[token] = report.status
        if report.status == .duplicateToken { duplicates.insert(token) }
    }
}

/// The token and line items that a submission in progress has claimed (SA-66).
struct SubmissionClaim: Hashable, Sendable {
    let scope: ReportingScope
    let externalPurchaseId: ExternalPurchaseId?
    /// The line items that the report contains or references.
    let lineItemIds: Set<LineItemId>

    init(of report: ReceivedReport, in scope: ReportingScope) {
        self.scope = scope
        let needs = HistoryNeeds(of: report)
        externalPurchaseId = needs.externalPurchaseId
        lineItemIds = needs.lineItemIds
    }

    func meets(_ other: SubmissionClaim) -> Bool {
        guard scope == other.scope else { return false }
        let sharesToken = externalPurchaseId != nil && externalPurchaseId == other.externalPurchaseId
        return sharesToken || !lineItemIds.isDisjoint(with: other.lineItemIds)
    }
}
