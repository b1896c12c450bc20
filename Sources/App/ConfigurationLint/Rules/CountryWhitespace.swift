/// A region code has blanks or line ends around it.
///
/// Codes are compared exactly with that of the storefront, and a blank is an additional character. Editors that wrap
/// `<string>` over several lines insert blanks.
///
/// Write the code directly between the tags. `--fix` removes the blanks.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string> nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-3 (house).
struct CountryWhitespace: Rule {
    static let id = "country-whitespace"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        let inner = subject.code.trimmingWhitespace
        guard inner != subject.code else { return [] }
        return finding(
            "\"\(subject.code)\" has blanks around it and never matches",
            at: subject.location,
            hint: "Remove them.",
            edits: inner.isEmpty ? [] : [subject.location.edit(.text, inner)]
        )
    }
}
