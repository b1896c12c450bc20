/// What users read about one rule, made from the documentation comment of the rule's file.
struct RuleText: Sendable {
    let id: String
    /// The first sentence.
    let summary: String
    /// The page below its title, in Markdown.
    let explanation: String
}
