/// Both link keys together contain more different URLs for a country than allowed.
///
/// The limit counts different URLs over `SKExternalPurchaseLink` and `SKExternalPurchaseMultiLink`. The links of the
/// multi key count first; a single link that exceeds the limit is ignored, and then `ExternalPurchaseLink.canOpen` is
/// false. Only systems before the 17.5 generation, which do not read the multi key, use the single link.
///
/// Make the single link an exact copy of one of the others.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>ru</key>
///     <array><string>https://shop.acme.example/a</string></array>
/// </dict>
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>ru</key>
///     <string>https://shop.acme.example/b</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>ru</key>
///     <array><string>https://shop.acme.example/a</string></array>
/// </dict>
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>ru</key>
///     <string>https://shop.acme.example/a</string>
/// </dict>
/// ```
///
/// Follows: CF-41, CF-52 (documented).
struct LinkUnionOverLimit: Rule {
    static let id = "link-union-over-limit"
    static let severity = Severity.error

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        let limit = context.linkLimit(of: subject.country)
        guard subject.isStreamingCode || subject.isSingleCode || context.options.musicStreaming == .no,
            let location = subject.singleLocation, subject.differentInMulti <= limit, subject.different > limit
        else { return [] }
        return finding(
            "\(subject.country) has \(subject.different) different links over both keys; \(limit) allowed",
            at: location,
            hint: "Let `SKExternalPurchaseLink` repeat one of the others.",
            related: [subject.multiLocation].compactMap { $0?.related("the other links are here") }
        )
    }
}
