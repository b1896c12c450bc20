/// A link breaks RFC 3986 in another way (CF-31).
struct LinkURLInvalid: Rule {
    static let id = "link-url-invalid"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let reason = subject.address.fault else { return [] }
        return finding(
            "\"\(subject.url)\" is not a valid URL: \(reason)",
            at: subject.place,
            hint: "Percent-encode reserved characters."
        )
    }
}
