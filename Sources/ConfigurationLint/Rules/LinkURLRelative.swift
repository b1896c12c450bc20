/// A link has no scheme and is therefore not an absolute URL.
struct LinkURLRelative: Rule {
    static let id = "link-url-relative"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.scheme == nil else { return [] }
        return finding(
            "\"\(subject.url)\" is not an absolute URL",
            at: subject.place,
            hint: "Begin with `https://`."
        )
    }
}
