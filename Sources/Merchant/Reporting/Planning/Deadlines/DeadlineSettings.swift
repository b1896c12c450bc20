package import ExternalPurchaseCore

/// The settings of deadlines with their defaults (RR-95).
package struct DeadlineSettings: Hashable, Sendable {
    /// `due.timeZone`: the zone in which months are counted and deadlines end (RR-71).
    package private(set) var timeZone = ReportingTimeZone.utc
    /// `due.unreportedHorizon`: the latest time after creation for the first report of a non-expiring token
    /// (RR-70).
    package private(set) var unreportedHorizon = Duration.days(10)
    /// `send.delay`: the wait between the settlement of a sale and its sending (RR-72).
    package private(set) var sendDelay = Duration.zero
    /// `send.lead`: the maximum time before its deadline at which a token-only report is sent (RR-72).
    package private(set) var sendLead = Duration.days(1)
    /// `due.warn` in days before the deadline, in descending order (OB-51).
    package private(set) var warnDays = [5, 2, 1]

    /// The default settings.
    package static let defaults = DeadlineSettings()

    private init() {}

    /// Creates settings, with warnings in days in any order.
    ///
    /// - Throws: `SettingError` for the first invalid value.
    package init(
        timeZone: ReportingTimeZone = .utc,
        unreportedHorizon: Duration = .days(10),
        sendDelay: Duration = .zero,
        sendLead: Duration = .days(1),
        warnDays: [Int] = [5, 2, 1]
    ) throws(SettingError) {
        self.timeZone = timeZone
        self.unreportedHorizon = unreportedHorizon
        self.sendDelay = sendDelay
        self.sendLead = sendLead
        self.warnDays = warnDays
        for setting in Self.settings { try setting.set(&self, to: setting.text(in: self)) }
    }
}

extension DeadlineSettings: NamedSettings {
    /// The settings `due.…` and `send.…`.
    package static let settings: [Setting<DeadlineSettings>] = [
        Setting(
            "due.timeZone",
            ReportingTimeZone.expected,
            means: "the zone in which months are counted and deadlines end",
            read: { $0.timeZone.description }
        ) { settings, text throws(SettingError) in
            settings.timeZone = try ReportingTimeZone(text)
        },
        .duration(
            "due.unreportedHorizon",
            \.unreportedHorizon,
            from: .milliseconds(1),
            through: .days(3_650),
            "above 0 and at most 3650 days, such as 10d",
            means: "how long after its creation a token without expiration is reported at the latest"
        ),
        .duration(
            "send.delay",
            \.sendDelay,
            through: .days(365),
            "from 0s to 365d, such as 2h",
            means: "how long a settled sale waits, so that [unordered sources](sales.md#late-events) need no correction"
        ),
        .duration(
            "send.lead",
            \.sendLead,
            through: .days(365),
            "from 0s to 365d, such as 24h",
            means: "how long before its due date a token without a sale is reported, at most"
        ),
        Setting(
            "due.warn",
            warnExpected,
            means: "the days before a due date on which an [alert](watch.md#alerts) is sent",
            read: { $0.warnDays.map(String.init).joined(separator: ",") },
            write: warn
        ),
    ]

    private static let warnExpected = "days from 1 to 365, such as 5,2,1"

    @Sendable private static func warn(
        _ settings: inout DeadlineSettings,
        _ text: String
    ) throws(SettingError) {
        func refused(_ expected: String) -> SettingError {
            .unknownValue(name: "due.warn", value: text, expected: expected)
        }
        let parts = text.split(separator: ",")
        let days = parts.compactMap { Int($0.filter { $0 != " " && $0 != "d" }) }
        guard days.count == parts.count, days.allSatisfy((1...365).contains) else {
            throw refused(warnExpected)
        }
        guard Set(days).count == days.count, days.count <= 20 else {
            throw refused("at most 20 numbers of days, each once, such as 5,2,1")
        }
        settings.warnDays = days.sorted(by: >)
    }
}
