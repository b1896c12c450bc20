import AppStoreServerClient
import CommandSupport
import ExternalPurchaseCore
import HTTPSupport
import ReportValidation
import Reporting
import ReportingServer

/// The named settings of `serve`, parsed from text.
struct ServeSettings: Sendable {
    /// The settings of the reporting system, including those of the pre-flight and its rules.
    var reporting: ReportingSettings
    /// Setting `jwt.lifetime` (SA-11).
    let tokenLifetime: Duration
    /// Settings `http.…`: timeouts and the maximum number of clients.
    let http: HTTPLimits
    /// Settings `http.max…BodySize` and `http.maxFormSize`.
    let bodies: BodyLimits
    /// Setting `log.format`.
    let logFormat: LogFormat
    /// Setting `http.shutdownDelay`.
    let shutdownDelay: Duration
    /// Setting `database.migrate`.
    let migratesDatabase: Bool
    /// Setting `database.folder`: the folder of this server's files outside a ledger in PostgreSQL.
    let databaseFolder: String
    static let defaultDatabaseFolder = "external-purchase-files"
    /// Settings `keys.perMinute`, `keys.wrongPerMinute`, `publishable.perMinute` and `metrics.open`.
    let access: AccessSettings

    /// Parses settings by name.
    ///
    /// - Throws: ``CommandFailure`` naming an unknown setting or an invalid value.
    init(_ texts: [String: String]) throws(CommandFailure) {
        var rules = RuleSettings()
        var lifetime = BearerTokenSigner.standardLifetime
        var isSendingOn = true
        var sendDelay = Duration.zero
        var foreignCurrency = ForeignCurrency.automatic
        var subscriptionFigures = ReportingSettings.CorrectionMode.review
        var paymentCorrections = ReportingSettings.CorrectionMode.review
        var resumeWithin = ReportingSettings().resumeWithin
        var sendLead = DeadlineSettings.defaults.sendLead
        var horizon = DeadlineSettings.defaults.unreportedHorizon
        var wait = ReportingSettings().unrecognizedWait
        var every = ReportingSettings().historyEvery
        var http = Self.defaultHTTP
        var bodies = BodyLimits()
        var clockLimits = MachineClockCheck.Limits()
        var freeSpace = ReportingSettings().readyFreeSpace
        var tokenWait = ReportingSettings().tokenWait
        var timeZone = ReportingTimeZone.utc
        var warnDays = DeadlineSettings.defaults.warnDays
        var landing = LandingSettings()
        var migratesDatabase = true
        var databaseFolder = Self.defaultDatabaseFolder
        var shutdownDelay = Duration.zero
        var logFormat = LogFormat.automatic
        var access = AccessSettings()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "jwt.lifetime":
                guard let duration = try? SettingText.duration(text, of: name),
                    BearerTokenSigner.lifetimes.contains(duration)
                else { throw .input("settings: jwt.lifetime \(text.shown()) must be from 60s to 3600s") }
                lifetime = duration
            case "send.delay":
                guard let duration = try? SettingText.duration(text, of: name), duration >= .zero else {
                    throw .input("settings: send.delay \(text.shown()) must be a duration such as 0s or 2h")
                }
                sendDelay = duration
            case "reporting.send":
                guard ["on", "off"].contains(text) else {
                    throw .input("settings: reporting.send \(text.shown()) must be on or off")
                }
                isSendingOn = text == "on"
            case "log.format":
                guard let value = LogFormat.named(text) else {
                    throw .input("settings: log.format \(text.shown()) must be text, json or automatic")
                }
                logFormat = value
            case "http.shutdownDelay":
                guard let duration = try? SettingText.duration(text, of: name),
                    (.zero ... .hours(1)).contains(duration)
                else { throw .input("settings: http.shutdownDelay \(text.shown()) must be from 0s to 1h, such as 10s") }
                shutdownDelay = duration
            case "database.folder":
                guard !text.isEmpty else { throw .input("settings: database.folder is empty: name a folder") }
                databaseFolder = text
            case "database.migrate":
                guard ["on", "off"].contains(text) else {
                    throw .input("settings: database.migrate \(text.shown()) must be on or off")
                }
                migratesDatabase = text == "on"
            case "corrections.subscriptionFigures":
                subscriptionFigures = try Self.correctionMode(text, of: name)
            case "corrections.payments": paymentCorrections = try Self.correctionMode(text, of: name)
            case "subscriptions.resumeWithin":
                guard let duration = try? SettingText.duration(text, of: name), (.zero ... .days(60)).contains(duration)
                else {
                    throw .input(
                        "settings: subscriptions.resumeWithin \(text.shown()) must be from 0d to 60d, such as 60d"
                    )
                }
                resumeWithin = duration
            case "send.lead": sendLead = try Self.duration(text, name, "24h")
            case "due.unreportedHorizon": horizon = try Self.duration(text, name, "10d")
            case "unrecognized.wait": wait = try Self.duration(text, name, "24h")
            case "review.tokenWait": tokenWait = try Self.duration(text, name, "24h")
            case "history.every":
                // Every read sends requests for each app and environment, and Apple limits their rate (SA-81).
                guard let duration = try? SettingText.duration(text, of: name), duration >= .minutes(1) else {
                    throw .input(
                        "settings: history.every \(text.shown()) must be a duration of at least 1min, such as 6h"
                    )
                }
                every = duration
            case "landing.visitsPerMinute":
                landing.visitsPerMinute = text == "off" ? nil : try Self.count(text, name, "300, or off")
            case "keys.perMinute":
                access.keysPerMinute = text == "off" ? nil : try Self.count(text, name, "6000, or off")
            case "keys.wrongPerMinute": access.wrongKeysPerMinute = try Self.count(text, name, "30")
            case "publishable.perMinute":
                access.publishablePerMinute = text == "off" ? nil : try Self.count(text, name, "30, or off")
            case "metrics.open":
                guard ["on", "off"].contains(text) else {
                    throw .input("settings: metrics.open \(text.shown()) must be on or off")
                }
                access.isMetricsOpen = text == "on"
            case "landing.tokensPerHour": landing.tokensPerHour = try Self.count(text, name, "10000")
            case "landing.quarantinePerHour": landing.quarantinePerHour = try Self.count(text, name, "200")
            case "landing.quarantineAge": landing.quarantineAge = try Self.duration(text, name, "30d")
            case "clock.maxJump": clockLimits.jump = try Self.duration(text, name, "24h")
            case "clock.maxGap": clockLimits.gap = try Self.duration(text, name, "31d")
            case "ready.freeSpace":
                guard let bytes = Self.bytes(text) else {
                    throw .input("settings: ready.freeSpace \(text.shown()) must be a size such as 64MB, or 0")
                }
                freeSpace = bytes
            case "due.timeZone":
                do {
                    timeZone = try ReportingTimeZone(text)
                } catch {
                    throw .input("settings: \(error)")
                }
            case "due.warn":
                let days = text.split(separator: ",").map { Int($0.filter { $0 != " " && $0 != "d" }) }
                guard !days.contains(nil) else {
                    throw .input("settings: due.warn \(text.shown()) must be days such as 5,2,1")
                }
                warnDays = days.compactMap(\.self)
            case "reporting.foreignCurrency":
                guard let value = ForeignCurrency.named(text) else {
                    throw .input("settings: reporting.foreignCurrency \(text.shown()) must be automatic, EUR or USD")
                }
                foreignCurrency = value
            case _ where BodyLimits.names.contains(name):
                do {
                    try bodies.set(name, to: text)
                } catch {
                    throw .input("settings: \(error)")
                }
            case _ where HTTPLimits.names.contains(name):
                do {
                    try http.set(name, to: text)
                } catch {
                    throw .input("settings: \(error)")
                }
            default:
                guard RuleSettings.names.contains(name) else {
                    let known = (Self.names + HTTPLimits.names + BodyLimits.names).sorted() + [RuleSettings.listing]
                    throw .input("settings: there is no \(name.shown()); known are \(known.joined(separator: ", "))")
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
        reporting.paymentCorrections = paymentCorrections
        reporting.resumeWithin = resumeWithin
        reporting.unrecognizedWait = wait
        reporting.historyEvery = every
        reporting.landing = landing
        reporting.clockLimits = clockLimits
        reporting.readyFreeSpace = freeSpace
        reporting.tokenWait = tokenWait
        do {
            reporting.due = try DeadlineSettings(
                timeZone: timeZone,
                unreportedHorizon: horizon,
                sendDelay: sendDelay,
                sendLead: sendLead,
                warnDays: warnDays
            )
        } catch {
            throw .input("settings: \(error.setting) \((texts[error.setting] ?? "").shown()) \(error.message)")
        }
        self.reporting = reporting
        tokenLifetime = lifetime
        self.http = http
        self.bodies = bodies
        self.migratesDatabase = migratesDatabase
        self.databaseFolder = databaseFolder
        self.shutdownDelay = shutdownDelay
        self.logFormat = logFormat
        self.access = access
    }

    /// The limits without a setting: one address has at most a quarter of the connections.
    static let defaultHTTP = {
        var limits = HTTPLimits()
        limits.connectionsPerAddress = 256
        return limits
    }()

    private static func correctionMode(
        _ text: String,
        of name: String
    ) throws(CommandFailure) -> ReportingSettings.CorrectionMode {
        guard let mode = ReportingSettings.CorrectionMode.named(text) else {
            throw .input("settings: \(name) \(text.shown()) must be review or automatic")
        }
        return mode
    }

    /// The names of all settings.
    static let allNames = (names + HTTPLimits.names + BodyLimits.names + RuleSettings.names).sorted()

    private static let names = [
        "corrections.payments", "corrections.subscriptionFigures", "database.folder", "database.migrate",
        "http.shutdownDelay", "jwt.lifetime",
        "log.format",
        "reporting.foreignCurrency", "reporting.send", "send.delay",
        "send.lead", "subscriptions.resumeWithin",
        "due.unreportedHorizon", "due.timeZone",
        "due.warn", "unrecognized.wait", "history.every", "review.tokenWait", "landing.visitsPerMinute",
        "landing.tokensPerHour",
        "landing.quarantinePerHour", "landing.quarantineAge", "clock.maxJump", "clock.maxGap", "ready.freeSpace",
        "keys.perMinute", "keys.wrongPerMinute", "metrics.open", "publishable.perMinute",
    ]

    private static func count(_ text: String, _ name: String, _ example: String) throws(CommandFailure) -> Int {
        guard let count = Int(text), (1...1_000_000_000).contains(count) else {
            throw .input("settings: \(name) \(text.shown()) must be a whole number above 0, such as \(example)")
        }
        return count
    }

    /// Parses a number of bytes with an optional unit `KB`, `MB`, `GB` or `TB`, which are powers of 1000.
    private static func bytes(_ text: String) -> Int64? {
        let units: [(end: String, factor: Int64)] = [
            ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("", 1),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.end) }) else { return nil }
        let digits = text.dropLast(unit.end.count)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        return overflow ? nil : bytes
    }

    private static func duration(_ text: String, _ name: String, _ example: String) throws(CommandFailure) -> Duration {
        guard let duration = try? SettingText.duration(text, of: name), duration >= .zero else {
            throw .input("settings: \(name) \(text.shown()) must be a duration such as \(example)")
        }
        return duration
    }
}
