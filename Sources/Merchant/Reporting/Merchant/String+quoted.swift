import ExternalPurchaseCore

extension String {
    /// The text in JSON quotes for a message, cut after 40 characters.
    package var quoted: String {
        let shown = unicodeScalars.prefix(40)
        return JSONValue.string(String(String.UnicodeScalarView(shown))).formatted()
            + (unicodeScalars.count > 40 ? "…" : "")
    }
}
