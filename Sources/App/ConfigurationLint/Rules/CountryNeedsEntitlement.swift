import ExternalPurchaseCore

/// A key of Info.plist lists a region that only the entitlement with allowed regions can enable.
///
/// Japan and Brazil require an entitlement that lists the regions itself. No key of Info.plist enables them; an entry
/// there has no effect.
///
/// Remove the code from the key, and request the entitlement with that region from Apple.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>de</string><string>jp</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>de</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase-link</key>
/// <true/>
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// ```
///
/// Follows: CF-22 (documented).
struct CountryNeedsEntitlement: Rule {
    static let id = "country-needs-entitlement"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard case .plistKey(let key) = subject.list.source, key != .linkAccount,
            context.pack.entitlements[.allowedRegions]?.codes?.contains(subject.lowercased) == true,
            !context.pack.plistKeys.values.contains(where: { $0.codes?.contains(subject.lowercased) == true })
        else { return [] }
        return finding(
            "\(key) cannot enable \(subject.code)",
            at: subject.location,
            hint: "Add \"\(subject.lowercased)\" to `\(Entitlement.allowedRegions)`."
        )
    }
}
