import CommandProgram
import ExternalPurchaseCore
import ReportRules
import Reporting

/// The named settings of `serve`, read from text.
struct ServeSettings: Sendable {
    /// The settings of the merchant's side, the pre-flight with its rules included.
    let reporting: ReportingSettings
    /// Setting `jwt.lifetime` in seconds (SA-11).
    let tokenLifetime: Int64

    /// Reads settings by name.
    ///
    /// - Throws: ``CommandFailure`` naming an unknown setting or value.
    init(_ texts: [String: String]) throws(CommandFailure) {
        var rules = RuleSettings()
        var lifetime: Int64 = 300
        var sendDelay: Int64 = 0
        var foreignCurrency = ReportingSettings.ForeignCurrency.automatic
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
            case "reporting.foreignCurrency":
                guard let value = ReportingSettings.ForeignCurrency(rawValue: text) else {
                    throw .input("settings: reporting.foreignCurrency '\(text)' must be automatic, EUR or USD")
                }
                foreignCurrency = value
            default:
                guard RuleSettings.names.contains(name) else {
                    let known = (["jwt.lifetime", "reporting.foreignCurrency", "send.delay"] + RuleSettings.names)
                        .sorted()
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
        reporting.sendDelay = sendDelay
        self.reporting = reporting
        tokenLifetime = lifetime
    }
}
