/// A link points at `example.com` or another host that is reserved for documentation.
///
/// Such an address was probably copied from a guide. It has no owner, and no customer can buy there. It is otherwise
/// correct, so tests may use it.
///
/// Replace it with your site before you submit.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://www.example.com/nl</string>
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
/// Follows: CF-35 (house).
struct LinkURLPlaceholderHost: Rule {
    static let id = "link-url-placeholder-host"
    static let severity = Severity.note

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let host = subject.address.host, HostReach(host) == .documentation else { return [] }
        return finding(
            "\(host) is a documentation address",
            at: subject.location,
            hint: "Replace it with your site."
        )
    }
}
