/// The documentation of the lint rules, generated from the documentation comments of their files.
enum RuleDocs {
    /// The documentation of one rule.
    struct Entry: Sendable {
        let id: String
        /// The summary of the rule.
        let summary: String
        /// The page without its title, in Markdown.
        let explanation: String
    }
}
