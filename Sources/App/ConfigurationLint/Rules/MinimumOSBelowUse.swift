import AppConfiguration
import ExternalPurchaseCore

/// The app runs on systems that do not know a key, entitlement or region that it uses.
///
/// On older systems the API is missing or not available. Some regions need a later version than the entitlement that
/// lists them: Japan has tokens from 26.4, and Brazil is supported from 26.5.
///
/// Guard the calls with `#available`, and offer In-App Purchase below that version, unless it is the app for Korea,
/// which has none. If the app need not run there, raise the minimum OS.
///
/// Breaks it:
///
/// ```xml
/// <key>MinimumOSVersion</key>
/// <string>17.6</string>
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>MinimumOSVersion</key>
/// <string>18.1</string>
/// <key>SKExternalPurchaseCustomLinkRegions</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-10, CF-62 (documented).
struct MinimumOSBelowUse: Rule {
    static let id = "minimum-os-below-use"
    static let severity = Severity.note

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        guard let minimum = subject.deployment.minimum else { return [] }
        let platform = subject.deployment.platform
        let tables = context.tables
        var requirements: [Requirement] = []
        var reported: [PlistKey: OSVersion] = [:]
        for key in subject.keys(in: context.pack) {
            guard let since = tables.plistKeyAvailability[key.name]?[platform] else { continue }
            requirements.append(Requirement(what: key.name.rawValue, since: since, location: key.location))
            if minimum < since { reported[key.name] = since }
            requirements += regions(.plistKey(key.name), since, subject, context)
        }
        for entitlement in subject.usedEntitlements(in: context.pack) {
            guard let since = tables.entitlementAvailability[entitlement.name]?[platform] else { continue }
            // The finding for its key reports the same.
            let keys = context.keys(pairingWith: entitlement.name)
            if !keys.contains(where: { (reported[$0] ?? OSVersion(0)) >= since }) {
                let name = entitlement.name.rawValue
                requirements.append(Requirement(what: name, since: since, location: entitlement.location))
            }
            requirements += regions(.entitlement(entitlement.name), since, subject, context)
        }
        return requirements.filter { minimum < $0.since }.flatMap { requirement in
            finding(
                "\(requirement.what) works from \(subject.deployment.platformName) \(requirement.since); "
                    + "the app runs from \(minimum)",
                at: requirement.location,
                // An app for Korea has no In-App Purchase (OB-37).
                hint: subject.entriesForKorea(in: context).isEmpty
                    ? "Guard with `#available`; offer In-App Purchase below."
                    : "Guard with `#available`, or raise the minimum: the app for Korea sells nothing below.",
                related: [subject.deployment.location].compactMap { $0?.related("the app runs from \(minimum)") }
            )
        }
    }

    private struct Requirement {
        let what: String
        let since: OSVersion
        let location: Location
    }

    /// The listed regions that need a later version than their list.
    private func regions(
        _ list: RulePack.StorefrontList,
        _ listSince: OSVersion,
        _ subject: WholeApp,
        _ context: LintContext
    ) -> [Requirement] {
        let gates = context.pack.gates.filter { gate in
            gate.storefrontsFrom == list && gate.platforms?.contains(subject.deployment.platform) != false
        }
        guard !gates.isEmpty else { return [] }
        var seen: Set<String> = []
        return subject.entries(of: list).compactMap { entry in
            guard let code = entry.code, !entry.findings.hasError, seen.insert(code).inserted,
                let gate = gates.last(where: { $0.codes?.contains(code) == true })
                    ?? gates.last(where: { $0.codes == nil }),
                max(gate.minimumOS, gate.tokenMinimumOS) > listSince
            else { return nil }
            let needsToken = gate.tokenMinimumOS > gate.minimumOS
            return Requirement(
                what: needsToken ? "A token for \(code)" : code,
                since: max(gate.minimumOS, gate.tokenMinimumOS),
                location: entry.location
            )
        }
    }
}
