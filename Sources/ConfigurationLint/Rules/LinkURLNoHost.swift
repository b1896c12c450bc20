/// A link names no host.
struct LinkURLNoHost: Rule {
    static let id = "link-url-no-host"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.host?.isEmpty ?? true else { return [] }
        return finding(
            "\"\(subject.url)\" has no host",
            at: subject.place,
            hint: "`https://host/path`"
        )
    }
}
