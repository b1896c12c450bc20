import ExternalPurchaseCore

/// A key looks like an external purchase key but is unknown to the systems.
///
/// StoreKit looks up keys and entitlements by their exact names. Other names are ignored without an error, so a
/// typing error disables the whole flow.
///
/// It is an error where a known name is near: at most two letters differ, some letters more or less stand at the end, or an
/// entitlement lacks `storekit.`. Use the name in the hint, or remove the key if it is obsolete.
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
        let near = Self.nearest(to: name)
        let prefix = Self.prefixes.first { name.utf8.starts(with: $0.utf8) }
        guard prefix != nil || near != nil else { return [] }
        let kind = name.hasPrefix("SK") ? Self.keys : Self.entitlements
        return finding(
            "\(name) is not a known key",
            at: subject.location,
            hint: near.map { "Did you mean \($0)?" } ?? kind,
            severity: near == nil ? Self.severity : .error
        )
    }

    /// The known name that was probably meant.
    private static func nearest(to name: String) -> String? {
        let bytes = Array(name.utf8)
        // Keys of other vendors may have similar names.
        guard bytes.count <= longest, ["SK", "KS", "com."].contains(where: { name.hasPrefix($0) }) else { return nil }
        if let near = known.nearest(to: name) { return near }
        let beginning = "com.apple.developer."
        if name.hasPrefix(beginning), !name.hasPrefix(domain) {
            return known.nearest(to: domain + name.dropFirst(beginning.count))
        }
        return known.filter { other in
            let (short, long) = other.utf8.count < bytes.count ? (other, name) : (name, other)
            return long.utf8.starts(with: short.utf8) && long.utf8.count - short.utf8.count <= 4
        }.max { $0.utf8.count < $1.utf8.count }
    }

    private static let domain = "com.apple.developer.storekit."
    private static let prefixes = ["SKExternal", "\(domain)external-", "\(domain)custom-"]
    private static let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
    private static let names = Set(known.map { Array($0.utf8) })

    private static let longest = (known.map(\.utf8.count).max() ?? 0) + 16

    /// The hints that list the known names, which are made once, because a file may have thousands of unknown keys.
    private static let keys = list("SKExternal")
    private static let entitlements = list(domain)

    private static func list(_ prefix: String) -> FindingText {
        "Known are \(whole: known.filter { $0.hasPrefix(prefix) }.joined(separator: ", "))."
    }
}
