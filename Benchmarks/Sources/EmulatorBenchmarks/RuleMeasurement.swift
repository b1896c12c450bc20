import ExternalPurchaseCore
import ReportValidation

/// Validates one report against the part of the history that it needs.
struct RuleMeasurement: Sendable {
    private let report: ReceivedReport
    private let now: Timestamp
    private let history: AcceptedHistory
    private let token: KnownToken

    /// Creates a measurement of a report on a known token, with a history that has no other report.
    init(report: ReceivedReport, now: Timestamp) {
        self.report = report
        self.now = now
        history = AcceptedHistory()
        token = KnownToken(creationDate: Timestamp(milliseconds: 0), tokenType: nil, expirationDate: nil)
    }

    /// Returns the number of errors of the report.
    func errors() -> Int {
        let slice = history.slice(for: HistoryNeeds(of: report), token: token)
        return ReportValidator().validate(report, history: slice, now: now).count
    }
}
