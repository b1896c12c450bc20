import AppConfiguration
import ExternalPurchaseCore

/// A country has no link on the older systems that the app supports.
///
/// `SKExternalPurchaseMultiLink` is read from the 17.5 generation on. Before it, StoreKit knows
/// `SKExternalPurchaseLink` only, and `canOpen` is false in a country that is missing there. Apple's older documents
/// distinguish the two keys by these systems.
///
/// Repeat one link of the country in `SKExternalPurchaseLink`, or raise the minimum OS.
///
/// Breaks it:
///
/// ```xml
/// <key>MinimumOSVersion</key>
/// <string>17.4</string>
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array><string>https://shop.acme.example/nl</string></array>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>MinimumOSVersion</key>
/// <string>17.4</string>
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array><string>https://shop.acme.example/nl</string></array>
/// </dict>
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Follows: CF-12 (documented).
struct MultiLinkWithoutFallback: Rule {
    static let id = "multi-link-without-fallback"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let deployment = subject.deployment
        guard subject.key(.multiLink) != nil, let minimum = deployment.minimum,
            let since = context.tables.plistKeyAvailability[.multiLink]?[deployment.platform], minimum < since
        else { return [] }
        let single = subject.key(.link)
        let covered = Set(subject.entries(of: .plistKey(.link)).compactMap(\.code))
        return subject.entries(of: .plistKey(.multiLink)).flatMap { entry -> [Finding] in
            guard let code = entry.code, !covered.contains(code), !UnresolvedVariable.isHit(code),
                !entry.findings.hasError
            else { return [] }
            return finding(
                "On systems before \(deployment.platformName) \(since) \(code) has no link",
                at: entry.location,
                hint: "Repeat one link in `\(PlistKey.link)`.",
                related: [
                    single?.location.related("\(code) is not in \(PlistKey.link)"),
                    deployment.location?.related("the app runs from \(minimum)"),
                ].compactMap(\.self)
            )
        }
    }
}
