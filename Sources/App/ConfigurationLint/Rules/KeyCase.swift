import ExternalPurchaseCore

/// A key differs from a known key or entitlement only in upper and lower case.
///
/// Keys are compared exactly. A key in another case is an unknown key: there is no error, and the intended API is
/// never available.
///
/// Use the spelling in the message. The value does not need to change.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalpurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-10 (house).
struct KeyCase: Rule {
    static let id = "key-case"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        guard let expected = Self.spellings[subject.name.lowercased()], expected != subject.name else { return [] }
        return finding(
            "\(subject.name) is not read; the key is spelled \(expected)",
            at: subject.location,
            hint: "Rename.",
            edits: [subject.location.edit(.text, expected)]
        )
    }

    /// The known names by their lower-case forms.
    private static let spellings: [String: String] = {
        let names = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
        return Dictionary(uniqueKeysWithValues: names.map { ($0.lowercased(), $0) })
    }()
}
