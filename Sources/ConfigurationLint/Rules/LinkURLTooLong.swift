/// A link has more than 1,000 characters.
struct LinkURLTooLong: Rule {
    static let id = "link-url-too-long"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        let count = subject.url.unicodeScalars.count
        guard count > 1_000 else { return [] }
        return finding(
            "The link for \(subject.country) has \(count) characters; 1,000 are allowed",
            at: subject.place,
            hint: "Use a short address that redirects."
        )
    }
}
