import ExternalPurchaseCore

/// A code is not one of ISO 3166-1.
struct CountryUnknown: Rule {
    static let id = "country-unknown"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard Country.region(subject.lowercased) == nil else { return [] }
        return finding(
            "\"\(subject.code)\" is not an ISO 3166-1 alpha-2 code",
            at: subject.place,
            hint: "`el` → `gr`, `uk` → `gb`, `eu` → list the countries."
        )
    }
}
