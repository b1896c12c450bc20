import AppConfiguration

/// A Boolean entitlement has another type, or the list of allowed regions is not an array.
///
/// A Boolean entitlement counts only when it is `true`; a string or number counts as absent, and signing may refuse
/// the file. The list of allowed regions is an array of codes, also for one region.
///
/// Write `<true/>` or an array. `--fix` replaces `"true"`, `"YES"` and `1`, whose meaning is unambiguous.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase</key>
/// <string>true</string>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase</key>
/// <true/>
/// ```
///
/// Follows: CF-21 (documented).
struct EntitlementWrongType: Rule {
    static let id = "entitlement-wrong-type"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .entitlement, !subject.shape.admits(subject.node.value) else { return [] }
        let isMeantTrue = subject.shape == .boolean && Self.meansTrue(subject.node.value)
        let edits = isMeantTrue ? [FindingEdit(.element, "<true/>", at: subject.node.position)] : []
        return finding(
            "\(subject.location.key ?? "") must be \(subject.shape.description), "
                + "found \(subject.node.value.typeNameWithArticle)",
            at: subject.location,
            hint: "Write `\(whole: subject.member(in: context))`.",
            edits: edits
        )
    }

    private static func meansTrue(_ value: PropertyListValue) -> Bool {
        [.string("true"), .string("YES"), .integer(1)].contains(value)
    }
}
