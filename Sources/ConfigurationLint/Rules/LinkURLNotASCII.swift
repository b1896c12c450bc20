/// A link contains a character outside ASCII, which URLs cannot hold (CF-33).
struct LinkURLNotASCII: Rule {
    static let id = "link-url-not-ascii"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let stranger = subject.url.unicodeScalars.first(where: { !$0.isASCII }) else { return [] }
        let host = subject.address.host.map { " (\($0))" } ?? ""
        return finding(
            "\"\(stranger)\" in the link for \(subject.country) is not ASCII",
            at: subject.place,
            hint: "Host\(host): the `xn--` form; path: percent-encode."
        )
    }
}
