import ExternalPurchaseCore

/// A country that may have only one link has several.
///
/// More than one link is for music streaming apps in the European Union, Iceland and Norway. Everywhere else only the
/// first is used. With `musicStreaming` set to no, none of several links is used in any country.
///
/// Keep the link that is suitable for all customers of that country.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>ru</key>
///     <array>
///         <string>https://shop.acme.example/a</string>
///         <string>https://shop.acme.example/b</string>
///     </array>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>ru</key>
///     <array>
///         <string>https://shop.acme.example/a</string>
///     </array>
/// </dict>
/// ```
///
/// Follows: CF-40, CF-43, CF-52 (documented).
struct MultiLinkOverOne: Rule {
    static let id = "multi-link-over-one"
    static let severity = Severity.error

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard let location = subject.multiLocation, subject.isSingleCode || context.options.musicStreaming == .no,
            subject.differentInMulti > context.pack.linkLimits.standard
        else { return [] }
        return finding(
            "\(subject.country) has \(subject.differentInMulti) links; one is allowed",
            at: location,
            hint: "Keep one."
        )
    }
}
