import ExternalPurchaseCore

/// A key equals a known key or entitlement except for upper and lower case.
///
/// Keys are compared letter by letter. One with another capital is just an unknown key: nothing complains, and the
/// API it was meant for is never available.
///
/// Take the spelling from the message. The value may stay as it is.
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
