import AppConfiguration

/// The value of a known key does not have the documented type.
///
/// A key of the wrong type counts as absent: the API behaves as if the app had declared nothing. Lists of regions are
/// arrays of strings; the link keys are dictionaries from a code to a URL, or to an array of URLs for
/// `SKExternalPurchaseMultiLink`.
///
/// Rewrite the value in the documented form, even if there is only one code.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <string>nl</string>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-10, CF-51 (documented).
struct KeyWrongType: Rule {
    static let id = "key-wrong-type"
    static let severity = Severity.error

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .plistKey, !subject.shape.admits(subject.node.value) else { return [] }
        return finding(
            "\(subject.location.key ?? "") must be \(subject.shape.description), "
                + "found \(subject.node.value.typeNameWithArticle)",
            at: subject.location,
            hint: "Write `\(whole: subject.member(in: context))`."
        )
    }
}
