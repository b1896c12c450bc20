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
        let refusal = OwnAppRegion.refusal(beside: code)
        return finding(
            "\(whole: refusal.message)",
            at: korea.location,
            hint: "\(whole: refusal.hint)",
            related: [other.location.related("\(code) is listed here")]
        )
    }

    static var korea: String { OwnAppRegion.code }
}

/// The region whose programme asks for an app of its own, as the tables have it (OB-37, SK-87).
package enum OwnAppRegion {
    /// The region's code.
    package static let code = RulePack.newest.programmes.first { $0.terms?.isOwnApp == true }?.storefronts.first ?? ""

    /// The refusal of a list of regions that no single app can serve; nil for every other one.
    ///
    /// - Parameter regions: region codes; those without a programme are not looked at.
    package static func refusal(of regions: [String]) -> (message: String, hint: String)? {
        let all = RulePack.newest.programmes.flatMap(\.storefronts)
        guard regions.contains(code), let other = regions.first(where: { $0 != code && all.contains($0) }) else {
            return nil
        }
        return refusal(beside: other)
    }

    /// - Parameter other: the region that stands beside it.
    fileprivate static func refusal(beside other: String) -> (message: String, hint: String) {
        (
            "\(code) stands beside \(other); an app for Korea is a binary of its own",
            "List `kr` alone in a target of its own, which has no In-App Purchase either, and the other regions in another target."
        )
    }
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
