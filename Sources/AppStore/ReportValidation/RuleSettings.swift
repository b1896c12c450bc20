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

extension RuleSettings {
    private static let durations: [String: any WritableKeyPath<RuleSettings, Duration> & Sendable] = [
        "rules.clockSkew": \.clockSkew,
        "rules.creationDateLimit": \.creationDateLimit,
        "rules.periodDateLimit": \.periodDateLimit,
        "rules.restatementWindow": \.restatementWindow,
        "rules.refundWindow": \.refundWindow,
    ]

    private static let switches: [String: any WritableKeyPath<RuleSettings, Bool> & Sendable] = [
        "rules.plainTokenRange": \.plainTokenRange,
        "rules.activeRangeForRefunds": \.activeRangeForRefunds,
        "rules.statusRegressionForDuplicate": \.statusRegressionForDuplicate,
    ]

    private static let lengths: [String: any WritableKeyPath<RuleSettings, Int> & Sendable] = [
        "limits.textLength": \.textLength,
        "limits.productIdentifierLength": \.productIdentifierLength,
    ]

    private static let texts: [String: ReportErrorCode] = Dictionary(
        uniqueKeysWithValues: ReportErrorEntry.all.map { ("messages.\($0.code.rawValue)", $0.code) }
    )

    /// The names of all settings, sorted.
    package static let names: [String] =
        (Array(durations.keys) + Array(switches.keys) + Array(lengths.keys) + Array(texts.keys)
        + ["rules.off", "rules.refundWindowEnd", "rules.restatementAcrossTokens"]).sorted()

    /// The names for a message, in which the texts of the codes are one entry.
    package static let listing: String =
        (names.filter { texts[$0] == nil } + ["messages.1 to messages.40"]).sorted().joined(separator: ", ")

    /// Returns the value of a setting as text; nil for a name that is not one of ``names``.
    package func text(of name: String) -> String? {
        if let path = Self.durations[name] { return SettingText.text(of: self[keyPath: path]) }
        if let path = Self.switches[name] { return SettingText.text(ofSwitch: self[keyPath: path]) }
        if let path = Self.lengths[name] { return String(self[keyPath: path]) }
        if let code = Self.texts[name] { return messages[code] ?? code.entry?.message }
        return switch name {
        case "rules.off": Self.text(of: off)
        case "rules.refundWindowEnd": refundWindowEnd.rawValue
        case "rules.restatementAcrossTokens": restatementAcrossTokens.rawValue
        default: nil
        }
    }

    /// Sets a setting from a text.
    ///
    /// - Parameters:
    ///   - name: one of ``names``.
    ///   - text: the value.
    /// - Throws: ``SettingError``. The settings do not change then.
    package mutating func set(_ name: String, to text: String) throws(SettingError) {
        if let path = Self.durations[name] {
            self[keyPath: path] = try SettingText.duration(text, of: name)
        } else if let path = Self.switches[name] {
            self[keyPath: path] = try SettingText.switchedOn(text, of: name)
        } else if let path = Self.lengths[name] {
            guard text.utf8.allSatisfy(\.isDigit), let length = Int(text), (1...1_048_576).contains(length) else {
                throw .unknownValue(name: name, value: text, expected: "a whole number from 1 to 1048576")
            }
            self[keyPath: path] = length
        } else if let code = Self.texts[name] {
            messages[code] = text
        } else {
            switch name {
            case "rules.off":
                off = try Self.codes(text, of: name)
            case "rules.refundWindowEnd":
                refundWindowEnd = try SettingText.choice(text, of: name)
            case "rules.restatementAcrossTokens":
                restatementAcrossTokens = try SettingText.choice(text, of: name)
            default:
                throw .unknownName(name)
            }
        }
    }

    private static func text(of codes: Set<ReportErrorCode>) -> String {
        codes.isEmpty ? "none" : codes.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
    }

    private static func codes(_ text: String, of name: String) throws(SettingError) -> Set<ReportErrorCode> {
        if text == "none" { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let codes = parts.compactMap { Int($0) }.map(ReportErrorCode.init(rawValue:)).filter { $0.entry != nil }
        guard codes.count == parts.count else {
            throw .unknownValue(name: name, value: text, expected: "none or codes from 1 to 40, such as 12,24")
        }
        return Set(codes)
    }
}
