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

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        var custom: [String: Location] = [:]
        for route in context.pack.routes[.customLink] ?? [] {
            for entry in subject.entries(of: route.storefrontsFrom) where !entry.findings.hasError {
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
