/// The reporting duty of a region since a date (spec/07): data, never switched over in code.
///
/// Every figure has a confidence of its own, see ``confidence`` (OB-2).
public struct ReportingProgramme: Hashable, Sendable, Codable {
    /// How months are counted.
    public struct Calendar: RawRepresentable, Hashable, Sendable, Codable {
        /// The name in the table.
        public let rawValue: String

        /// Takes any name.
        ///
        /// - Parameter rawValue: the name in the table.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Civil months.
        public static let civilMonth = Self(rawValue: "civilMonth")
        /// Apple's fiscal months, ``FiscalMonth``.
        public static let appleFiscalMonth = Self(rawValue: "appleFiscalMonth")
    }

    /// The name, `eu-2026-10`.
    public let id: String
    /// The name for people.
    public let title: String
    /// First day in force, `YYYY-MM-DD` in UTC, inclusive.
    public let effectiveFrom: String
    /// Last day in force, inclusive; nil while open.
    public let effectiveTo: String?
    /// What qualifies the dates, in one clause; nil for nothing.
    public let effectiveNote: String?
    /// Region codes in lower case; `@NAME` stands for a set of `Data/regions.json`.
    public let regions: [String]
    /// Regions that joined later than ``effectiveFrom``, with their first day.
    public let regionEffectiveFrom: [String: String]?
    /// The programmes of the rule packs that it covers.
    public let clientProgrammes: [String]
    /// The systems it applies to.
    public let platforms: [PlatformMinimum]
    /// The types of its tokens; nil stands for plain tokens, an empty list for none at all.
    public let tokenTypes: [TokenType?]
    /// By which channel a report reaches Apple, first match wins.
    public let channel: [ChannelRule]
    /// What has to be reported, by name.
    public let mustReport: [String]
    /// How months are counted; nil where nothing is to be reported.
    public let calendar: Calendar?
    /// Days after the end of the month; nil where nothing is to be reported.
    public let deadlineDays: Int?
    /// The commission window in days, nil for none.
    public let attributionWindowDays: Int?
    /// What opens the commission window.
    public let attributionStart: Event?
    /// The flows with a commission window.
    public let attributionAppliesTo: [Flow]
    /// Whether renewals are commissionable.
    public let renewalsCount: Bool
    /// Shares of the price, for estimates (OB-3).
    public let rates: [Rate]
    /// Fees that do not depend on a price; nil for none.
    public let fixedFees: [FixedFee]?
    /// When and how Apple's invoice is paid, nil where it is not known.
    public let payment: Payment?
    /// How long records are kept, nil where nothing is to be reported.
    public let recordKeepingYears: Int?
    /// What the years are counted from.
    public let recordKeepingFrom: String?
    /// How long before an audit Apple gives notice, nil where it is not known.
    public let auditNoticeDays: Int?
    /// How long the choice of payment options is locked, nil where it is not known.
    public let electionLockMonths: Int?
    /// How sure the figures are, by the name of their member.
    public let confidence: [String: Confidence]

    /// The programmes of this release.
    public static let all: [ReportingProgramme] = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.programmes)
        return table.programmes
    }()

    /// The ids of Apple's programmes for developers that conditions of the programme ask about.
    package var developerProgrammes: Set<String> {
        Set((rates.flatMap(\.when) + channel.map(\.when)).flatMap(\.developerProgrammes))
    }

    /// The sets of regions that `@NAME` stands for.
    package static let regionSets: [String: [String]] = {
        let table: RegionSets = EmbeddedTables.decode(EmbeddedTables.regions)
        return table.regionSets
    }()

    /// The text of `Data/programmes.json`.
    package static var tableText: String { EmbeddedTables.programmes }

    private struct Table: Decodable { let programmes: [ReportingProgramme] }
    private struct RegionSets: Decodable { let regionSets: [String: [String]] }
}

extension ReportingProgramme {
    /// How sure a figure is, and as of when (OB-2).
    public struct Confidence: Hashable, Sendable, Codable {
        /// How sure.
        public let level: ConfidenceLevel
        /// The date of the source, `2026-09-05` or `2022`; nil for Apple's own text.
        public let asOf: String?
        /// What qualifies the figure, in one clause: sources that conflict, what was not found; nil for nothing.
        public let note: String?

        /// A confidence.
        ///
        /// - Parameters:
        ///   - level: how sure.
        ///   - asOf: the date of the source.
        ///   - note: what qualifies the figure.
        public init(level: ConfidenceLevel, asOf: String? = nil, note: String? = nil) {
            self.level = level
            self.asOf = asOf
            self.note = note
        }
    }

    /// Where a figure comes from.
    public enum ConfidenceLevel: String, ProgrammeWord {
        /// Apple's own text.
        case apple
        /// Others' dated accounts of Apple's text.
        case secondHand
        /// Assumed by this project, or not found.
        case assumed
        /// Stated by the user in an overlay file.
        case overlay
    }

    /// A system and its first version.
    public struct PlatformMinimum: Hashable, Sendable, Codable {
        /// The system.
        public let os: Platform
        /// Its first version, `26.2`.
        public let minimum: String
    }

    /// A channel and when it is the one to use.
    public struct ChannelRule: Hashable, Sendable, Codable {
        /// The channel.
        public let channel: Channel
        /// When it is the one to use.
        public let when: Condition
    }

    /// How a report reaches Apple (spec/07, section 5).
    public enum Channel: String, ProgrammeWord {
        /// The report API.
        case externalPurchaseServerAPI
        /// A form that a person fills in.
        case manual
    }

    /// When Apple's invoice is paid (OB-80, OB-81).
    public struct Payment: Hashable, Sendable, Codable {
        /// When the invoice comes, in words.
        public let invoice: String
        /// Days to pay.
        public let payWithinDays: Int
        /// What the days are counted from.
        public let countedFrom: PaymentStart
        /// Until when an invoice can be disputed.
        public let disputeUntil: String?
        /// Where refunds are credited.
        public let refundsCreditedOn: String?
        /// The tax id that Apple asks for.
        public let taxIdRequired: String?
    }

    /// What the days to pay are counted from (OB-81).
    public enum PaymentStart: String, ProgrammeWord {
        /// The date of the invoice.
        case invoiceDate
        /// The end of the month of the sales.
        case fiscalMonthEnd
    }
}

/// One of the words that a member of a programme takes; reading another one names those that are known.
public protocol ProgrammeWord: RawRepresentable, Hashable, Sendable, Codable, CaseIterable where RawValue == String {}

extension ProgrammeWord {
    /// Reads one of the known words.
    ///
    /// - Parameter decoder: holds a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let word = Self(rawValue: text) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is not one of \(known)"
            )
        }
        self = word
    }
}

extension TokenType: Codable {}
