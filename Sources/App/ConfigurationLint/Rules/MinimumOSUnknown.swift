import AppConfiguration

/// Info.plist names no usable minimum OS, so that the rules about versions were skipped.
///
/// Xcode writes the minimum OS into the bundle when it builds; source files often lack it or hold a build variable.
/// The systems that the app supports are unknown then.
///
/// Lint the built bundle, which contains the version. A usable version is one to three numbers with points.
///
/// Breaks it:
///
/// ```xml
/// <plist version="1.0">
/// <dict>
///     <key>CFBundleIdentifier</key>
///     <string>com.acme.app</string>
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
///     <string>18.0</string>
///     <key>SKExternalPurchase</key>
///     <array><string>nl</string></array>
/// </dict>
/// </plist>
/// ```
///
/// Follows: CF-74 (house).
struct MinimumOSUnknown: Rule {
    static let id = "minimum-os-unknown"
    static let severity = Severity.note

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard subject.isConcerned, subject.deployment.minimum == nil, let location = subject.deployment.location else {
            return []
        }
        return finding(
            "No usable minimum OS; version rules were skipped",
            at: location,
            hint: context.options.built ? "Set the deployment target and build again." : "Lint the built bundle."
        )
    }
}
