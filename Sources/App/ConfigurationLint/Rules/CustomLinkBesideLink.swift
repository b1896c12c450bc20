import AppConfiguration
import ExternalPurchaseCore

/// A country is configured for fixed links and for custom links.
///
/// Both may be declared, but they are two flows with two notices and different tokens. An app that uses both for one
/// purchase gets two tokens for it and reports it twice.
///
/// Decide for each screen which of them is used. If only one is used, remove the country from the list of the other.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>nl</string></array>
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>de</string></array>
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-25 (house).
struct CustomLinkBesideLink: Rule {
    static let id = "custom-link-beside-link"
    static let severity = Severity.note

    /// The lists of the custom-link routes, and those of autumn 2025 that replace them (CF-24).
    private static func customLinkLists(_ context: LintContext) -> [RulePack.StorefrontList] {
        (context.pack.routes[.customLink] ?? []).flatMap { route -> [RulePack.StorefrontList] in
            let legacy = context.legacyEntitlements.filter {
                $0.value == route.entitlement && context.pack.isKeyReplaced(with: $0.value)
            }
            return [route.storefrontsFrom] + legacy.keys.map { .entitlement($0) }
        }
    }

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        var custom: [String: Location] = [:]
        for list in Self.customLinkLists(context) {
            for entry in subject.entries(of: list) where !entry.findings.hasError {
                if let code = entry.code, custom[code] == nil, !UnresolvedVariable.isHit(code) {
                    custom[code] = entry.location
                }
            }
        }
        var seen: Set<String> = []
        return [PlistKey.link, .multiLink].flatMap { subject.entries(of: .plistKey($0)) }.flatMap {
            entry -> [Finding] in
            guard let code = entry.code, !entry.findings.hasError, let other = custom[code],
                seen.insert(code).inserted
            else { return [] }
            return finding(
                "\(code) is configured for fixed links and for custom links",
                at: entry.location,
                hint: "Decide per screen; never run both flows for one purchase.",
                related: [other.related("\(code) is listed for custom links here")]
            )
        }
    }
}
