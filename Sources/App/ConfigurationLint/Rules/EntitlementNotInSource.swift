import AppConfiguration
import ExternalPurchaseCore

/// The binary is signed with an entitlement that the `.entitlements` file does not have.
///
/// The shipped app differs from its source: another file or a later signing step adds the entitlement. The next build
/// from this source may lose it.
///
/// Find out where it comes from, and add it to the `.entitlements` file of this target.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.security.app-sandbox</key>
/// <true/>
/// <!-- signed entitlements -->
/// <key>com.apple.security.app-sandbox</key>
/// <true/>
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// <!-- signed entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// ```
///
/// Follows: CF-20 (house).
struct EntitlementNotInSource: Rule {
    static let id = "entitlement-not-in-source"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let configuration = subject.configuration
        guard let source = configuration.entitlements else { return [] }
        return context.entitlements.flatMap { name -> [Finding] in
            guard let declared = subject.entitlement(name, in: configuration.signedEntitlements), declared.counts,
                subject.entitlement(name, in: source) == nil
            else { return [] }
            return finding(
                "\(name) is signed in but not in \(whole: source.path)",
                at: declared.location,
                hint: "Another file or a re-signing step adds it.",
                related: [source.locationOfMissing(name)]
            )
        }
    }
}
