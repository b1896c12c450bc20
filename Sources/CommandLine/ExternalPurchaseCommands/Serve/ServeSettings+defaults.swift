import AppStoreServerClient
import ExternalPurchaseCore
import HTTPSupport
import ReportValidation
import Reporting
import ReportingServer

extension ServeSettings {
    /// The text of the default of a setting, or nil for a name that is none.
    static func defaultText(of name: String) -> String? {
        let (due, landing, reporting) = (DeadlineSettings.defaults, LandingSettings(), ReportingSettings())
        let clock = MachineClockCheck.Limits()
        return switch name {
        case "corrections.payments": reporting.paymentCorrections.rawValue
        case "corrections.subscriptionFigures": reporting.subscriptionFigures.rawValue
        case "database.folder": defaultDatabaseFolder
        case "database.migrate": "on"
        case "http.shutdownDelay": "0s"
        case "jwt.lifetime": SettingText.text(of: BearerTokenSigner.standardLifetime)
        case "log.format": LogFormat.automatic.rawValue
        case "reporting.foreignCurrency": reporting.foreignCurrency.rawValue
        case "reporting.send": "on"
        case "send.delay": "0s"
        case "send.lead": SettingText.text(of: due.sendLead)
        case "subscriptions.resumeWithin": SettingText.text(of: reporting.resumeWithin)
        case "due.unreportedHorizon": SettingText.text(of: due.unreportedHorizon)
        case "due.timeZone": "UTC"
        case "due.warn": due.warnDays.map(String.init).joined(separator: ",")
        case "unrecognized.wait": SettingText.text(of: reporting.unrecognizedWait)
        case "review.tokenWait": SettingText.text(of: reporting.tokenWait)
        case "history.every": SettingText.text(of: reporting.historyEvery)
        case "landing.visitsPerMinute": landing.visitsPerMinute.map(String.init) ?? "off"
        case "landing.tokensPerHour": String(landing.tokensPerHour)
        case "landing.quarantinePerHour": String(landing.quarantinePerHour)
        case "landing.quarantineAge": SettingText.text(of: landing.quarantineAge)
        case "clock.maxJump": SettingText.text(of: clock.jump)
        case "clock.maxGap": SettingText.text(of: clock.gap)
        case "keys.perMinute": AccessSettings().keysPerMinute.map(String.init) ?? "off"
        case "keys.wrongPerMinute": String(AccessSettings().wrongKeysPerMinute)
        case "publishable.perMinute": AccessSettings().publishablePerMinute.map(String.init) ?? "off"
        case "metrics.open": SettingText.text(ofSwitch: AccessSettings().isMetricsOpen)
        case "ready.freeSpace": String(reporting.readyFreeSpace)
        default: Self.defaultHTTP.text(of: name) ?? BodyLimits().text(of: name) ?? RuleSettings().text(of: name)
        }
    }
}
