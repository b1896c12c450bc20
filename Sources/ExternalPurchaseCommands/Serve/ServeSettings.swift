import CommandProgram
import ExternalPurchaseCore
import Obligations
import ReportPlanning
import ReportRules
import Reporting

/// The named settings of `serve`, read from text.
struct ServeSettings: Sendable {
    /// The settings of the merchant's side, the pre-flight with its rules included.
    var reporting: ReportingSettings
    /// Setting `jwt.lifetime` in seconds (SA-11).
    let tokenLifetime: Int64

    /// Reads settings by name.
    ///
    /// - Throws: ``CommandFailure`` naming an unknown setting or value.
    init(_ texts: [String: String]) throws(CommandFailure) {
        var rules = RuleSettings()
        var lifetime: Int64 = 300
        var isSendingOn = true
        var sendDelay: Int64 = 0
        var foreignCurrency = ForeignCurrency.automatic
        var subscriptionFigures = ReportingSettings.SubscriptionFigureCorrection.review
        var (sendLead, horizon, wait, every): (Int64, Int64, Int64, Int64) =
            (Timestamp.day, 10 * Timestamp.day, Timestamp.day, 6 * 3_600_000)
        var timeZone = DueTimeZone.utc
        var warnDays = DueSettings.defaults.warnDays
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "jwt.lifetime":
                guard let duration = try? SettingText.duration(text, of: name), (60_000...3_600_000).contains(duration)
                else { throw .input("settings: jwt.lifetime '\(text)' must be from 60s to 3600s") }
                lifetime = duration / 1_000
            case "send.delay":
                guard let duration = try? SettingText.duration(text, of: name), duration >= 0 else {
                    throw .input("settings: send.delay '\(text)' must be a duration such as 0s or 2h")
                }
                sendDelay = duration
            case "reporting.send":
                guard ["on", "off"].contains(text) else {
                    throw .input("settings: reporting.send '\(text)' must be on or off")
                }
                isSendingOn = text == "on"
            case "corrections.subscriptionFigures":
                guard let value = ReportingSettings.SubscriptionFigureCorrection(rawValue: text) else {
                    throw .input("settings: corrections.subscriptionFigures '\(text)' must be review or automatic")
                }
                subscriptionFigures = value
            case "send.lead": sendLead = try Self.duration(text, name, "24h")
            case "due.unreportedHorizon": horizon = try Self.duration(text, name, "10d")
            case "unrecognized.wait": wait = try Self.duration(text, name, "24h")
            case "history.every": every = try Self.duration(text, name, "6h")
            case "due.timeZone":
                do {
                    timeZone = try DueTimeZone(text)
                } catch {
                    throw .input("settings: \(error)")
                }
            case "due.warn":
                let days = text.split(separator: ",").map { Int($0.filter { $0 != " " && $0 != "d" }) }
                guard !days.contains(nil) else {
                    throw .input("settings: due.warn '\(text)' must be days such as 5,2,1")
                }
                warnDays = days.compactMap(\.self)
            case "reporting.foreignCurrency":
                guard let value = ForeignCurrency(rawValue: text) else {
                    throw .input("settings: reporting.foreignCurrency '\(text)' must be automatic, EUR or USD")
                }
                foreignCurrency = value
            default:
                guard RuleSettings.names.contains(name) else {
                    let known = (Self.names + RuleSettings.names).sorted()
                    throw .input("settings: there is no '\(name)'; known are \(known.joined(separator: ", "))")
                }
                do {
                    try rules.set(name, to: text)
                } catch {
                    throw .input("settings: \(error)")
                }
            }
        }
        var reporting = ReportingSettings()
        reporting.rules = rules
        reporting.foreignCurrency = foreignCurrency
        reporting.isSendingOn = isSendingOn
        reporting.subscriptionFigures = subscriptionFigures
        reporting.sendDelay = sendDelay
        reporting.unrecognizedWait = wait
        reporting.historyEvery = every
        do {
            reporting.due = try DueSettings(
                timeZone: timeZone,
                unreportedHorizon: horizon,
                sendDelay: sendDelay,
                sendLead: sendLead,
                warnDays: warnDays
            )
        } catch {
            throw .input("settings: \(error)")
        }
        self.reporting = reporting
        tokenLifetime = lifetime
    }

    private static let names = [
        "corrections.subscriptionFigures", "jwt.lifetime", "reporting.foreignCurrency", "reporting.send", "send.delay",
        "send.lead",
        "due.unreportedHorizon", "due.timeZone",
        "due.warn", "unrecognized.wait", "history.every",
    ]

    private static func duration(_ text: String, _ name: String, _ example: String) throws(CommandFailure) -> Int64 {
        guard let duration = try? SettingText.duration(text, of: name), duration >= 0 else {
            throw .input("settings: \(name) '\(text)' must be a duration such as \(example)")
        }
        return duration
    }
}
