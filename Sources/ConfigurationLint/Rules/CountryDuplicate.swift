/// The same code stands twice in one list, compared without case.
struct CountryDuplicate: Rule {
    static let id = "country-duplicate"
    static let severity = Severity.warning

    func findings(for subject: ListedCodes, in context: LintContext) -> [Finding] {
        subject.codes.repeated(by: \.lowercased).flatMap { same in
            let last = same[same.count - 1]
            return finding(
                "\"\(last.code)\" is listed \(same.count) times in \(last.list.name)",
                at: last.place,
                hint: "Keep one."
            )
        }
    }
}
