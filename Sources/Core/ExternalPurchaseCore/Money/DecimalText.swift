/// Decimal numbers as text: digits, optionally a point and more digits, optionally a leading minus sign.
///
/// `Decimal(string:)` accepts `9.99abc` and reads `1,5` as 1, so the text is checked before it is converted.
public enum DecimalText {
    /// True for a text of that form: no exponent, no `+`, no comma, and digits on both sides of a point (SA-57).
    ///
    /// - Parameter text: the text as received.
    public static func isWellFormed(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let parts = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isDigit) }
    }

    /// Returns the exact value, or nil for a text of another form or with more than 38 significant digits.
    ///
    /// - Parameter text: the text as received.
    public static func decimal(_ text: String) -> Decimal? {
        guard isWellFormed(text) else { return nil }
        let digits = text.utf8.filter(\.isDigit).drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= 38 else { return nil }
        return Decimal(string: text)
    }

    /// Returns the canonical spelling of a well-formed text: without leading and trailing zeros, and without a minus
    /// sign before zero.
    ///
    /// Two texts of any length denote the same number exactly when their canonical spellings are equal.
    ///
    /// - Parameter text: a well-formed text.
    public static func canonical(_ text: String) -> String {
        let negative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        var whole = String(parts.first ?? "").drop { $0 == "0" }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.hasSuffix("0") { fraction = fraction.dropLast() }
        if whole.isEmpty { whole = "0" }
        let value = fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
        return negative && value != "0" ? "-" + value : value
    }
}
