import AppConfiguration
import ExternalPurchaseCore

/// An entitlement is set, but Info.plist has none of its keys.
///
/// The entitlement alone enables nothing: StoreKit looks for the storefront in the keys. App Review, on the other
/// hand, questions an entitlement that the app does not use.
///
/// Add the key with the countries in which the flow is offered, or remove the entitlement.
///
/// Breaks it:
///
/// ```xml
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase-link</key>
/// <true/>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>nl</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase-link</key>
/// <true/>
/// ```
///
/// Follows: CF-10 (house).
struct EntitlementWithoutKey: Rule {
    static let id = "entitlement-without-key"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let configuration = subject.configuration
        guard let infoPlist = configuration.infoPlist ?? configuration.generatedInfoPlist else { return [] }
        return context.entitlements.flatMap { entitlement -> [Finding] in
            guard entitlement != .allowedRegions,
                let declared = subject.entitlement(entitlement, in: subject.editableEntitlements), declared.counts
            else { return [] }
            let keys = context.keys(neededBy: entitlement)
            // Xcode ignores such a build setting.
            let isSetElsewhere = configuration.elsewhere.contains { other in
                other.source == .stringsCatalog && keys.contains(PlistKey(rawValue: other.key))
            }
            guard !keys.isEmpty, !isSetElsewhere, !keys.contains(where: { subject.key($0) != nil }) else { return [] }
            let names = keys.filter { context.pack.plistKeys[$0] != nil }.map(\.rawValue)
            let isOne = names.count == 1
            let missing = isOne ? names[0] : "none of \(names.joined(separator: ", "))"
            return finding(
                "\(entitlement) is set, but \(whole: missing) is \(whole: isOne ? "not " : "")in Info.plist",
                at: declared.location,
                hint: "Add the key or drop the entitlement.",
                related: [
                    Location(rootOf: infoPlist).related(
                        "\(whole: isOne ? "\(names[0]) is not" : "none of its keys is") in \(whole: infoPlist.path)"
                    )
                ]
            )
        }
    }
}
