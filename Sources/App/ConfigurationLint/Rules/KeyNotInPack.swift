import ExternalPurchaseCore

/// The chosen rule pack does not have the key or entitlement yet.
///
/// A rule pack represents Apple's documents of one month. In an older pack the key is unknown, so its content is not
/// checked, and the simulator does not read it either.
///
/// Choose a newer pack, by default the newest, or remove the key if the app follows the older rules.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist, rule pack 2024-04 -->
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist, rule pack 2025-07 -->
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-60 (house).
struct KeyNotInPack: Rule {
    static let id = "key-not-in-pack"
    static let severity = Severity.warning

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        guard !has(context.pack, subject.name), let since = context.tables.packs.first(where: { has($0, subject.name) })
        else { return [] }
        return finding(
            "\(subject.name) does not exist in rule pack \(context.pack.id)",
            at: subject.location,
            hint: "It came with pack \(since.id)."
        )
    }

    private func has(_ pack: RulePack, _ name: String) -> Bool {
        pack.plistKeys[PlistKey(rawValue: name)] != nil || pack.entitlements[Entitlement(rawValue: name)] != nil
    }
}
