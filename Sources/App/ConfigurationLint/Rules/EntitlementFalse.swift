import AppConfiguration

/// An entitlement is set to false, which has the same effect as omitting it.
///
/// A Boolean entitlement counts only when it is true. With `<false/>` the file looks configured although the flow is
/// disabled.
///
/// Set it to true, or remove it so that the file shows the actual state.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase</key>
/// <false/>
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
/// Follows: CF-21 (house).
struct EntitlementFalse: Rule {
    static let id = "entitlement-false"
    static let severity = Severity.warning

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .entitlement, subject.shape == .boolean, subject.node.value == .bool(false) else {
            return []
        }
        return finding(
            "\(subject.location.key ?? "") is false, which is the same as absent",
            at: subject.location,
            hint: "Set it to true or remove it."
        )
    }
}
