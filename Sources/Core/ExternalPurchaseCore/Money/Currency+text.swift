extension Currency {
    /// Returns an amount in units of a currency as text with the decimal places of the currency: `1526.40`, `1500`.
    ///
    /// Further places are kept, because no figure is rounded for showing it: thousandths in a report stay.
    ///
    /// - Parameters:
    ///   - amount: the amount in units of the currency.
    ///   - code: the code of the currency; one that is not known has two decimal places.
    package static func text(of amount: Decimal, in code: String) -> String {
        padded(amount.description, to: Currency.code(code)?.exponent ?? 2)
    }

    fileprivate static func padded(_ text: String, to digits: Int) -> String {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var fraction = parts.count == 2 ? String(parts[1]) : ""
        while fraction.utf8.count > digits, fraction.hasSuffix("0") { fraction.removeLast() }
        fraction += String(repeating: "0", count: max(0, digits - fraction.utf8.count))
        return String(parts.first ?? "") + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension MilliUnits {
    /// Returns the amount in units of a currency as text with the decimal places of the currency, as `Currency.text` does.
    ///
    /// - Parameter code: the code of the currency.
    package func unitsText(in code: String) -> String {
        Currency.padded(unitsText, to: Currency.code(code)?.exponent ?? 2)
    }
}
