import ExternalPurchaseCore

/// A region code has three letters, as storefront codes do, instead of two.
///
/// `Storefront.countryCode` has three letters, `FRA`; the keys and the entitlement require two, `fr`. No system
/// converts between them, so the entry has no effect.
///
/// Write the two-letter code; `--fix` knows the pairs.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>fra</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>fr</string></array>
/// ```
///
/// Follows: CF-2, CF-3 (documented).
struct CountryAlpha3: Rule {
    static let id = "country-alpha-3"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard let country = Country.alpha3(subject.code.uppercased()) else { return [] }
        return finding(
            "\"\(subject.code)\" is a three-letter code; storefronts use those, this list two letters",
            at: subject.location,
            hint: "Write \"\(country.region)\".",
            edits: [subject.location.edit(.text, country.region)]
        )
    }
}
