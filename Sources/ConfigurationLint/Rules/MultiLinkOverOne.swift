import ExternalPurchaseCore

/// A country that may have one link has several (CF-40).
struct MultiLinkOverOne: Rule {
    static let id = "multi-link-over-one"
    static let severity = Severity.error

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard let place = subject.multiPlace, subject.isSingleCode || context.options.musicStreaming == .no,
            subject.differentInMulti > context.pack.linkLimits.standard
        else { return [] }
        return finding(
            "\(subject.country) has \(subject.differentInMulti) links; one is allowed",
            at: place,
            hint: "Keep one."
        )
    }
}
