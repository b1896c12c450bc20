import ExternalPurchaseCore

/// A country has more than the five links that a music streaming app may have.
///
/// Five different URLs per country are the documented maximum in the European Union, Iceland and Norway. The links
/// count in their order; those beyond the fifth are ignored, and without evidence of music streaming those beyond the
/// first. Links with errors count too.
///
/// Choose five and remove the rest.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>se</key>
///     <array>
///         <string>https://a.acme.example</string>
///         <string>https://b.acme.example</string>
///         <string>https://c.acme.example</string>
///         <string>https://d.acme.example</string>
///         <string>https://e.acme.example</string>
///         <string>https://f.acme.example</string>
///     </array>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>se</key>
///     <array>
///         <string>https://a.acme.example</string>
///     </array>
/// </dict>
/// ```
///
/// Follows: CF-40, CF-42, CF-52 (documented).
struct MultiLinkOverFive: Rule {
    static let id = "multi-link-over-five"
    static let severity = Severity.error

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        let limit = context.pack.linkLimits.musicStreaming
        guard let location = subject.multiLocation, subject.isStreamingCode, context.options.musicStreaming != .no,
            subject.differentInMulti > limit
        else { return [] }
        return finding(
            "\(subject.country) has \(subject.differentInMulti) links; at most five are allowed",
            at: location,
            hint: "Remove \(subject.differentInMulti - limit)."
        )
    }
}
