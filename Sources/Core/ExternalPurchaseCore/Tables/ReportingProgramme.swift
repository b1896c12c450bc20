/// The reporting obligation of a region from a date (spec/07).
///
/// It is data; no code switches over programmes.
///
/// Every figure has its own confidence, see ``confidence`` (OB-2).
public struct ReportingProgramme: Hashable, Sendable, Codable {
    /// The calendar by which months are counted.
    public struct Calendar: RawRepresentable, Hashable, Sendable, Codable {
        /// The name in the table.
        public let rawValue: String

        /// Creates a calendar from any name.
        ///
        /// - Parameter rawValue: the name in the table.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Calendar months.
        public static let civilMonth = Self(rawValue: "civilMonth")
        /// Apple's fiscal months, ``FiscalMonth``.
        public static let appleFiscalMonth = Self(rawValue: "appleFiscalMonth")
    }

    /// The name, `eu-2026-10`.
    public let id: String
    /// The name for people.
    public let title: String
    /// The address of the page that the figures come from, where a figure names no other; nil if there is none.
    public let source: String?
    /// The first day in force, `YYYY-MM-DD` in UTC, inclusive.
    public let effectiveFrom: String
    /// The last day in force, inclusive; nil if there is none yet.
    public let effectiveTo: String?
    /// A qualification of the dates, in one clause; nil for none.
    public let effectiveNote: String?
    /// The region codes in lower case.
    ///
    /// `@NAME` is a set of `Data/regions.json`.
    public let regions: [String]
    /// The first days of regions that joined later than ``effectiveFrom``.
    public let regionEffectiveFrom: [String: String]?
    /// The programmes of the rule packs that this programme covers.
    public let clientProgrammes: [String]
    /// The systems that the programme applies to.
    public let platforms: [PlatformMinimum]
    /// The types of the programme's tokens.
    ///
    /// Nil is the plain token; an empty list means that there are no tokens.
    public let tokenTypes: [TokenType?]
    /// The channels by which a report reaches Apple.
    ///
    /// The first whose condition holds is used.
    public let channel: [ChannelRule]
    /// The names of the events that must be reported.
    public let mustReport: [String]
    /// The calendar by which months are counted; nil when nothing must be reported.
    public let calendar: Calendar?
    /// The number of days after the end of the month; nil when nothing must be reported.
    public let deadlineDays: Int?
    /// The length of the commission window in days; nil if there is none.
    public let attributionWindowDays: Int?
    /// The event that opens the commission window.
    public let attributionStart: Event?
    /// The flows with a commission window.
    public let attributionAppliesTo: [Flow]
    /// Whether renewals are commissionable.
    public let renewalsCount: Bool
    /// Shares of the price, for estimates (OB-3).
    public let rates: [Rate]
    /// Fees that do not depend on a price; nil if there are none.
    public let fixedFees: [FixedFee]?
    /// When and how Apple's invoice is paid; nil if unknown.
    public let payment: Payment?
    /// The number of years for which records must be kept; nil when nothing must be reported.
    public let recordKeepingYears: Int?
    /// The event from which the years are counted.
    public let recordKeepingFrom: String?
    /// The number of days before an audit at which Apple gives notice; nil if unknown.
    public let auditNoticeDays: Int?
    /// The number of months for which a choice of payment options cannot be changed; nil if unknown.
    public let electionLockMonths: Int?
    /// The confidence in the figures, by the names of their members.
    public let confidence: [String: Confidence]

