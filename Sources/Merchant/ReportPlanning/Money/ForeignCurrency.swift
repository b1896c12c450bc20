/// What a currency that cannot be reported is converted to, setting `reporting.foreignCurrency` (RR-51).
package enum ForeignCurrency: String, Hashable, Sendable, CaseIterable {
    /// Euro for tax countries of the EEA, else US dollars.
    case automatic
    case euro = "EUR"
    case usDollar = "USD"
}
