import ExternalPurchaseCore

/// Info.plist lists streaming regions, but the app lacks the streaming entitlement.
///
/// Streaming regions are read for music streaming apps only. The entitlement for external purchase links does not cover
/// them, so that `ExternalPurchaseCustomLink` stays unavailable there.
///
/// Add `com.apple.developer.storekit.external-purchase-link-streaming` after Apple has granted it, or use the keys of
/// the entitlement that the app has.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseLinkStreamingRegions</key>
/// <array><string>is</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.security.app-sandbox</key>
/// <true/>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseLinkStreamingRegions</key>
/// <array><string>is</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase-link-streaming</key>
/// <true/>
/// ```
///
/// Follows: CF-10 (documented).
struct StreamingEntitlementMissing: Rule {
    static let id = "streaming-entitlement-missing"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard context.pack.plistKeys[.streamingRegions] != nil, let key = subject.key(.streamingRegions),
            let missing = subject.missingEntitlements(of: .streamingRegions, in: context)
        else { return [] }
        return finding(
            "\(key.name) needs \(whole: missing.entitlements.map(\.rawValue).joined(separator: " or "))",
            at: key.location,
            hint: """
                `\(Entitlement.link)` does not cover streaming regions; add \
                `\(whole: context.fragment(of: missing.entitlements[0], in: missing.location.file))`
                """,
            related: [missing.location]
        )
    }
}
