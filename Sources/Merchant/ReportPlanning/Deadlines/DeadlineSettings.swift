import ExternalPurchaseCore

/// The settings of deadlines with their defaults (RR-95).
package struct DeadlineSettings: Hashable, Sendable {
    /// `due.timeZone`: the zone in which months are counted and deadlines end (RR-71).
    package let timeZone: ReportingTimeZone
    /// `due.unreportedHorizon` in ms: the latest time after creation for the first report of a non-expiring token
    /// (RR-70).
    package let unreportedHorizon: Int64
    /// `send.delay` in ms: the wait between the settlement of a sale and its sending (RR-72).
    package let sendDelay: Int64
    /// `send.lead` in ms: the maximum time before its deadline at which a token-only report is sent (RR-72).
    package let sendLead: Int64
    /// `due.warn` in days before the deadline, in descending order (OB-51).
    package let warnDays: [Int]

    /// The default settings.
    package static let defaults = DeadlineSettings(
        checkedTimeZone: .utc,
        unreportedHorizon: 10 * Timestamp.day,
        sendDelay: 0,
        sendLead: Timestamp.day,
        warnDays: [5, 2, 1]
    )

    /// Creates settings; durations are in ms, warnings in days in any order.
    ///
    /// - Throws: ``DeadlineSettingError`` for the first invalid value.
    package init(
        timeZone: ReportingTimeZone = .utc,
        unreportedHorizon: Int64 = 10 * Timestamp.day,
        sendDelay: Int64 = 0,
        sendLead: Int64 = Timestamp.day,
        warnDays: [Int] = [5, 2, 1]
    ) throws(DeadlineSettingError) {
        func check(
            _ setting: String,
            _ value: Int64,
            _ range: ClosedRange<Int64>,
            _ words: String
        ) throws(DeadlineSettingError) {
            guard range.contains(value) else { throw DeadlineSettingError(setting: setting, message: words) }
        }
        try check("due.unreportedHorizon", unreportedHorizon, 1...3_650 * Timestamp.day, "above 0, at most 3650 days")
        try check("send.delay", sendDelay, 0...365 * Timestamp.day, "0 to 365 days")
        try check("send.lead", sendLead, 0...365 * Timestamp.day, "0 to 365 days")
        for days in warnDays { try check("due.warn", Int64(days), 1...365, "days from 1 to 365") }
        guard Set(warnDays).count == warnDays.count, warnDays.count <= 20 else {
            throw DeadlineSettingError(setting: "due.warn", message: "at most 20 distances, each once")
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
        unreportedHorizon: Int64,
        sendDelay: Int64,
        sendLead: Int64,
        warnDays: [Int]
    ) {
        timeZone = checkedTimeZone
        self.unreportedHorizon = unreportedHorizon
        self.sendDelay = sendDelay
        self.sendLead = sendLead
        self.warnDays = warnDays
    }
}
