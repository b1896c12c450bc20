/// A link has another scheme than https.
struct LinkURLNotHTTPS: Rule {
    static let id = "link-url-not-https"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let scheme = subject.address.scheme, scheme.lowercased() != "https" else { return [] }
        return finding(
            "\"\(subject.url)\" uses \(scheme); only https is allowed",
            at: subject.place,
            hint: "Serve the page over HTTPS."
        )
    }
}
