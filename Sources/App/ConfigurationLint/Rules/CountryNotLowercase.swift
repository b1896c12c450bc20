/// A supported region code is written with upper-case letters.
///
/// The keys are documented with ISO 3166-1 codes in lower case. `NL` is not equal to `nl`, so the entry is ignored
/// although it looks right. For the entitlement with allowed regions Apple shows lower case only.
///
/// Write it in lower case; `--fix` does this.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>NL</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-2, CF-3, CF-4 (documented).
struct CountryNotLowercase: Rule {
    static let id = "country-not-lowercase"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        let lower = subject.lowercased
        guard lower != subject.code, subject.list.lists(lower) else { return [] }
        return finding(
            "\"\(subject.code)\" never matches; codes are lower case",
            at: subject.location,
            hint: "Write \"\(lower)\".",
            edits: [subject.location.edit(.text, lower)]
        )
    }
}
