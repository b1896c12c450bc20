/// A link has a question mark without a query, which counts as one (CF-32).
struct LinkURLEmptyQuery: Rule {
    static let id = "link-url-empty-query"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.query?.isEmpty == true, let mark = subject.url.firstIndex(of: "?") else { return [] }
        var fix = subject.url
        fix.remove(at: mark)
        return finding(
            "The link for \(subject.country) ends its path with a lone \"?\"",
            at: subject.place,
            hint: "Delete the \"?\".",
            edits: [subject.place.edit(.text, fix)]
        )
    }
}
