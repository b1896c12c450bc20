import ExternalPurchaseCore

/// A key looks like one of external purchases but is none that the systems read.
///
/// StoreKit looks keys and entitlements up by their exact names. What has another name is ignored without a word, so a
/// slip of the pen turns the whole flow off.
///
/// Write the name that the hint proposes, or remove the key when it is a left-over.
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
        // Names share long beginnings: what follows them is compared.
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
