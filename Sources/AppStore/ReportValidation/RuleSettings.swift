package import ExternalPurchaseCore

/// The named settings of the rules, with the defaults of RR-95.
package struct RuleSettings: Hashable, Sendable {
    /// How far a date may be in the future; `rules.clockSkew`.
    package var clockSkew = Duration.minutes(5)
    /// How old a `creationDate` may be; `rules.creationDateLimit`.
    package var creationDateLimit = Duration.days(1_095)
    /// How old the dates of a subscription period may be; `rules.periodDateLimit`.
    var periodDateLimit = Duration.days(3_650)
    /// How long an item may be restated; `rules.restatementWindow`.
    package var restatementWindow = Duration.days(365)
    /// How long a buy may be refunded; `rules.refundWindow`.
    package var refundWindow = Duration.days(365)
    /// The moment up to which the age of a refunded buy is measured; `rules.refundWindowEnd`.
    package var refundWindowEnd = RefundWindowEnd.refundDate
    /// True to check the dates of buys on plain tokens against the token's date; `rules.plainTokenRange`.
    var plainTokenRange = false
    /// Whether an item may be restated under another token; `rules.restatementAcrossTokens`.
    var restatementAcrossTokens = RestatementAcrossTokens.refuse
    /// True to check the dates of refunds against the active range of their token; `rules.activeRangeForRefunds`.
    var activeRangeForRefunds = false
    /// True when `DUPLICATE_TOKEN` may not follow `LINE_ITEM`; `rules.statusRegressionForDuplicate`.
    var statusRegressionForDuplicate = true
    /// The codes whose rules are not applied; `rules.off`.
    var off: Set<ReportErrorCode> = []
    /// How many characters a text may have (E19); `limits.textLength`.
    var textLength = 128
    /// How many characters a `productIdentifier` may have (E19); `limits.productIdentifierLength`.
    var productIdentifierLength = 256
    /// Texts that replace those of the catalogue; `messages.1` to `messages.40`.
    package var messages: [ReportErrorCode: String] = [:]

    /// The end of the refund window.
    package enum RefundWindowEnd: String, Hashable, Sendable, CaseIterable {
        /// The refund's `creationDate`.
        case refundDate
        /// The moment of the report, for new refunds.
        case now
    }

    /// How a restatement under another token is treated.
    enum RestatementAcrossTokens: String, Hashable, Sendable, CaseIterable {
        /// The restatement is refused with E3.
        case refuse
        /// The restatement is validated like any other.
        case allow
    }

    /// Creates the default settings.
    package init() {}
}

extension RuleSettings: NamedSettings {
    /// The settings `rules.…`, `limits.…` and `messages.…`, sorted by name.
    package static let settings: [Setting<RuleSettings>] =
        ([
            .duration("rules.clockSkew", \.clockSkew, means: "how far a date may be in the future"),
            .duration("rules.creationDateLimit", \.creationDateLimit, means: "how old a `creationDate` may be"),
            .duration(
                "rules.periodDateLimit",
                \.periodDateLimit,
                means: "how old the dates of a subscription's period may be"
            ),
            .duration("rules.restatementWindow", \.restatementWindow, means: "how long an item may be restated"),
            .duration("rules.refundWindow", \.refundWindow, means: "how long a buy may be refunded"),
            .toggle(
                "rules.plainTokenRange",
                \.plainTokenRange,
                means: "whether the dates of buys on plain tokens are held against the token's date"
            ),
            .toggle(
                "rules.activeRangeForRefunds",
                \.activeRangeForRefunds,
                means: "whether the dates of refunds are held against the active range of their token"
            ),
            .toggle(
                "rules.statusRegressionForDuplicate",
                \.statusRegressionForDuplicate,
                means: "whether `DUPLICATE_TOKEN` may not follow `LINE_ITEM`"
            ),
            .number("limits.textLength", \.textLength, 1...1_048_576, means: "characters of a text of a report (E19)"),
            .number(
                "limits.productIdentifierLength",
                \.productIdentifierLength,
                1...1_048_576,
                means: "characters of a `productIdentifier` (E19)"
            ),
            .choice(
                "rules.refundWindowEnd",
                \.refundWindowEnd,
                means: "the moment up to which the age of a refunded buy is measured"
            ),
            .choice(
                "rules.restatementAcrossTokens",
                \.restatementAcrossTokens,
                means: "whether an item may be restated under another token"
            ),
            Setting(
                "rules.off",
                \.off,
                "none or codes from 1 to 40, such as 12,24",
                means: "codes whose rules are not applied",
                text: text(of:),
                parse: codes
            ),
        ] + ReportErrorEntry.all.map(message)).sorted { $0.name < $1.name }

    /// The names for a message, in which the texts of the codes are one entry.
    package static let listing: String =
        (names.filter { !$0.hasPrefix("messages.") } + ["messages.1 to messages.40"]).sorted()
        .joined(separator: ", ")

    private static func message(_ entry: ReportErrorEntry) -> Setting<RuleSettings> {
        Setting(
            "messages.\(entry.code.rawValue)",
            "any text",
            means: "the text of the error in place of the catalogue's",
            read: { $0.messages[entry.code] ?? entry.message },
            write: { $0.messages[entry.code] = $1 }
        )
    }

    @Sendable private static func text(of codes: Set<ReportErrorCode>) -> String {
        codes.isEmpty ? "none" : codes.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
    }

    @Sendable private static func codes(_ text: String) -> Set<ReportErrorCode>? {
        if text == "none" { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let codes = parts.compactMap { Int($0) }.map(ReportErrorCode.init(rawValue:)).filter { $0.entry != nil }
        return codes.count == parts.count ? Set(codes) : nil
    }
}
