/// A link has another scheme than https.
///
/// Purchases must take place on a secure page, so the keys accept only https. Schemes that open other apps are
/// refused like http.
///
/// Offer the page over HTTPS and link to that. Do not rely on a redirect from http.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>http://shop.acme.example/nl</string>
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
/// Follows: CF-30 (documented).
struct LinkURLNotHTTPS: Rule {
    static let id = "link-url-not-https"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let scheme = subject.address.scheme, scheme.lowercased() != "https" else { return [] }
        return finding(
            "\"\(subject.url)\" uses \(scheme); only https is allowed",
            at: subject.location,
            hint: "Serve the page over HTTPS."
        )
    }
}
