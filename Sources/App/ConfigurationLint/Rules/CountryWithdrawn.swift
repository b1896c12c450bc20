import ExternalPurchaseCore

/// A link key lists a region that is no longer supported.
///
/// The United States left the link keys when apps there no longer needed an entitlement for links. The entry is
/// ignored, and purchases through such links have no token.
///
/// Remove the entry. If the older rules apply to the app, choose an older rule pack.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>us</key>
///     <string>https://shop.acme.example/us</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-60, CF-61 (documented).
struct CountryWithdrawn: Rule {
    static let id = "country-withdrawn"
    static let severity = Severity.warning

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard case .plistKey(let key) = subject.list.source, subject.list.withdrawn.contains(subject.lowercased) else {
            return []
        }
        let since = context.tables.packs.first { pack in
            pack.plistKeys[key]?.withdrawn.contains(subject.lowercased) == true
        }
        return finding(
            "\(subject.code) left \(key) with pack \((since ?? context.pack).id); the entry has no effect",
            at: subject.location,
            hint: "Remove it; the US storefront needs no entitlement and issues no token."
        )
    }
}
