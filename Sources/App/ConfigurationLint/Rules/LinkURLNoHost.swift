/// A link names no host.
///
/// There is no server to open, usually because of an extra slash or an empty build variable. Many parsers accept such
/// a text as a URL, but it is ignored at run time.
///
/// Put the name of the server between `https://` and the path.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https:///nl</string>
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
struct LinkURLNoHost: Rule {
    static let id = "link-url-no-host"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.host?.isEmpty ?? true else { return [] }
        return finding(
            "\"\(subject.url)\" has no host",
            at: subject.location,
            hint: "`https://host/path`"
        )
    }
}
