import AppConfiguration
import ExternalPurchaseCore

/// An entitlement is in the `.entitlements` file but not in the signature of the binary.
///
/// The system reads only the signature. An entitlement that is missing there is disabled on every device, regardless
/// of the source, and no error explains why.
///
/// Check that `CODE_SIGN_ENTITLEMENTS` of this target names this file, that the provisioning profile grants the
/// entitlement, and that no later step signs the app again without it.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// <!-- signed entitlements -->
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
/// <!-- signed entitlements -->
/// <key>application-identifier</key>
/// <string>ABCDE12345.com.acme.app</string>
/// <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
/// <array><string>jp</string></array>
/// ```
///
/// Follows: CF-1, CF-20 (house).
struct EntitlementNotSigned: Rule {
    static let id = "entitlement-not-signed"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let configuration = subject.configuration
        guard let signed = configuration.signedEntitlements else { return [] }
        return context.entitlements.flatMap { name -> [Finding] in
            guard let declared = subject.entitlement(name, in: configuration.entitlements), declared.counts,
                subject.entitlement(name, in: signed) == nil
            else { return [] }
            return finding(
                "\(name) did not make it into the signature",
                at: declared.location,
                hint: "Check CODE_SIGN_ENTITLEMENTS of this target and the profile.",
                related: [signed.locationOfMissing(name)]
            )
        }
    }
}
