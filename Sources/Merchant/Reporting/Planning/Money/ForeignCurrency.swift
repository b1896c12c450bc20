/// The reporting currency for currencies that cannot be reported, setting `reporting.foreignCurrency` (RR-51).
package enum ForeignCurrency: String, Hashable, Sendable, CaseIterable {
    /// Euro for tax countries of the EEA, otherwise US dollar.
    case automatic
    case euro = "EUR"
    case usDollar = "USD"
}
