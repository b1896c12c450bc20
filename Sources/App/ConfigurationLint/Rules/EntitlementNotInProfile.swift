import AppConfiguration
import ExternalPurchaseCore

/// The app has an entitlement that its provisioning profile does not allow.
///
/// A device refuses to install such an app, and an upload is rejected. The profile allows the entitlements of the App
/// ID, which Apple adds only after it has approved the request. The profile of another App ID or team allows nothing to the app.
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
        return otherApp(subject, profile)
            + context.entitlements.flatMap { name -> [Finding] in
                guard let declared = subject.entitlement(name, in: configuration.effectiveEntitlements),
                    declared.counts,
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

    /// The profile of another app or team, which grants nothing to this one.
    private func otherApp(_ subject: WholeApp, _ profile: PropertyListFile) -> [Finding] {
        guard let signed = subject.configuration.signedEntitlements, subject.isConcerned else { return [] }
        // The second is that of macOS.
        return ["application-identifier", "com.apple.application-identifier"].flatMap { name -> [Finding] in
            guard let used = signed.member(name), case .string(let app) = used.node.value,
                let granted = profile.member(name), case .string(let pattern) = granted.node.value,
                pattern.last == "*" ? !app.hasPrefix(pattern.dropLast()) : app != pattern
            else { return [] }
            return finding(
                "The provisioning profile is for \(pattern), and the app is \(app)",
                at: Location(of: used, in: signed),
                hint: "Sign with the profile of this App ID and team.",
                related: [Location(of: granted, in: profile).related("\(pattern) is here")]
            )
        }
    }

    private func isGranted(_ name: Entitlement, _ value: PropertyListValue?) -> Bool {
        guard name.isRegionList else { return value == .bool(true) }
        return value != nil && value != .bool(false)
    }
}
