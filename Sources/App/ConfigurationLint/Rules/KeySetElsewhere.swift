import AppConfiguration

/// A build setting or a strings catalog sets a key of external purchases.
///
/// Xcode merges `INFOPLIST_KEY_…` settings and localised values into Info.plist when it builds. The linter recognises
/// the value but does not check it, because only the build determines which of them takes precedence.
///
/// Move the key to the Info.plist file, where it can be checked, or lint the built bundle. A localised value would
/// also make the declaration depend on the language of the device.
///
/// Breaks it:
///
/// ```xcconfig
/// INFOPLIST_KEY_SKExternalPurchase = nl
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-1 (house).
struct KeySetElsewhere: Rule {
    static let id = "key-set-elsewhere"
    static let severity = Severity.note

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        subject.configuration.elsewhere.flatMap { key in
            let source =
                switch key.source {
                case .buildSetting: "a build setting"
                case .stringsCatalog: "a strings catalog"
                }
            return finding(
                "\(key.key) is set by \(source); it was recognised and not checked",
                at: Location(file: key.file, position: key.position, key: key.key, path: key.key),
                hint: "Put it in the Info.plist file, or lint the built bundle."
            )
        }
    }
}
