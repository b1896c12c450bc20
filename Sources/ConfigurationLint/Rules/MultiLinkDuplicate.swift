/// A country lists the same URL twice.
struct MultiLinkDuplicate: Rule {
    static let id = "multi-link-duplicate"
    static let severity = Severity.warning

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard let place = subject.multiPlace else { return [] }
        return subject.multiLinks.repeated { Array(($0.url ?? "").utf8) }.flatMap { same in
            finding(
                "\(subject.country) lists \(same[0].url ?? "") \(same.count) times",
                at: place,
                hint: "Keep one.",
                edits: same.dropFirst().map { $0.place.edit(.element, "") },
                // The edits have every copy; a reader needs a few.
                related: same.dropFirst().prefix(5).map { $0.place.related("the link stands here again") }
            )
        }
    }
}
