/// The country in which a customer buys; its data are copied from the specification, independent of the product's code.
package enum Market: String, Hashable, Sendable, CaseIterable {
    case netherlands, germany, sweden, iceland, japan, korea, brazil, usa, ukraine, kuwait

    /// ISO 3166-1 alpha-3.
    package var country: String {
        switch self {
        case .netherlands: "NLD"
        case .germany: "DEU"
        case .sweden: "SWE"
        case .iceland: "ISL"
        case .japan: "JPN"
        case .korea: "KOR"
        case .brazil: "BRA"
        case .usa: "USA"
        case .ukraine: "UKR"
        case .kuwait: "KWT"
        }
    }

    package var currency: String {
        switch self {
        case .netherlands, .germany: "EUR"
        case .sweden: "SEK"
        case .iceland: "ISK"
        case .japan: "JPY"
        case .korea: "KRW"
        case .brazil: "BRL"
        case .usa: "USD"
        case .ukraine: "UAH"
        case .kuwait: "KWD"
        }
    }

    /// The number of decimal places of the currency (ISO 4217).
    package var digits: Int {
        switch self {
        case .iceland, .japan, .korea: 0
        case .kuwait: 3
        default: 2
        }
    }

    /// The reporting currency for a currency that cannot be reported; nil for the 44 reportable ones (RR-50, RR-51).
    package var foreignCurrency: String? {
        switch self {
        case .iceland: "EUR"
        case .ukraine, .kuwait: "USD"
        default: nil
        }
    }

    /// The tax rate in hundredths of a per cent.
    package var taxRate: Int64 {
        switch self {
        case .netherlands: 2_100
        case .germany: 1_900
        case .sweden: 2_500
        case .iceland: 2_400
        case .japan, .korea: 1_000
        case .brazil: 1_233
        case .usa: 887
        case .ukraine: 2_000
        case .kuwait: 0
        }
    }

    /// A typical exchange rate in millionths.
    package var usualRate: Int64? {
        switch self {
        case .iceland: 6_900
        case .ukraine: 20_500
        case .kuwait: 3_252_017
        default: nil
        }
    }

    /// A typical price in minor units.
    package var usualPrice: Int64 {
        switch self {
        case .netherlands, .germany, .brazil, .usa: 999
        case .sweden: 10_900
        case .iceland: 1_490
        case .japan: 1_500
        case .korea: 12_000
        case .ukraine: 19_999
        case .kuwait: 2_750
        }
    }
}
