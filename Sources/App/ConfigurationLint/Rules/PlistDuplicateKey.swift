import AppConfiguration

/// One dictionary of a text file has the same key twice.
///
/// Property lists do not forbid it, but readers use different copies: Xcode, the device and App Review may see
/// different countries or links. At run time the repeated entry counts as absent.
///
/// Merge both values under one key. Often a merge conflict was resolved by keeping both sides.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// <key>SKExternalPurchase</key>
/// <array><string>de</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string><string>de</string></array>
/// ```
///
/// Follows: CF-50 (house).
struct PlistDuplicateKey: Rule {
    static let id = "plist-duplicate-key"
    static let severity = Severity.error

    func findings(for subject: KeyedMembers, in context: LintContext) -> [Finding] {
        guard subject.format != .binary else { return [] }
        return subject.keys.repeated { Array($0.name.utf8) }.flatMap { same in
            let last = same[same.count - 1]
            return finding(
                "\(last.name) appears \(same.count) times in one dictionary; readers use different ones",
                at: last.location,
                hint: "Merge the entries."
            )
        }
    }
}
