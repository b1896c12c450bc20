/// A country lists the same URL twice.
struct MultiLinkDuplicate: Rule {
    static let id = "multi-link-duplicate"
    static let severity = Severity.warning

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard let place = subject.multiPlace else { return [] }
        return subject.multi.repeated { Array($0.utf8) }.flatMap { same in
            finding("\(subject.country) lists \(same[0]) \(same.count) times", at: place, hint: "Keep one.")
        }
    }
}
