extension ReportingProgramme {
    /// A condition under which a rate or a channel applies, as data (OB-70).
    public enum Condition: Hashable, Sendable {
        /// The sale is at most that many days after the event (OB-72).
        ///
        /// The setting `commission.window` says whether these are calendar days or periods of 24 hours.
        case withinDaysOf(Event, days: Int)
        /// The sale is at most that many calendar months in UTC after the event, to the end of the day (OB-72).
        case withinMonthsOf(Event, months: Int)
        /// The developer takes part in this Apple programme.
        case developerProgramme(String)
        /// The subscription has at least that many days of paid service.
        case subscriptionAfterDays(Int)
        /// At least one of the conditions holds.
        case anyOf([Condition])
        /// The system version is this one or later.
        case osAtLeast(OSVersion)
        /// The system version is earlier than this one.
        case osBelow(OSVersion)
        /// There is a token.
        case tokenAvailable
        /// There is no token.
        case noToken
        /// The condition always holds.
        case always
        /// A condition that this release does not know.
        ///
        /// It never holds.
        case unknown(String)
    }

    /// The event from which a window is counted.
    ///
    /// Unknown events are preserved and never occur.
    public struct Event: RawRepresentable, Hashable, Sendable, Codable {
        /// The name in the table.
        public let rawValue: String

        /// Creates an event from any name.
        ///
        /// - Parameter rawValue: the name in the table.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The customer's tap on a link out of the app.
        public static let linkTap = Self(rawValue: "linkTap")
        /// The customer's first install.
        public static let firstInstall = Self(rawValue: "firstInstall")
        /// The customer's latest install, update or reinstall.
        public static let latestInstallUpdateOrReinstall = Self(rawValue: "latestInstallUpdateOrReinstall")

        /// The known events.
        public static let all: [Event] = [.linkTap, .firstInstall, .latestInstallUpdateOrReinstall]
    }
}

extension ReportingProgramme.Condition {
    /// The ids of the Apple developer programmes that the condition depends on.
    var developerProgrammes: [String] {
        switch self {
        case .developerProgramme(let id): [id]
        case .anyOf(let alternatives): alternatives.flatMap(\.developerProgrammes)
        default: []
        }
    }
}

extension ReportingProgramme.Condition: Codable {
    private enum CodingKeys: String, CodingKey {
        case condition, event, days, months, id, of, version
    }

    /// Reads `{"condition": NAME, …}`.
    ///
    /// An unknown name is preserved.
    ///
    /// - Parameter decoder: a decoder of an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .condition)
        func version() throws -> OSVersion {
            let text = try container.decode(String.self, forKey: .version)
            guard let version = OSVersion(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .version,
                    in: container,
                    debugDescription: "\"\(text)\" is not a version such as \"26.4\""
                )
            }
            return version
        }
        switch name {
        case "withinDaysOf":
            self = .withinDaysOf(
                try container.decode(ReportingProgramme.Event.self, forKey: .event),
                days: try container.decode(Int.self, forKey: .days)
            )
        case "withinMonthsOf":
            self = .withinMonthsOf(
                try container.decode(ReportingProgramme.Event.self, forKey: .event),
                months: try container.decode(Int.self, forKey: .months)
            )
        case "developerProgramme": self = .developerProgramme(try container.decode(String.self, forKey: .id))
        case "subscriptionAfterDays": self = .subscriptionAfterDays(try container.decode(Int.self, forKey: .days))
        case "anyOf": self = .anyOf(try container.decode([Self].self, forKey: .of))
        case "osAtLeast": self = .osAtLeast(try version())
        case "osBelow": self = .osBelow(try version())
        case "tokenAvailable": self = .tokenAvailable
        case "noToken": self = .noToken
        case "always": self = .always
        default: self = .unknown(name)
        }
    }

    /// Writes the form that ``init(from:)`` reads.
    ///
    /// For an unknown condition only the name is written.
    ///
    /// - Parameter encoder: an encoder of an object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func name(_ text: String) throws { try container.encode(text, forKey: .condition) }
        switch self {
        case .withinDaysOf(let event, let days):
            try name("withinDaysOf")
            try container.encode(event, forKey: .event)
            try container.encode(days, forKey: .days)
        case .withinMonthsOf(let event, let months):
            try name("withinMonthsOf")
            try container.encode(event, forKey: .event)
            try container.encode(months, forKey: .months)
        case .developerProgramme(let id):
            try name("developerProgramme")
            try container.encode(id, forKey: .id)
        case .subscriptionAfterDays(let days):
            try name("subscriptionAfterDays")
            try container.encode(days, forKey: .days)
        case .anyOf(let conditions):
            try name("anyOf")
            try container.encode(conditions, forKey: .of)
        case .osAtLeast(let version):
            try name("osAtLeast")
            try container.encode(version.description, forKey: .version)
        case .osBelow(let version):
            try name("osBelow")
            try container.encode(version.description, forKey: .version)
        case .tokenAvailable: try name("tokenAvailable")
        case .noToken: try name("noToken")
        case .always: try name("always")
        case .unknown(let text): try name(text)
        }
    }
}
