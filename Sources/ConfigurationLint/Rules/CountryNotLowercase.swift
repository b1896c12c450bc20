/// A code that the list supports is written with upper-case letters and therefore never matches (CF-3, CF-4).
struct CountryNotLowercase: Rule {
    static let id = "country-not-lowercase"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        let lower = subject.lowercased
        guard lower != subject.code, subject.list.lists(lower) else { return [] }
        return finding(
            "\"\(subject.code)\" never matches; codes are lower case",
            at: subject.place,
            hint: "Write \"\(lower)\".",
            edits: [subject.place.edit(.text, lower)]
        )
    }
}
