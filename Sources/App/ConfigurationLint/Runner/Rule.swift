import AppConfiguration
import ExternalPurchaseCore

/// What the catalogue has of a rule, be it asked about a subject or hit by reading.
///
/// One rule is one file that is named for it; its documentation comment is what users read. `./run tables` takes id,
/// severity, `isFixable` and comment from the file's text and makes the pages of them.
protocol CataloguedRule: Sendable {
    /// The id of spec/01 section 8, `link-url-not-https`.
    static var id: String { get }
    /// How much a hit matters.
    static var severity: Severity { get }
    /// True when hits may carry edits (CF-73).
    static var isFixable: Bool { get }
}

extension CataloguedRule {
    static var isFixable: Bool { false }
}

/// A rule of the linter.
protocol Rule<Subject>: CataloguedRule {
    /// The input of the rule.
    associatedtype Subject
    /// The hits in one subject.
    func findings(for subject: Subject, in context: LintContext) -> [Finding]
}

extension Rule {
    /// One hit of this rule, in the form that `findings(for:in:)` answers.
    func finding(
        _ message: String,
        at location: Location,
        hint: String,
        edits: [FindingEdit] = [],
        related: [RelatedLocation] = [],
        severity: Severity = Self.severity
    ) -> [Finding] {
        [
            Finding(
                rule: Self.id,
                severity: severity,
                file: location.file,
                position: location.position,
                key: location.key,
                path: location.path,
                country: location.country,
                message: message,
                hint: hint,
                edits: edits,
                related: related
            )
        ]
    }
}

/// What a rule may ask beside its subject.
struct LintContext: Sendable {
    let options: LintOptions
    let tables: RegionTables
    /// True when the app carries the streaming entitlement or lists streaming regions (CF-43).
    let hasStreamingEvidence: Bool
    /// The lists of autumn 2025 that count, with the Boolean entitlements that they stand for (CF-24).
    let legacyEntitlements: [Entitlement: Entitlement]

    var pack: RulePack { options.pack }

    /// How many different links a country may have (CF-40, CF-43).
    func linkLimit(of country: String) -> Int {
        let limits = pack.linkLimits
        let isStreaming = options.musicStreaming != .no && limits.musicStreamingCodes.contains(country)
        return isStreaming ? limits.musicStreaming : limits.standard
    }
}

/// How many links of a country count at run time, and why no more.
struct UsableLimit: Hashable, Sendable {
    let count: Int
    /// The lint rule behind it.
    let rule: String
    let reason: String
    let hint: String
}

extension LintContext {
    /// How many different links of a country the runtime uses (CF-40, CF-43).
    ///
    /// Under `auto` without evidence of music streaming, that is one, where the linter warns of two to five. Under `no`
    /// more than one are an error, and none counts.
    ///
    /// - Parameters:
    ///   - country: the code as written.
    ///   - different: how many different links it has over both keys.
    func usableCount(of country: String, different: Int) -> Int {
        let limits = pack.linkLimits
        if options.musicStreaming == .no, different > limits.standard { return 0 }
        return isUnproved(country) ? limits.standard : linkLimit(of: country)
    }

    /// True for a country with five links where nothing shows that the app is for music streaming.
    private func isUnproved(_ country: String) -> Bool {
        options.musicStreaming == .auto && !hasStreamingEvidence
            && pack.linkLimits.musicStreamingCodes.contains(country)
    }

    /// The same with its reason.
    func usableLimit(of links: CountryLinks) -> UsableLimit {
        let limits = pack.linkLimits
        let keepOne = "Keep one link in both keys."
        let count = usableCount(of: links.country, different: links.different)
        if count == 0 {
            return UsableLimit(
                count: count,
                rule: links.differentInMulti > limits.standard ? MultiLinkOverOne.id : LinkUnionOverLimit.id,
                reason:
                    "without music streaming one link is allowed, \(links.country) has \(links.different), so none counts",
                hint: keepOne
            )
        }
        if isUnproved(links.country) {
            return UsableLimit(
                count: count,
                rule: MultiLinkNeedsStreaming.id,
                reason: "more than one link for \(links.country) is for music streaming apps only, "
                    + "and neither entitlement nor key shows that this app is one",
                hint: "Set `musicStreaming` to yes when the app qualifies, else keep one link in both keys."
            )
        }
        return UsableLimit(
            count: count,
            rule: links.differentInMulti <= count
                ? LinkUnionOverLimit.id : count == limits.standard ? MultiLinkOverOne.id : MultiLinkOverFive.id,
            reason: "\(links.country) may have \(count) different \(count == 1 ? "link" : "links") over both keys, "
                + "it has \(links.different)",
            hint: count == 1 ? keepOne : "Remove \(links.different - count)."
        )
    }
}
