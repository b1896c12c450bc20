/// A link contains a character outside ASCII, which URLs cannot contain.
///
/// The keys are documented for ASCII characters. Browsers convert others while you type; the runtime does not.
///
/// Write a host in its `xn--` form, and in the path each byte of UTF-8 as `%` with two digits. Your browser's
/// copied address usually has both.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>de</key>
///     <string>https://münchen.acme.example/käse</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>de</key>
///     <string>https://xn--mnchen-3ya.acme.example/k%C3%A4se</string>
/// </dict>
/// ```
///
/// Follows: CF-30, CF-33 (documented).
struct LinkURLNotASCII: Rule {
    static let id = "link-url-not-ascii"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let stranger = subject.url.unicodeScalars.first(where: { !$0.isASCII }) else { return [] }
        let host = subject.address.host.map { " (\($0))" } ?? ""
        return finding(
            "\"\(stranger)\" in the link for \(subject.country) is not ASCII",
            at: subject.location,
            hint: "Host\(host): the `xn--` form; path: percent-encode."
        )
    }
}
