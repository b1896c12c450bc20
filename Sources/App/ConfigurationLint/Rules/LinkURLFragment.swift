/// A link has a fragment, the part after `#`.
///
/// Apple's documents do not mention fragments, so App Review may accept or refuse them. Browsers do not send the
/// fragment to the server, so the server cannot use it.
///
/// Give the target its own path.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl#plans</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl/plans</string>
/// </dict>
/// ```
///
/// Follows: CF-32 (house).
struct LinkURLFragment: Rule {
    static let id = "link-url-fragment"
    static let severity = Severity.warning

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.fragment != nil else { return [] }
        return finding(
            "Fragments are not mentioned by the rules; servers never see them",
            at: subject.location,
            hint: "Put the value into the path."
        )
    }
}
