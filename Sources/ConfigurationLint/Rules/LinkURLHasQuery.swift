/// A link has a query, which belongs to StoreKit.
struct LinkURLHasQuery: Rule {
    static let id = "link-url-has-query"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let query = subject.address.query, !query.isEmpty else { return [] }
        return finding(
            "The link for \(subject.country) has a query; StoreKit adds its own",
            at: subject.place,
            hint: "Put the values into the path."
        )
    }
}
