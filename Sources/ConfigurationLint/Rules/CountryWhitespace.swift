/// A code has blanks around it and therefore never matches a storefront.
struct CountryWhitespace: Rule {
    static let id = "country-whitespace"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        let inner = subject.code.trimmingWhitespace
        guard inner != subject.code else { return [] }
        return finding(
            "\"\(subject.code)\" has blanks around it and never matches",
            at: subject.place,
            hint: "Remove them.",
            edits: inner.isEmpty ? [] : [subject.place.edit(.text, inner)]
        )
    }
}
