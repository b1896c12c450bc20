import AppConfiguration
import ExternalPurchaseCore

/// The catalogue's data of a rule, for rules that check a subject and for those that reading a file triggers.
///
/// Each rule has its own file, named after it. Its documentation comment is its user documentation: `./run tables`
/// extracts id, severity, `isFixable` and comment from the file and generates the pages.
protocol CataloguedRule: Sendable {
    /// The id of spec/01 section 8, `link-url-not-https`.
    static var id: String { get }
    /// The severity of its findings.
    static var severity: Severity { get }
    /// True when findings may contain edits (CF-73).
    static var isFixable: Bool { get }
}

extension CataloguedRule {
    static var isFixable: Bool { false }
}

/// A rule of the linter.
protocol Rule<Subject>: CataloguedRule {
    /// The type of the rule's input.
    associatedtype Subject
    /// Returns the violations in one subject.
    func findings(for subject: Subject, in context: LintContext) -> [Finding]
}

extension Rule {
    /// Creates a finding of this rule, for `findings(for:in:)`.
    func finding(
        _ message: FindingText,
        at location: Location,
        hint: FindingText,
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
                message: message.text,
                hint: hint.text,
                edits: edits,
                related: related
            )
        ]
    }
}

/// The context of a rule, in addition to its subject.
struct LintContext: Sendable {
    let options: LintOptions
    let tables: RegionTables
    /// True when the app has the streaming entitlement or lists streaming regions (CF-43).
    let hasStreamingEvidence: Bool
    /// The lists of autumn 2025 that are used, with the Boolean entitlements that they replace (CF-24).
    let legacyEntitlements: [Entitlement: Entitlement]
    /// The format of each file, because a hint is to be written as its file is.
    let formats: [String: PropertyListFile.Format]

    var pack: RulePack { options.pack }

    /// Returns the number of different links that a country may have (CF-40, CF-43).
    func linkLimit(of country: String) -> Int {
        let limits = pack.linkLimits
        let isStreaming = options.musicStreaming != .no && limits.musicStreamingCodes.contains(country)
        return isStreaming ? limits.musicStreaming : limits.standard
    }
}

/// The number of a country's links that the runtime uses, with the reason for the limit.
struct UsableLimit: Hashable, Sendable {
    let count: Int
    /// The lint rule of the limit.
    let rule: String
    let reason: String
    let hint: String
}

extension LintContext {
    /// Returns the number of a country's different links that the runtime uses (CF-40, CF-43).
    ///
    /// Under `auto` without evidence of music streaming this is one, and the linter warns of two to five. Under `no`
    /// more than one link is an error, and none is used.
    ///
    /// - Parameters:
    ///   - country: the code as written.
    ///   - different: the number of different links over both keys.
    func usableCount(of country: String, different: Int) -> Int {
        let limits = pack.linkLimits
        if options.musicStreaming == .no, different > limits.standard { return 0 }
        return isUnproved(country) ? limits.standard : linkLimit(of: country)
    }

    /// True for a country with five links when there is no evidence that the app is for music streaming.
    private func isUnproved(_ country: String) -> Bool {
        options.musicStreaming == .auto && !hasStreamingEvidence
            && pack.linkLimits.musicStreamingCodes.contains(country)
    }

    /// Returns the limit together with its reason.
    func usableLimit(of links: CountryLinks) -> UsableLimit {
        let limits = pack.linkLimits
        let keepOne = "Keep one link in both keys."
        let country = links.country.clipped(to: FindingText.valueBytes)
        let count = usableCount(of: links.country, different: links.different)
        if count == 0 {
            return UsableLimit(
                count: count,
                rule: links.differentInMulti > limits.standard ? MultiLinkOverOne.id : LinkUnionOverLimit.id,
                reason:
                    "without music streaming one link is allowed, \(country) has \(links.different), so none counts",
                hint: keepOne
            )
        }
        if isUnproved(links.country) {
            return UsableLimit(
                count: count,
                rule: MultiLinkNeedsStreaming.id,
                reason: "more than one link for \(country) is for music streaming apps only, "
                    + "and neither entitlement nor key shows that this app is one",
                hint: "Set `musicStreaming` to yes when the app qualifies, else keep one link in both keys."
            )
        }
        return UsableLimit(
            count: count,
            rule: links.differentInMulti <= count
                ? LinkUnionOverLimit.id : count == limits.standard ? MultiLinkOverOne.id : MultiLinkOverFive.id,
            reason: "\(country) may have \(count) different \(count == 1 ? "link" : "links") over both keys, "
                + "it has \(links.different)",
            hint: count == 1 ? keepOne : "Remove \(links.different - count)."
        )
    }
}
