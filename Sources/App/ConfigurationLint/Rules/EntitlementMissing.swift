import AppConfiguration
import ExternalPurchaseCore

/// Info.plist has a key whose entitlement the app lacks.
///
/// StoreKit requires both: the key lists where the flow is offered, and the entitlement proves that Apple has allowed
/// it. Without the entitlement the API is not available in any storefront, on any device.
///
/// Request the entitlement from Apple, then add it to the `.entitlements` file of this target and to its App ID. For
/// `SKExternalPurchaseLink` the list of allowed regions is sufficient as well, from rule pack 2026-06 on. Where that list opens
/// the API by itself and has every region of the key, the key is superfluous, which is a warning.
///
/// An Xcode target without `CODE_SIGN_ENTITLEMENTS`, or whose setting names a file that does not exist, has no entitlement.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.security.app-sandbox</key>
/// <true/>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.security.app-sandbox</key>
/// <true/>
/// <key>com.apple.developer.storekit.external-purchase</key>
/// <true/>
/// ```
///
/// Follows: CF-10, CF-23 (documented).
struct EntitlementMissing: Rule {
    static let id = "entitlement-missing"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        subject.keys(in: context.pack).filter { $0.name != .streamingRegions }.flatMap { key -> [Finding] in
            guard let missing = subject.missingEntitlements(of: key.name, in: context) else { return [] }
            guard !subject.isServedByAllowedRegions(key.name, in: context) else {
                return finding(
                    "\(key.name) has no effect without \(whole: missing.entitlements.map(\.rawValue).joined(separator: " or "))",
                    at: key.location,
                    hint: "Remove it: the allowed-regions entitlement serves all of its regions.",
                    related: [missing.location],
                    severity: .warning
                )
            }
            return finding(
                "\(key.name) needs \(whole: missing.entitlements.map(\.rawValue).joined(separator: " or "))",
                at: key.location,
                hint: """
                    \(whole: subject.hasEntitlementsFile ? "Add it to \(context.entitlementsPlace(for: missing.location.file))" : Self.setting) \
                    after Apple granted it: \
                    `\(whole: context.fragment(of: missing.entitlements[0], in: missing.location.file))`
                    """,
                related: [missing.location]
            )
        }
    }

    private static let setting = "Name an `.entitlements` file with it in CODE_SIGN_ENTITLEMENTS of the target,"
}

extension WholeApp {
    /// True for a key that another entitlement makes superfluous: the allowed regions open its API by themselves (CF-22, CF-23),
    /// and have every region that it lists.
    fileprivate func isServedByAllowedRegions(_ key: PlistKey, in context: LintContext) -> Bool {
        let groups = context.pack.routes.values.filter { routes in
            routes.contains { $0.storefrontsFrom == .plistKey(key) }
        }
        let areOpened = groups.allSatisfy { routes in
            routes.contains { $0.storefrontsFrom == .entitlement(.allowedRegions) && $0.alsoListedIn == nil }
        }
        func codes(_ list: RulePack.StorefrontList) -> Set<String> {
            Set(entries(of: list).filter { !$0.findings.hasError }.compactMap(\.code))
        }
        let listed = codes(.plistKey(key))
        return !groups.isEmpty && areOpened && !listed.isEmpty
            && listed.isSubset(of: codes(.entitlement(.allowedRegions)))
    }

    /// False when the settings of the target prove that it has no entitlements (CF-6).
    var hasEntitlementsFile: Bool { editableEntitlements?.format != .buildSettings }
}

extension WholeApp {
    /// Returns the entitlements that a key requires, if the app has none of them.
    ///
    /// An entitlement that is `false` counts as absent; one of another type has its own finding. Nil when the app has
    /// one of them, when there is no entitlements file, and for a key that lists only countries that left it.
    func missingEntitlements(
        of key: PlistKey,
        in context: LintContext
    ) -> (entitlements: [Entitlement], location: RelatedLocation)? {
        guard let file = editableEntitlements, let listing = context.pack.plistKeys[key] else { return nil }
        let pairing = listing.entitlements
        // A country that left the key needs no entitlement (CF-61).
        let codes = entries(of: .plistKey(key)).map { $0.code?.lowercased() ?? "" }
        guard codes.isEmpty || !codes.allSatisfy(listing.withdrawn.contains) else { return nil }
        let isMissing = pairing.allSatisfy { name in
            entitlement(name, in: file).map { $0.value == .bool(false) } ?? true
        }
        // A list of autumn 2025 replaces its Boolean entitlement (CF-24).
        let hasLegacy = context.legacyEntitlements.contains { name, stoodFor in
            context.pack.legacyList(standingFor: stoodFor, serves: key) && entitlement(name, in: file) != nil
        }
        guard isMissing, !hasLegacy, let first = pairing.first else { return nil }
        return (pairing, file.locationOfMissing(first))
    }
}
