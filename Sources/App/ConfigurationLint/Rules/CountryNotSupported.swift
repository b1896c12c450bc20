import ExternalPurchaseCore

/// The region exists, but this key or entitlement does not support it.
///
/// Each key has its own list of regions: South Korea is in `SKExternalPurchase` only, Russia in the link keys only,
/// Iceland and Norway in the link and streaming keys. An entry outside the list is ignored.
///
/// The hint names the lists that do have the region; move the entry to one of them, or remove it.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>ch</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>kr</string></array>
/// ```
///
/// Follows: CF-10, CF-60 (documented).
struct CountryNotSupported: Rule {
    static let id = "country-not-supported"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard !subject.list.lists(subject.lowercased) else { return [] }
        let keys = PlistKey.all.filter { context.pack.plistKeys[$0]?.codes?.contains(subject.lowercased) == true }
        let entitlements = Entitlement.all.filter {
            context.pack.entitlements[$0]?.codes?.contains(subject.lowercased) == true
        }
        let names = keys.map(\.rawValue) + entitlements.map(\.rawValue)
        return finding(
            "\(subject.list.name) does not support \(subject.code)",
            at: subject.location,
            hint: "Lists that do: \(whole: names.isEmpty ? "none" : names.joined(separator: ", "))."
        )
    }
}
