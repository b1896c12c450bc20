import ExternalPurchaseCore

/// A key looks like an external purchase key but is unknown to the systems.
///
/// StoreKit looks up keys and entitlements by their exact names. Other names are ignored without an error, so a
/// typing error disables the whole flow.
///
/// Use the name in the hint, or remove the key if it is obsolete.
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
        guard let prefix = Self.prefixes.first(where: { name.hasPrefix($0) }) else { return [] }
        let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
        guard !known.contains(name), context.legacyEntitlements[Entitlement(rawValue: name)] == nil else { return [] }
        // The names have long common prefixes, so only the rest is compared.
        let shared = prefix.hasPrefix("SK") ? "SKExternal" : Self.domain
        let sameKind = known.filter { $0.hasPrefix(shared) }
        let nearest = sameKind.map { String($0.dropFirst(shared.count)) }.nearest(
            to: String(name.dropFirst(shared.count))
        )
        return finding(
            "\(name) is not a known key",
            at: subject.location,
            hint: nearest.map { "Did you mean \(shared)\($0)?" } ?? "Known are \(sameKind.joined(separator: ", "))."
        )
    }

    private static let domain = "com.apple.developer.storekit."
    private static let prefixes = ["SKExternal", "\(domain)external-", "\(domain)custom-"]
}
