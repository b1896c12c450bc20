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
        guard let prefix = Self.prefixes.first(where: { name.utf8.starts(with: $0.utf8) }),
            !Self.names.contains(Array(name.utf8)), context.legacyEntitlements[Entitlement(rawValue: name)] == nil
        else { return [] }
        // The names have long common prefixes, so only the rest is compared.
        let kind = prefix.hasPrefix("SK") ? Self.keys : Self.entitlements
        let ending = String(decoding: name.utf8.dropFirst(kind.prefix.utf8.count), as: UTF8.self)
        let nearest = kind.endings.nearest(to: ending)
        return finding(
            "\(name) is not a known key",
            at: subject.location,
            hint: nearest.map { "Did you mean \(kind.prefix)\($0)?" } ?? kind.list
        )
    }

    private static let domain = "com.apple.developer.storekit."
    private static let prefixes = ["SKExternal", "\(domain)external-", "\(domain)custom-"]
    private static let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
    private static let names = Set(known.map { Array($0.utf8) })

    /// The known names with a prefix.
    ///
    /// The hint that lists them is made once, because a file may have thousands of unknown keys.
    private struct Kind {
        let prefix: String
        let endings: [String]
        let list: FindingText

        init(_ prefix: String) {
            self.prefix = prefix
            let names = KeyUnknown.known.filter { $0.hasPrefix(prefix) }
            endings = names.map { String($0.dropFirst(prefix.count)) }
            list = "Known are \(whole: names.joined(separator: ", "))."
        }
    }

    private static let keys = Kind("SKExternal")
    private static let entitlements = Kind(domain)
}
