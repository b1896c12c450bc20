import ExternalPurchaseCore

/// A country has several links, but there is no evidence that the app qualifies for music streaming.
///
/// The files of an app do not show whether it is in the programme for music streaming, apart from the streaming
/// entitlement and `SKExternalPurchaseLinkStreamingRegions`. An app outside the programme may have one link per
/// country: Apple's documents give five links to qualifying apps, "otherwise, the maximum is one link".
///
/// Without that evidence only the first link of the country counts: the simulator's `eligibleURLs` has no other, and
/// `SKExternalPurchaseLink` counts only where it repeats that link. `external-purchase explain` names the links that do
/// not count. With `--music-streaming` all of them count; with `--no-music-streaming` more than one link is an error, and
/// none of them counts.
///
/// Set `--music-streaming` or `--no-music-streaming`, so that the right limit is applied, or keep one link in both
/// keys.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>fi</key>
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
///     <key>fi</key>
///     <array>
///         <string>https://shop.acme.example/a</string>
///     </array>
/// </dict>
/// ```
///
/// Follows: CF-40, CF-43 (documented).
struct MultiLinkNeedsStreaming: Rule {
    static let id = "multi-link-needs-streaming"
    static let severity = Severity.warning

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard context.options.musicStreaming == .auto, !context.hasStreamingEvidence, subject.isStreamingCode,
            let location = subject.multiLocation ?? subject.singleLocation,
            (2...context.pack.linkLimits.musicStreaming).contains(subject.different)
        else { return [] }
        return finding(
            "More than one link for \(subject.country) is for music streaming apps only",
            at: location,
            hint: "Set `musicStreaming` or keep one link in both keys.",
            related: subject.multiLocation == nil || subject.different == subject.differentInMulti
                ? [] : [subject.singleLocation].compactMap { $0?.related("another link is here") }
        )
    }
}
