/// A link has a fragment, which no server sees.
struct LinkURLFragment: Rule {
    static let id = "link-url-fragment"
    static let severity = Severity.warning

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard subject.address.fragment != nil else { return [] }
        return finding(
            "Fragments are not mentioned by the rules; servers never see them",
            at: subject.place,
            hint: "Put the value into the path."
        )
    }
}
