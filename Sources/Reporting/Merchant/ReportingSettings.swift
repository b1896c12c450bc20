package import ExternalPurchaseCore
package import ReportRules

/// The settings of the merchant's side.
package struct ReportingSettings: Sendable {
    /// Judges a report before it is sent (SA-75).
    package typealias Preflight = @Sendable (ReceivedReport, HistorySlice, Timestamp) -> [ReportError]

    /// Nil sends without judging, for tests of what Apple says to a wrong report.
    package var preflight: Preflight?
    /// Setting `reporting.foreignCurrency` (RR-51).
    package var foreignCurrency = ForeignCurrency.automatic
    /// Setting `rules.clockSkew` in milliseconds: a token made later than this from now is suspicious (TK-75).
    package var clockSkew: Int64 = 300_000
    /// Most items of one report (SA-4).
    package var limits = ReportLimits()

    /// What a currency that cannot be reported is converted to.
    package enum ForeignCurrency: String, Hashable, Sendable, CaseIterable {
        /// Euro for tax countries of the EEA, else US dollars.
        case automatic
        case euro = "EUR"
        case usDollar = "USD"
    }

    package init(preflight: Preflight?) {
        self.preflight = preflight
    }
}
