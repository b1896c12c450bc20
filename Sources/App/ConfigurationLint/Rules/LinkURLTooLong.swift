/// A link has more than 1,000 characters.
///
/// This is the documented maximum for a URL in the link keys, counted as written. A longer one is ignored.
///
/// Shorten the path, or use a short address that redirects.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist, A×975 stands for 975 letters: 1,001 in all -->
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/A×975</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist, A×974 stands for 974 letters: 1,000 in all -->
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/A×974</string>
/// </dict>
/// ```
///
/// Follows: CF-30, CF-33 (documented).
struct LinkURLTooLong: Rule {
    static let id = "link-url-too-long"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        let count = subject.url.unicodeScalars.count
        guard count > 1_000 else { return [] }
        return finding(
            "The link for \(subject.country) has \(count) characters; 1,000 are allowed",
            at: subject.location,
            hint: "Use a short address that redirects."
        )
    }
}
