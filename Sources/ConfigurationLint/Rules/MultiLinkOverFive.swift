import ExternalPurchaseCore

/// A country has more than the five links that a music streaming app may have (CF-40).
struct MultiLinkOverFive: Rule {
    static let id = "multi-link-over-five"
    static let severity = Severity.error

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        let limit = context.pack.linkLimits.musicStreaming
        guard let place = subject.multiPlace, subject.isStreamingCode, context.options.musicStreaming != .no,
            subject.differentInMulti > limit
        else { return [] }
        return finding(
            "\(subject.country) has \(subject.differentInMulti) links; at most five are allowed",
            at: place,
            hint: "Remove \(subject.differentInMulti - limit)."
        )
    }
}
