/// A link points at a host that is reserved for documentation (CF-35).
struct LinkURLPlaceholderHost: Rule {
    static let id = "link-url-placeholder-host"
    static let severity = Severity.note

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let host = subject.address.host, HostReach(host) == .documentation else { return [] }
        return finding(
            "\(host) is a documentation address",
            at: subject.place,
            hint: "Replace it with your site."
        )
    }
}
