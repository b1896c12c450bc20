/// Sources disagree whether the list of allowed regions may name this region (CF-22).
struct AllowedRegionsContested: Rule {
    static let id = "allowed-regions-contested"
    static let severity = Severity.note

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard subject.list.contested.contains(subject.code) else { return [] }
        return finding(
            "\"\(subject.code)\" is accepted for music streaming only, as far as known",
            at: subject.place,
            hint: "Confirm with the programme page before submitting."
        )
    }
}
