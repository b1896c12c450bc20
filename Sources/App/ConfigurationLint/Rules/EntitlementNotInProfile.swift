import AppConfiguration
import ExternalPurchaseCore

/// The app has an entitlement that its provisioning profile does not allow.
///
/// A device refuses to install such an app, and an upload is rejected. The profile allows the entitlements of the App
/// ID, which Apple adds only after it has approved the request.
///
/// Enable the entitlement for the App ID, generate the profile again and sign with the new one.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// <!-- provisioning profile -->
/// <key>application-identifier</key>
/// <string>ABCDE12345.com.acme.app</string>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// <!-- provisioning profile -->
/// <key>application-identifier</key>
/// <string>ABCDE12345.com.acme.app</string>
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// ```
///
/// Follows: CF-20 (house).
struct EntitlementNotInProfile: Rule {
    static let id = "entitlement-not-in-profile"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let configuration = subject.configuration
        guard let profile = configuration.profileEntitlements else { return [] }
        return context.entitlements.flatMap { name -> [Finding] in
            guard let declared = subject.entitlement(name, in: configuration.effectiveEntitlements), declared.counts,
                !isGranted(name, subject.entitlement(name, in: profile)?.value)
            else { return [] }
            return finding(
                "The provisioning profile does not grant \(name)",
                at: declared.location,
                hint: "Enable it for the App ID and regenerate the profile.",
                related: [profile.locationOfMissing(name)]
            )
        }
    }

    private func isGranted(_ name: Entitlement, _ value: PropertyListValue?) -> Bool {
        guard name.isRegionList else { return value == .bool(true) }
        return value != nil && value != .bool(false)
    }
}
