/// A link is an empty string.
///
/// There is no page to open, so the country counts as not configured. A build variable without a value also results
/// in an empty string.
///
/// Fill in the URL, or remove the country until its page exists.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string></string>
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
/// Follows: CF-30, CF-34 (house).
struct LinkURLEmpty: Rule {
    static let id = "link-url-empty"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.url.isEmpty else { return [] }
        return finding(
            "The link for \(subject.country) is empty",
            at: subject.location,
            hint: "Give a URL or remove the entry."
        )
    }
}
