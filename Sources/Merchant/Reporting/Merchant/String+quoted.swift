import ExternalPurchaseCore

extension String {
    /// The text for a message, cut when it is long.
    package var quoted: String {
        let shown = unicodeScalars.prefix(40)
        return JSONValue.string(String(String.UnicodeScalarView(shown))).formatted()
            + (unicodeScalars.count > 40 ? "…" : "")
    }
}
