import AppConfiguration

/// The app uses external purchases, but Info.plist gives it no bundle identifier.
///
/// StoreKit opens a link with the app's bundle identifier in its query, and tokens are issued for it. Without one the
/// website does not know which app a customer came from, and no report can be sent.
///
/// Set `CFBundleIdentifier`. In a source file `$(PRODUCT_BUNDLE_IDENTIFIER)` is fine: the build replaces it.
///
/// Breaks it:
///
/// ```xml
/// <plist version="1.0">
/// <dict>
///     <key>MinimumOSVersion</key>
///     <string>26.5</string>
///     <key>SKExternalPurchase</key>
///     <array><string>nl</string></array>
/// </dict>
/// </plist>
/// ```
///
/// Right:
///
/// ```xml
/// <plist version="1.0">
/// <dict>
///     <key>CFBundleIdentifier</key>
///     <string>com.acme.app</string>
///     <key>MinimumOSVersion</key>
///     <string>26.5</string>
///     <key>SKExternalPurchase</key>
///     <array><string>nl</string></array>
/// </dict>
/// </plist>
/// ```
///
/// Follows: CF-75 (house).
struct BundleIdMissing: Rule {
    static let id = "bundle-id-missing"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard let file = subject.configuration.infoPlist, subject.isConcerned else { return [] }
        // The build adds the bundle id of its settings to an Info.plist that it generates.
        if subject.configuration.generatedInfoPlist?.member("CFBundleIdentifier") != nil { return [] }
        let member = file.member("CFBundleIdentifier")
        if case .string(let id) = member?.node.value, !id.isEmpty { return [] }
        return finding(
            "No bundle identifier: the opened URL could not carry bundleId",
            at: member.map { Location(of: $0, in: file) } ?? Location(rootOf: file),
            hint: file.format == .json ? "Set `expo.ios.bundleIdentifier`." : "Set `CFBundleIdentifier`."
        )
    }
}
