/// The entitlement with allowed regions names a region about which sources disagree.
///
/// One of Apple's programme pages lists Iceland and Norway; developers report that they are granted for music
/// streaming only. The linter accepts the entry, and the simulator uses it.
///
/// Ask Apple for a confirmation before you submit. For music apps, consider `SKExternalPurchaseLinkStreamingRegions`.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>no</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>br</string></array>
/// ```
///
/// Follows: CF-22 (house).
struct AllowedRegionsContested: Rule {
    static let id = "allowed-regions-contested"
    static let severity = Severity.note

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard subject.list.contested.contains(subject.code) else { return [] }
        return finding(
            "\"\(subject.code)\" is accepted for music streaming only, as far as known",
            at: subject.location,
            hint: "Confirm with the programme page before submitting."
        )
    }
}
