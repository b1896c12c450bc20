/// The description of a rule in the catalogue.
public struct RuleDescription: Hashable, Sendable {
    /// The rule's id, `link-url-not-https`.
    public let id: String
    /// The severity, unless the options change it (CF-70, CF-75).
    public let severity: Severity
    /// True when findings may contain edits that repair them (CF-73).
    public let isFixable: Bool
    /// What the rule finds, in one sentence.
    public let summary: String
    /// The complete text in Markdown: severity, summary, consequences, remedy, a violation and the correct form.
    public let explanation: String
    /// The path of the rule's page in the repository, `docs/lint/link-url-not-https.md`.
    public var page: String { "docs/lint/\(id).md" }
}
