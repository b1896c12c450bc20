/// An account link is not an absolute https URL with a host.
///
/// The system opens the address outside the app. An address that is relative, has another scheme or is malformed
/// cannot be opened, and App Review finds a button without effect.
///
/// Write the complete address, `https://host/path`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalLinkAccount</key>
/// <dict>
///     <key>*</key>
///     <string>acme.example/account</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalLinkAccount</key>
/// <dict>
///     <key>*</key>
///     <string>https://acme.example/account</string>
/// </dict>
/// ```
///
/// Follows: CF-14, CF-31 (house).
struct LinkAccountURL: Rule {
    static let id = "link-account-url"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        let address = subject.address
        guard address.scheme?.lowercased() != "https" || address.host?.isEmpty ?? true || address.fault != nil else {
            return []
        }
        return finding(
            "\"\(subject.url)\" is not an absolute https URL",
            at: subject.location,
            hint: "`https://host/path`"
        )
    }
}
