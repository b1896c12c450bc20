import ExternalPurchaseCore

/// The app declares one link per country, though every system it runs on can offer several.
///
/// From the 17.5 generation on `SKExternalPurchaseMultiLink` gives the app a choice of links, such as one per
/// offer. The single link keeps working; nothing is wrong.
///
/// Nothing has to be done. To offer a choice, add the multi key and open links with `open(url:)`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
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
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array><string>https://shop.acme.example/nl</string></array>
/// </dict>
/// ```
///
/// Follows: CF-12 (house).
struct LinkSingleOnly: Rule {
    static let id = "link-single-only"
    static let severity = Severity.note

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard let link = subject.key(.link), subject.key(.multiLink) == nil,
            context.pack.plistKeys[.multiLink] != nil, let minimum = subject.deployment.minimum,
            let since = context.tables.plistKeyAvailability[.multiLink]?[subject.deployment.platform], minimum >= since
        else { return [] }
        return finding(
            "\(PlistKey.link) gives one link per country; \(PlistKey.multiLink) offers a choice",
            at: link.location,
            hint: "Optional."
        )
    }
}
