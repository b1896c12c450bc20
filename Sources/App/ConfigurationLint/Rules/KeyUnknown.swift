import ExternalPurchaseCore

/// A key looks like an external purchase key but is unknown to the systems.
///
/// StoreKit looks up keys and entitlements by their exact names. Other names are ignored without an error, so a
/// typing error disables the whole flow.
///
/// It is an error where a known name is near: at most two letters differ, some letters more or less stand at the end,
/// separators or case differ, or a part of `com.apple.developer.storekit.` or all of it is missing. A key without `SK` is
/// a warning, because it may be one of the app's own. Use the name in the hint, or remove the key if it is obsolete.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseRegions</key>
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
struct KeyUnknown: Rule {
    static let id = "key-unknown"
    static let severity = Severity.warning

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        let name = subject.name
        guard !Self.names.contains(Array(name.utf8)), context.legacyEntitlements[Entitlement(rawValue: name)] == nil
        else { return [] }
        let near = KnownEntryName.nearest(
            to: name,
            in: subject.kind == .infoPlist ? .infoPlist : .entitlements,
            or: context.legacyEntitlements.keys.map(\.rawValue)
        )
        let prefix = Self.prefixes.first { name.utf8.starts(with: $0.utf8) }
        guard prefix != nil || near != nil else { return [] }
        let kind = name.hasPrefix("SK") ? Self.keys : Self.entitlements
        return finding(
            "\(name) is not a known key",
            at: subject.location,
            hint: near.map { "Did you mean \($0.name)?" } ?? kind,
            severity: near?.isCertain == true ? .error : Self.severity
        )
    }

    private static let domain = "com.apple.developer.storekit."
    private static let prefixes = ["SKExternal", "\(domain)external-", "\(domain)custom-"]
    private static let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
    private static let names = Set(known.map { Array($0.utf8) })

    /// The hints that list the known names, which are made once, because a file may have thousands of unknown keys.
    private static let keys = list("SKExternal")
    private static let entitlements = list(domain)

    private static func list(_ prefix: String) -> FindingText {
        "Known are \(whole: known.filter { $0.hasPrefix(prefix) }.joined(separator: ", "))."
    }
}
