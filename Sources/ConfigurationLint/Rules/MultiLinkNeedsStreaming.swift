import ExternalPurchaseCore

/// A country has several links, and nothing shows that the app qualifies for music streaming (CF-43).
struct MultiLinkNeedsStreaming: Rule {
    static let id = "multi-link-needs-streaming"
    static let severity = Severity.warning

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard context.options.musicStreaming == .auto, !context.hasStreamingEvidence, subject.isStreamingCode,
            let place = subject.multiPlace ?? subject.singlePlace,
            (2...context.pack.linkLimits.musicStreaming).contains(subject.different)
        else { return [] }
        return finding(
            "More than one link for \(subject.country) is for music streaming apps only",
            at: place,
            hint: "Set `musicStreaming` or keep one link in both keys.",
            related: subject.multiPlace == nil || subject.different == subject.differentInMulti
                ? [] : [subject.singlePlace].compactMap { $0?.related("another link stands here") }
        )
    }
}