    /// The programmes of this release.
    public static let all: [ReportingProgramme] = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.programmes)
        return table.programmes
    }()

    /// What sales and tokens without a programme are listed under (OB-13): nothing is due by month, no fee is known.
    package static let noProgramme = ReportingProgramme(
        id: "no-programme",
        title: "No programme",
        source: nil,
        effectiveFrom: "2024-03-05",
        effectiveTo: nil,
        effectiveNote: nil,
        regions: [],
        regionEffectiveFrom: nil,
        clientProgrammes: [],
        platforms: [],
        tokenTypes: [],
        channel: [],
        mustReport: [],
        calendar: .civilMonth,
        deadlineDays: nil,
        attributionWindowDays: nil,
        attributionStart: nil,
        attributionAppliesTo: [],
        renewalsCount: false,
        rates: [],
        fixedFees: nil,
        payment: nil,
        recordKeepingYears: nil,
        recordKeepingFrom: nil,
        auditNoticeDays: nil,
        electionLockMonths: nil,
        confidence: [:]
    )

    /// The ids of the Apple developer programmes that the programme's conditions depend on.
    package var developerProgrammes: Set<String> {
        Set((rates.flatMap(\.when) + channel.map(\.when)).flatMap(\.developerProgrammes))
    }

    /// The region sets that `@NAME` refers to.
    package static let regionSets: [String: [String]] =
        TableValue(table: EmbeddedTables.regions)["regionSets"].members.mapValues(\.texts)

    /// The text of `Data/programmes.json`.
    package static var tableText: String { EmbeddedTables.programmes }

    private struct Table: Decodable { let programmes: [ReportingProgramme] }
}

extension ReportingProgramme {
    /// The confidence in a figure and its date (OB-2).
    public struct Confidence: Hashable, Sendable, Codable {
        /// The kind of source.
        public let level: ConfidenceLevel
        /// The date of the source, `2026-09-05` or `2022`; nil for that of the table.
        public let asOf: String?
        /// The address of the page, where it is not the ``ReportingProgramme/source`` of the programme; nil for that one.
        public let source: String?
        /// A qualification of the figure in one clause, such as conflicting sources or a search without result; nil for
        /// none.
        public let note: String?

        /// Creates a confidence.
        ///
        /// - Parameters:
        ///   - level: the kind of source.
        ///   - asOf: the date of the source.
        ///   - source: the address of the page.
        ///   - note: a qualification of the figure.
        public init(level: ConfidenceLevel, asOf: String? = nil, source: String? = nil, note: String? = nil) {
            self.level = level
            self.asOf = asOf
            self.source = source
            self.note = note
        }
    }

    /// The kind of source that a figure comes from.
    public enum ConfidenceLevel: String, ProgrammeWord {
        /// Apple's own text.
        case apple
        /// Dated accounts of Apple's text by others.
        case secondHand
        /// An assumption of this project; no source was found.
        case assumed
        /// An overlay file of the user.
        case overlay
    }

    /// An operating system and the first version that the programme applies to.
    public struct PlatformMinimum: Hashable, Sendable, Codable {
        /// The system.
        public let os: Platform
        /// The first version, `26.2`.
        public let minimum: String
    }

    /// A channel and the condition under which it is used.
    public struct ChannelRule: Hashable, Sendable, Codable {
        /// The channel.
        public let channel: Channel
        /// The condition under which the channel is used.
        public let when: Condition
    }

    /// How a report reaches Apple (spec/07, section 5).
    public enum Channel: String, ProgrammeWord {
        /// The report API.
        case externalPurchaseServerAPI
        /// A form that a person fills in.
        case manual
    }

    /// The terms of payment of Apple's invoice (OB-80, OB-81).
    public struct Payment: Hashable, Sendable, Codable {
        /// When Apple sends the invoice, in words.
        public let invoice: String
        /// The number of days to pay.
        public let payWithinDays: Int
        /// The event from which the days are counted.
        public let countedFrom: PaymentStart
        /// The time until which an invoice can be disputed.
        public let disputeUntil: String?
        /// The invoice on which refunds are credited.
        public let refundsCreditedOn: String?
        /// The tax id that Apple asks for.
        public let taxIdRequired: String?
    }

    /// The event from which the days to pay are counted (OB-81).
    public enum PaymentStart: String, ProgrammeWord {
        /// The date of the invoice.
        case invoiceDate
        /// The end of the fiscal month of the sales.
        case fiscalMonthEnd
    }
}

/// A word that a member of a programme can have.
///
/// The error for any other word lists the known ones.
public protocol ProgrammeWord: RawRepresentable, Hashable, Sendable, Codable, CaseIterable where RawValue == String {}

extension ProgrammeWord {
    /// Reads one of the known words.
    ///
    /// - Parameter decoder: a decoder of a string.
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
