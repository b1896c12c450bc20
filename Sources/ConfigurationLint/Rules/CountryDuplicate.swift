/// The same code stands twice in one list, compared without case.
struct CountryDuplicate: Rule {
    static let id = "country-duplicate"
    static let severity = Severity.warning

    func findings(for subject: ListedCodes, in context: LintContext) -> [Finding] {
        subject.codes.repeated(by: \.lowercased).flatMap { same in
            let last = same[same.count - 1]
            // A copy that matches outlives those that do not, so that the list means the same afterwards.
            let kept = same.firstIndex { $0.code == $0.lowercased } ?? 0
            let others = same.indices.filter { $0 != kept }
            return finding(
                "\"\(last.code)\" is listed \(same.count) times in \(last.list.name)",
                at: last.place,
                hint: "Keep one.",
                edits: subject.isArray ? others.map { same[$0].place.edit(.element, "") } : [],
                related: [same[0].place.related("\"\(same[0].code)\" stands here first")]
            )
        }
    }
}
