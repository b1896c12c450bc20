import ExternalPurchaseCore

/// The settings of deadlines with their defaults (RR-95).
package struct DeadlineSettings: Hashable, Sendable {
    /// `due.timeZone`: the zone in which months are counted and deadlines end (RR-71).
    package let timeZone: ReportingTimeZone
    /// `due.unreportedHorizon`: the latest time after creation for the first report of a non-expiring token
    /// (RR-70).
    package let unreportedHorizon: Duration
    /// `send.delay`: the wait between the settlement of a sale and its sending (RR-72).
    package let sendDelay: Duration
    /// `send.lead`: the maximum time before its deadline at which a token-only report is sent (RR-72).
    package let sendLead: Duration
    /// `due.warn` in days before the deadline, in descending order (OB-51).
    package let warnDays: [Int]

    /// The default settings.
    package static let defaults = DeadlineSettings(
        checkedTimeZone: .utc,
        unreportedHorizon: .days(10),
        sendDelay: .zero,
        sendLead: .days(1),
        warnDays: [5, 2, 1]
    )

    /// Creates settings, with warnings in days in any order.
    ///
    /// - Throws: ``DeadlineSettingError`` for the first invalid value.
    package init(
        timeZone: ReportingTimeZone = .utc,
        unreportedHorizon: Duration = .days(10),
        sendDelay: Duration = .zero,
        sendLead: Duration = .days(1),
        warnDays: [Int] = [5, 2, 1]
    ) throws(DeadlineSettingError) {
        func check(
            _ setting: String,
            _ value: Duration,
            _ range: ClosedRange<Duration>,
            _ words: String
        ) throws(DeadlineSettingError) {
            guard range.contains(value) else { throw DeadlineSettingError(setting: setting, message: words) }
        }
        try check(
            "due.unreportedHorizon",
            unreportedHorizon,
            .milliseconds(1) ... .days(3_650),
            "must be above 0 and at most 3650 days, such as 10d"
        )
        try check("send.delay", sendDelay, .zero ... .days(365), "must be from 0s to 365d, such as 2h")
        try check("send.lead", sendLead, .zero ... .days(365), "must be from 0s to 365d, such as 24h")
        for days in warnDays where !(1...365).contains(days) {
            throw DeadlineSettingError(setting: "due.warn", message: "must be days from 1 to 365, such as 5,2,1")
        }
        guard Set(warnDays).count == warnDays.count, warnDays.count <= 20 else {
            throw DeadlineSettingError(
                setting: "due.warn",
                message: "must be at most 20 numbers of days, each once, such as 5,2,1"
            )
        }
        self.init(
            checkedTimeZone: timeZone,
            unreportedHorizon: unreportedHorizon,
            sendDelay: sendDelay,
            sendLead: sendLead,
            warnDays: warnDays.sorted(by: >)
        )
    }

    private init(
        checkedTimeZone: ReportingTimeZone,
        unreportedHorizon: Duration,
        sendDelay: Duration,
        sendLead: Duration,
        warnDays: [Int]
    ) {
        timeZone = checkedTimeZone
        self.unreportedHorizon = unreportedHorizon
        self.sendDelay = sendDelay
        self.sendLead = sendLead
        self.warnDays = warnDays
    }
}
