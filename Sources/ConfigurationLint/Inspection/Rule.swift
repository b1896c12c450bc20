import AppConfiguration
import ExternalPurchaseCore

/// A rule of the linter.
///
/// One rule is one file that is named for it; its documentation comment is what users read.
protocol Rule<Subject>: Sendable {
    /// What the rule looks at.
    associatedtype Subject
    /// The id of spec/01 section 8, `link-url-not-https`.
    static var id: String { get }
    /// How much a hit matters.
    static var severity: Severity { get }
    /// The hits in one subject.
    func findings(for subject: Subject, in context: LintContext) -> [Finding]
}

extension Rule {
    /// One hit of this rule, in the form that `findings(for:in:)` answers.
    func finding(
        _ message: String,
        at place: Place,
        hint: String,
        edits: [FindingEdit] = [],
        related: [RelatedPlace] = [],
        severity: Severity = Self.severity
    ) -> [Finding] {
        [
            Finding(
                rule: Self.id,
                severity: severity,
                file: place.file,
                position: place.position,
                key: place.key,
                path: place.path,
                country: place.country,
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

    var pack: RulePack { options.pack }

    /// How many different links a country may have (CF-40, CF-43).
    func linkLimit(of country: String) -> Int {
        let limits = pack.linkLimits
        let isStreaming = options.musicStreaming != .no && limits.musicStreamingCodes.contains(country)
        return isStreaming ? limits.musicStreaming : limits.standard
    }
}
