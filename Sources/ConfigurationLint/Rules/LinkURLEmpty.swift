/// A link is the empty string.
struct LinkURLEmpty: Rule {
    static let id = "link-url-empty"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.url.isEmpty else { return [] }
        return finding(
            "The link for \(subject.country) is empty",
            at: subject.place,
            hint: "Give a URL or remove the entry."
        )
    }
}
