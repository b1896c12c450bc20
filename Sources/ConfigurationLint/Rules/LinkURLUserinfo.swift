/// A link carries a user name or password.
struct LinkURLUserinfo: Rule {
    static let id = "link-url-userinfo"
    static let severity = Severity.warning

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.userInformation != nil else { return [] }
        return finding(
            "The link for \(subject.country) carries user information",
            at: subject.place,
            hint: "Remove it."
        )
    }
}
