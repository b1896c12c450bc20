import AppConfiguration
import ExternalPurchaseCore

/// The app lists Korea beside another region.
///
/// Apple requires a binary of its own for Korea: an app that is distributed there only, with a payment provider that
/// Apple approved, and without In-App Purchase in it. An app with `kr` beside another region is refused by App Review,
/// whichever keys and entitlements list them. The systems themselves do not refuse it.
///
/// Make a target of its own for Korea, with its own bundle id, Info.plist and entitlements, and list `kr` only there.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>kr</string><string>nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>kr</string></array>
/// ```
///
/// Follows: CF-26 (documented).
struct KoreaNeedsOwnApp: Rule {
    static let id = "korea-needs-own-app"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard let korea = subject.entriesForKorea(in: context).first else { return [] }
        let others = subject.regionEntries(in: context).filter { entry in
            entry.code != Self.korea && entry.code.map(UnresolvedVariable.isHit) == false
        }
        guard let other = others.first, let code = other.code else { return [] }
        return finding(
            "\(Self.korea) stands beside \(code); an app for Korea is a binary of its own",
            at: korea.location,
            hint: """
                List `kr` alone in a target of its own, which has no In-App Purchase either, and the other regions in \
                another target.
                """,
            related: [other.location.related("\(code) is listed here")]
        )
    }

    /// The region whose programme asks for an app of its own, as the tables have it (OB-37, SK-87).
    static let korea = RulePack.newest.programmes.first { $0.terms?.isOwnApp == true }?.storefronts.first ?? ""
}

extension WholeApp {
    /// The entries for Korea, without those that have an error.
    func entriesForKorea(in context: LintContext) -> [InspectedEntry] {
        regionEntries(in: context).filter { $0.code == KoreaNeedsOwnApp.korea }
    }

    /// The entries of all keys and entitlements that list regions of external purchases, without those that have an
    /// error.
    fileprivate func regionEntries(in context: LintContext) -> [InspectedEntry] {
        // The codes of account links are not tied to a programme (CF-14).
        let keys = PlistKey.all.filter { $0 != .linkAccount }.map(RulePack.StorefrontList.plistKey)
        let lists = context.entitlements.filter { $0.isRegionList || context.legacyEntitlements[$0] != nil }
        return (keys + lists.map(RulePack.StorefrontList.entitlement)).flatMap { list in
            entries(of: list).filter { !$0.findings.hasError && $0.code != nil }
        }
    }
}
