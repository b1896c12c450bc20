/// Both link keys together name more different URLs for a country than it may have (CF-41).
struct LinkUnionOverLimit: Rule {
    static let id = "link-union-over-limit"
    static let severity = Severity.error

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        let limit = context.linkLimit(of: subject.country)
        guard subject.isStreamingCode || subject.isSingleCode || context.options.musicStreaming == .no,
            let place = subject.singlePlace, subject.differentInMulti <= limit, subject.different > limit
        else { return [] }
        return finding(
            "\(subject.country) has \(subject.different) different links over both keys; \(limit) allowed",
            at: place,
            hint: "Let `SKExternalPurchaseLink` repeat one of the others.",
            related: [subject.multiPlace].compactMap { $0?.related("the other links stand here") }
        )
    }
}
