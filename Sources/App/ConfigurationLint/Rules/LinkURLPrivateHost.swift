/// A link points at a host that is reachable only in the developer's own network.
///
/// `localhost`, names such as `mac.local`, names without a dot and private addresses work only there. App Review
/// opens the links and finds no page.
///
/// Name the public server. Keep addresses for tests in a debug configuration that is not submitted.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://localhost:8443/nl</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example:8443/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-35 (house).
struct LinkURLPrivateHost: Rule {
    static let id = "link-url-private-host"
    static let severity = Severity.warning

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let host = subject.address.host, HostReach(host) == .privateNetwork else { return [] }
        return finding(
            "\(host) cannot be reached by customers",
            at: subject.location,
            hint: "Use the public host."
        )
    }
}
