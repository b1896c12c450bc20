import ExternalPurchaseCore

/// A three-letter code as storefronts use it stands where two letters belong.
struct CountryAlpha3: Rule {
    static let id = "country-alpha-3"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard let country = Country.alpha3(subject.code.uppercased()) else { return [] }
        return finding(
            "\"\(subject.code)\" is a three-letter code; storefronts use those, this list two letters",
            at: subject.place,
            hint: "Write \"\(country.region)\".",
            edits: [subject.place.edit(.text, country.region)]
        )
    }
}
