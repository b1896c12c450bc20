import AppStoreServerClient
import CommandSupport
import ExternalPurchaseCore
import HTTPSupport
import ReportValidation
import Reporting
import ReportingServer

/// The named settings of `serve`.
struct ServeSettings: Sendable {
    /// The settings of the reporting system, including those of the pre-flight and its rules.
    var reporting = ReportingSettings()
    /// Setting `jwt.lifetime` (SA-11).
    var tokenLifetime = BearerTokenSigner.standardLifetime
    /// Settings `http.…`: timeouts and the maximum number of clients; one address has at most a quarter of the connections.
    var http = {
        var limits = HTTPLimits()
        limits.connectionsPerAddress = 256
        return limits
    }()
    /// Settings `http.max…BodySize` and `http.maxFormSize`.
    var bodies = BodyLimits()
    /// Setting `log.format`.
    var logFormat = LogFormat.automatic
    /// Setting `http.shutdownDelay`.
    var shutdownDelay = Duration.zero
    /// Setting `database.migrate`.
    var migratesDatabase = true
    /// Setting `database.folder`: the folder of this server's files outside a ledger in PostgreSQL.
    var databaseFolder = "external-purchase-files"
    /// Settings `keys.perMinute`, `keys.wrongPerMinute`, `publishable.perMinute` and `metrics.open`.
    var access = AccessSettings()

    /// Creates the default settings.
    init() {}

    /// Parses settings by name.
    ///
    /// - Throws: ``CommandFailure`` naming an unknown setting or an invalid value.
    init(_ texts: [String: String]) throws(CommandFailure) {
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            do throws(SettingError) {
                try set(name, to: text)
            } catch {
                switch error {
                case .unknownValue(let name, let value, let expected):
                    throw .input("settings: \(name) \(value.shown()) must be \(expected)")
                case .unknownName, .notAnAssignment:
                    let known = Self.names.filter { !RuleSettings.names.contains($0) } + [RuleSettings.listing]
                    throw .input("settings: there is no \(name.shown()); known are \(known.joined(separator: ", "))")
                }
            }
        }
    }
}

extension ServeSettings: NamedSettings {
    /// All settings, sorted by name.
    static let settings: [Setting<ServeSettings>] =
        (own + DeadlineSettings.settings.map { $0.at(\.reporting.due) } + HTTPLimits.settings.map { $0.at(\.http) }
        + BodyLimits.settings.map { $0.at(\.bodies) } + RuleSettings.settings.map { $0.at(\.reporting.rules) })
        .sorted { $0.name < $1.name }

    private static let own: [Setting<ServeSettings>] = [
        .duration(
            "jwt.lifetime",
            \.tokenLifetime,
            from: BearerTokenSigner.lifetimes.lowerBound,
            through: BearerTokenSigner.lifetimes.upperBound,
            "from 60s to 3600s"
        ),
        .toggle("reporting.send", \.reporting.isSendingOn),
        .choice("reporting.foreignCurrency", \.reporting.foreignCurrency, "automatic, EUR or USD"),
        .choice("commission.window", \.reporting.commissionWindow),
        .choice("log.format", \.logFormat, "text, json or automatic"),
        .duration("http.shutdownDelay", \.shutdownDelay, through: .hours(1), "from 0s to 1h, such as 10s"),
        Setting(
            "database.folder",
            \.databaseFolder,
            "the name of a folder",
            text: \.self,
            parse: { $0.isEmpty ? nil : $0 }
        ),
        .toggle("database.migrate", \.migratesDatabase),
        .choice("corrections.subscriptionFigures", \.reporting.subscriptionFigures),
        .toggle("corrections.fourEyes", \.reporting.needsFourEyes),
        .choice("corrections.payments", \.reporting.paymentCorrections),
        .duration(
            "subscriptions.resumeWithin",
            \.reporting.resumeWithin,
            through: .days(60),
            "from 0d to 60d, such as 60d"
        ),
        .duration("unrecognized.wait", \.reporting.unrecognizedWait, "a duration such as 24h"),
        .duration("review.tokenWait", \.reporting.tokenWait, "a duration such as 24h"),
        // Every read sends requests for each app and environment, and Apple limits their rate (SA-81).
        .duration(
            "history.every",
            \.reporting.historyEvery,
            from: .minutes(1),
            "a duration of at least 1min, such as 6h"
        ),
        .number("landing.visitsPerMinute", orOff: \.reporting.landing.visitsPerMinute, counts, count("300, or off")),
        .number("landing.tokensPerHour", \.reporting.landing.tokensPerHour, counts, count("10000")),
        .number("landing.quarantinePerHour", \.reporting.landing.quarantinePerHour, counts, count("200")),
        .duration("landing.quarantineAge", \.reporting.landing.quarantineAge, "a duration such as 30d"),
        .number("keys.perMinute", orOff: \.access.keysPerMinute, counts, count("6000, or off")),
        .number("keys.wrongPerMinute", \.access.wrongKeysPerMinute, counts, count("30")),
        .number("publishable.perMinute", orOff: \.access.publishablePerMinute, counts, count("30, or off")),
        .toggle("metrics.open", \.access.isMetricsOpen),
        .duration("clock.maxJump", \.reporting.clockLimits.jump, "a duration such as 24h"),
        .duration("clock.maxGap", \.reporting.clockLimits.gap, "a duration such as 31d"),
        Setting(
            "ready.freeSpace",
            \.reporting.readyFreeSpace,
            "a size such as 64MB, or 0",
            text: { String($0) },
            parse: bytes
        ),
    ]

    private static let counts = 1...1_000_000_000

    private static func count(_ example: String) -> String { "a whole number above 0, such as \(example)" }

    /// Parses a number of bytes with an optional unit `KB`, `MB`, `GB` or `TB`, which are powers of 1000.
    @Sendable private static func bytes(_ text: String) -> Int64? {
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
}
