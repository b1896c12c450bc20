/// A link violates the syntax of URLs in a way that no other rule covers.
///
/// Links are checked by RFC 3986: only its characters, two hexadecimal digits after each `%`, a port up to 65535, IP
/// addresses well-formed. A lenient parser may accept more and open another page than you meant.
///
/// The message names the error. Percent-encode characters with a meaning in URLs: `%25` for `%`, `%7C` for `|`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/100%</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/100%25</string>
/// </dict>
/// ```
///
/// Follows: CF-30, CF-31 (documented).
struct LinkURLInvalid: Rule {
    static let id = "link-url-invalid"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let reason = subject.address.fault else { return [] }
        return finding(
            "\"\(subject.url)\" is not a valid URL: \(reason)",
            at: subject.location,
            hint: "Percent-encode reserved characters."
        )
    }
}
