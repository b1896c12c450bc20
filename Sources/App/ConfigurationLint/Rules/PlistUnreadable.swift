public import AppConfiguration

/// The file is neither an XML nor a binary property list.
///
/// A system that cannot read Info.plist does not install the app, and one malformed tag hides everything after it, so
/// no other rule is applied to this file. Old-style lists with braces and `;` are refused as well.
///
/// Open the file in a property list editor, or check the line of the finding: the usual causes are a tag that is not
/// closed and an `&` that is not written `&amp;`.
///
/// Breaks it:
///
/// ```xml
/// <plist version="1.0">
/// <dict>
///     <key>CFBundleIdentifier</key>
///     <string>com.acme.app</string>
///     <key>SKExternalPurchase</key>
///     <array><string>nl</array>
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
///     <key>SKExternalPurchase</key>
///     <array><string>nl</string></array>
/// </dict>
/// </plist>
/// ```
///
/// Follows: CF-1 (house).
enum PlistUnreadable: CataloguedRule {
    static let id = "plist-unreadable"
    static let severity = Severity.error
}

extension Finding {
    /// Creates the finding for a file that could not be read as a property list with a dictionary.
    ///
    /// - Parameter error: why the file could not be read. The result is nil when the file is missing or cannot be
    ///   accessed, which is not a fault of the app.
    public init?(_ error: ConfigurationReadError) {
        let rule: String
        switch error.cause {
        case .missing, .unreadable: return nil
        case .tooLarge, .notPropertyList: rule = PlistUnreadable.id
        case .notArtifact, .notDescription: rule = ArtifactUnreadable.id
        case .rootNotDictionary: rule = PlistRootNotDictionary.id
        }
        self.init(
            rule: rule,
            severity: .error,
            file: error.file,
            position: error.position,
            message: error.message,
            hint: error.hint
        )
    }
}
