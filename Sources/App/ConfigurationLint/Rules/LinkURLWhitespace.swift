/// A link contains a blank, a line end or another control character.
///
/// No URL may contain one, and the entry is ignored. Some URL parsers repair it silently, so that a test succeeds
/// although the store fails.
///
/// Remove it. `--fix` removes blanks at the ends; inside a path a blank is written `%20`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl </string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-31, CF-34 (house).
struct LinkURLWhitespace: Rule {
    static let id = "link-url-whitespace"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.url.unicodeScalars.contains(where: \.isBlankOrControl) else { return [] }
        let inner = subject.url.trimmingWhitespace
        let isOnlyAround = !inner.isEmpty && !inner.unicodeScalars.contains(where: \.isBlankOrControl)
        return finding(
            "The link for \(subject.country) contains whitespace",
            at: subject.location,
            hint: "Remove it; inside a path write `%20`.",
            edits: isOnlyAround ? [subject.location.edit(.text, inner)] : []
        )
    }
}
