import AppConfiguration

/// The outermost value of the file is not a dictionary, so the file declares no keys at all.
///
/// Info.plist and entitlements are dictionaries by definition. Anything else is read as if it were empty, and no
/// external purchase API is available.
///
/// Put the content into one `<dict>` and give each value its key.
///
/// Breaks it:
///
/// ```xml
/// <plist version="1.0">
/// <array><string>nl</string></array>
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
///     <key>SKExternalPurchase</key>
///     <array><string>nl</string></array>
/// </dict>
/// </plist>
/// ```
///
/// Follows: CF-2 (house).
struct PlistRootNotDictionary: Rule {
    static let id = "plist-root-not-dictionary"
    static let severity = Severity.error

    func findings(for subject: WholeFile, in context: LintContext) -> [Finding] {
        let root = subject.file.root
        if case .dictionary = root.value { return [] }
        return finding(
            "The root of \(whole: subject.file.path) is \(root.value.typeNameWithArticle), not a dictionary",
            at: Location(file: subject.file.path, position: root.position),
            hint: "Wrap the content in `<dict>`."
        )
    }
}
