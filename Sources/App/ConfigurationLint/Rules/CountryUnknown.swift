import ExternalPurchaseCore

/// A region code is not one of ISO 3166-1.
///
/// No storefront has such a code, so the entry has no effect. Greece is `gr`, not `el`; the United Kingdom is `gb`,
/// not `uk`; there is no code for the European Union, whose countries are listed one by one. `*` is a default in
/// `SKExternalLinkAccount` only.
///
/// Write the code of the country or remove the entry.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>el</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>gr</string></array>
/// ```
///
/// Follows: CF-2, CF-14 (documented).
struct CountryUnknown: Rule {
    static let id = "country-unknown"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard Country.region(subject.lowercased) == nil else { return [] }
        return finding(
            "\"\(subject.code)\" is not an ISO 3166-1 alpha-2 code",
            at: subject.location,
            hint: "`el` → `gr`, `uk` → `gb`, `eu` → list the countries."
        )
    }
}
