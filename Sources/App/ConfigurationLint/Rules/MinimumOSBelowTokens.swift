import ExternalPurchaseCore

/// The app runs on systems on which its external purchases return no token.
///
/// From iOS 15.4 to 17.3 `ExternalPurchase` and `ExternalPurchaseLink` work, but return no token. Purchases made
/// there still have to be reported, although no token identifies them.
///
/// Raise the minimum OS to 17.4, offer the flow only from that version, or plan manual reports for older systems.
///
/// Breaks it:
///
/// ```xml
/// <key>MinimumOSVersion</key>
/// <string>16.0</string>
/// <key>SKExternalPurchase</key>
/// <array><string>kr</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>MinimumOSVersion</key>
/// <string>17.4</string>
/// <key>SKExternalPurchase</key>
/// <array><string>kr</string></array>
/// ```
///
/// Follows: CF-62 (documented).
struct MinimumOSBelowTokens: Rule {
    static let id = "minimum-os-below-tokens"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let deployment = subject.deployment
        guard [.iOS, .iPadOS].contains(deployment.platform), let minimum = deployment.minimum,
            minimum < Self.firstWithTokens
        else { return [] }
        return [PlistKey.externalPurchase, .link].compactMap(subject.key).flatMap { key in
            finding(
                "On 15.4–17.3 these APIs give no token",
                at: key.location,
                hint: "Raise the minimum or plan manual reports.",
                related: [deployment.location].compactMap { $0?.related("the app runs from \(minimum)") }
            )
        }
    }

    private static let firstWithTokens = OSVersion(17, 4)
}
