/// What the catalogue says about one rule.
public struct RuleDescription: Hashable, Sendable {
    /// The rule's id, `link-url-not-https`.
    public let id: String
    /// How much a hit matters, unless the options say otherwise (CF-70, CF-75).
    public let severity: Severity
    /// True when hits may carry edits that repair them (CF-73).
    public let isFixable: Bool
    /// What the rule finds, in one sentence.
    public let summary: String
    /// The whole text in Markdown: severity, summary, why it matters, what to do, what breaks the rule and what is right.
    public let explanation: String
    /// The path of the rule's page in the repository, `docs/lint/link-url-not-https.md`.
    public var page: String { "docs/lint/\(id).md" }
}
