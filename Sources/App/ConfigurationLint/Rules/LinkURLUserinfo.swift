/// A link carries a user name or password in front of the host.
///
/// Everybody can read Info.plist, so this is no secret, and browsers warn of such addresses or drop that part. What
/// is in front of `@` can also pass for the host by mistake.
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
