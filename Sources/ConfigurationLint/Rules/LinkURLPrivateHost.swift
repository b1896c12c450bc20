/// A link points at a host that only the developer's own network knows (CF-35).
struct LinkURLPrivateHost: Rule {
    static let id = "link-url-private-host"
    static let severity = Severity.warning

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let host = subject.address.host, HostReach(host) == .privateNetwork else { return [] }
        return finding(
            "\(host) cannot be reached by customers",
            at: subject.place,
            hint: "Use the public host."
        )
    }
}
