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
    /// What the rule looks at.
    associatedtype Subject
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
