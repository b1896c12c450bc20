import ExternalPurchaseCore
import Foundation

enum Currencies {
    /// Returns the currency that the locale data assign to the country.
    static func currency(ofStorefront code: String) -> Locale.Currency? {
        let region = code == "XKS" ? "XK" : Country.alpha3(code)?.alpha2
        return region.flatMap { Locale(identifier: "und_\($0)").currency }
    }
}
