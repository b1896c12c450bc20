import ExternalPurchaseCore

/// An entitlement has a name that only documents of 2025 contain.
///
/// Three entitlements with lists of regions were announced in autumn 2025 and have since disappeared. Apple does not
/// grant them, and no system reads them.
///
/// The rule packs of that time, 2025-07 and 2026-02, use them in the regions that they list, and check their codes
/// instead of giving this warning: the list of `external-purchase-link` in place of the Boolean entitlement of its link
/// keys, the other two also in place of the key. The setting `legacyAllowedRegions` (`byPack`, `on`, `off`) changes
/// this.
///
/// Use `com.apple.developer.storekit.custom-purchase-link.allowed-regions`, which replaced them.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase-link.allowed-regions</key>
/// <array><string>de</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>de</string></array>
/// ```
///
/// Follows: CF-24 (house).
struct EntitlementDropped: Rule {
    static let id = "entitlement-dropped"
    static let severity = Severity.warning

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        let name = Entitlement(rawValue: subject.name)
        guard context.tables.droppedEntitlements.contains(name), context.legacyEntitlements[name] == nil else {
            return []
        }
        return finding(
            "\(subject.name) was named in 2025 only and is not granted",
            at: subject.location,
            hint: "Use `\(Entitlement.allowedRegions)`."
        )
    }
}
