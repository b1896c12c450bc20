/// A link contains a user name or password before the host.
///
/// Anyone can read Info.plist, so this is not secret, and browsers warn of such addresses or remove that part. The
/// text before `@` can also be mistaken for the host.
///
/// Remove it. Let people sign in on the page.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://app@shop.acme.example/nl</string>
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
struct LinkURLUserinfo: Rule {
    static let id = "link-url-userinfo"
    static let severity = Severity.warning

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.userInformation != nil else { return [] }
        return finding(
            "The link for \(subject.country) carries user information",
            at: subject.location,
            hint: "Remove it."
        )
    }
}
