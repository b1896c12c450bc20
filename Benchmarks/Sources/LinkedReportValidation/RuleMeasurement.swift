public import ExternalPurchaseCore

/// What is measured of the rules: one report against the slice of history that it needs.
public struct RuleMeasurement: Sendable {
    private let report: ReceivedReport
    private let now: Timestamp
    private let history: AcceptedHistory
    private let token: KnownToken

    /// A report to judge, on a known token and a history that does not touch it.
    public init(report: ReceivedReport, now: Timestamp) {
        self.report = report
        self.now = now
        history = AcceptedHistory()
        token = KnownToken(creationDate: Timestamp(milliseconds: 0), tokenType: nil, expirationDate: nil)
    }

    /// How many errors the report draws.
    public func errors() -> Int {
        let slice = history.slice(for: HistoryNeeds(of: report), token: token)
        return ReportValidator().validate(report, history: slice, now: now).count
    }
}
