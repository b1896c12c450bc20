/// A link has a question mark without a query after it, which counts as a query.
///
/// By the syntax of URLs an empty query is still a query, and these keys allow none. The entry is ignored like one
/// with parameters.
///
/// Delete the question mark; `--fix` does this. A question mark in the path is written `%3F`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl?</string>
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
/// Follows: CF-32 (house).
struct LinkURLEmptyQuery: Rule {
    static let id = "link-url-empty-query"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.query?.isEmpty == true, let mark = subject.url.firstIndex(of: "?") else { return [] }
        var fix = subject.url
        fix.remove(at: mark)
        return finding(
            "The link for \(subject.country) ends its path with a lone \"?\"",
            at: subject.location,
            hint: "Delete the \"?\".",
            edits: [subject.location.edit(.text, fix)]
        )
    }
}
