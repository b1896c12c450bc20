import AppConfiguration
import ExternalPurchaseCore

/// A key or entitlement does not exist on the platform of the app.
///
/// Streaming regions exist on iOS and iPadOS only, account links on iOS, iPadOS and tvOS. On another platform the
/// key is never read, and an entitlement that the platform does not have can make signing or upload fail.
///
/// Remove it from this target. A target for several platforms needs a separate Info.plist or `.entitlements` file for
/// each.
///
/// Breaks it:
///
/// ```xml
/// <key>CFBundleSupportedPlatforms</key>
/// <array><string>MacOSX</string></array>
/// <key>LSMinimumSystemVersion</key>
/// <string>26.5</string>
/// <key>SKExternalLinkAccount</key>
/// <dict>
///     <key>*</key>
///     <string>https://acme.example/account</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>CFBundleSupportedPlatforms</key>
/// <array><string>iPhoneOS</string></array>
/// <key>MinimumOSVersion</key>
/// <string>26.5</string>
/// <key>SKExternalLinkAccount</key>
/// <dict>
///     <key>*</key>
///     <string>https://acme.example/account</string>
/// </dict>
/// ```
///
/// Follows: CF-10 (documented).
struct KeyUnavailableOnPlatform: Rule {
    static let id = "key-unavailable-on-platform"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let platform = subject.deployment.platform
        let keys = subject.keys(in: context.pack).filter {
            context.tables.plistKeyAvailability[$0.name]?[platform] == nil
        }
        let entitlements = subject.usedEntitlements(in: context.pack).filter {
            context.tables.entitlementAvailability[$0.name]?[platform] == nil
        }
        // A key and its entitlement belong together, so one finding names both.
        let onKeys = keys.flatMap { key in
            let pairing = context.pack.plistKeys[key.name]?.entitlements ?? []
            return finding(
                "\(key.name) does not exist on \(subject.deployment.platformName)",
                at: key.location,
                hint: "Remove it from this target.",
                related: entitlements.filter { pairing.contains($0.name) }
                    .map { $0.location.related("nor does its entitlement \($0.name)") }
            )
        }
        let alone = entitlements.filter { entitlement in
            !keys.contains { context.pack.plistKeys[$0.name]?.entitlements.contains(entitlement.name) == true }
        }
        return onKeys
            + alone.flatMap { entitlement in
                finding(
                    "\(entitlement.name) does not exist on \(subject.deployment.platformName)",
                    at: entitlement.location,
                    hint: "Remove it from this target."
                )
            }
    }
}
