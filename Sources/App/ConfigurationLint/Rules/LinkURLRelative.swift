/// A link has no scheme and is therefore not an absolute URL.
///
/// The keys require absolute URLs. Without `https://` an address is a relative path without a base, even if it begins
/// with `//`, and the entry is ignored.
///
/// Write the address in full.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>shop.acme.example/nl</string>
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
/// Follows: CF-30, CF-31 (documented).
struct LinkURLRelative: Rule {
    static let id = "link-url-relative"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.scheme == nil else { return [] }
        return finding(
            "\"\(subject.url)\" is not an absolute URL",
            at: subject.location,
            hint: "Begin with `https://`."
        )
    }
}
