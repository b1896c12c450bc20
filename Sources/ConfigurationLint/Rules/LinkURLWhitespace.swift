/// A link contains a blank, a line end or another control character.
struct LinkURLWhitespace: Rule {
    static let id = "link-url-whitespace"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.url.unicodeScalars.contains(where: \.isBlankOrControl) else { return [] }
        let inner = subject.url.trimmingWhitespace
        let isOnlyAround = !inner.isEmpty && !inner.unicodeScalars.contains(where: \.isBlankOrControl)
        return finding(
            "The link for \(subject.country) contains whitespace",
            at: subject.place,
            hint: "Remove it; inside a path write `%20`.",
            edits: isOnlyAround ? [subject.place.edit(.text, inner)] : []
        )
    }
}
