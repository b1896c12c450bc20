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
            "from 60s to 3600s",
            means: "how long a token counts that signs requests to Apple"
        ),
        .toggle(
            "reporting.send",
            \.reporting.isSendingOn,
            means: "`off`: what arrives is stored and planned, and nothing is written to Apple "
                + "([taking over](taking-over.md))"
        ),
        .choice(
            "reporting.foreignCurrency",
            \.reporting.foreignCurrency,
            "automatic, EUR or USD",
            means:
                "the currency in which a sale is reported whose own Apple does not accept; `automatic`: EUR for a tax "
                + "country in the EEA, USD elsewhere ([exchange rates](configuration.md#exchange-rates))"
        ),
        .choice(
            "commission.window",
            \.reporting.commissionWindow,
            means: "how the days in which a sale after a tap counts are measured, for estimates "
                + "([terms](month.md#other-terms))"
        ),
        .choice(
            "log.format",
            \.logFormat,
            "text, json or automatic",
            means: "the form of the [log](watch.md#logs); `automatic`: text on a terminal, else JSON"
        ),
        .duration(
            "http.shutdownDelay",
            \.shutdownDelay,
            through: .hours(1),
            "from 0s to 1h, such as 10s",
            means: "how long the server goes on once it is asked to end ([shutdown](network.md#clients-and-shutdown))"
        ),
        Setting(
            "database.folder",
            \.databaseFolder,
            "the name of a folder, without blanks at its ends and without line breaks",
            means: "the folder of this server's files outside a ledger in [PostgreSQL](postgresql.md)",
            text: \.self,
            // A variable that was read from a file often ends with a line break, which would be another folder.
            parse: { text in
                let isName = !text.isEmpty && !text.unicodeScalars.contains(where: \.isControlOrDirection)
                return isName && text.trimmingBlanks == text ? text : nil
            }
        ),
        .toggle(
            "database.migrate",
            \.migratesDatabase,
            means: "whether the start brings a ledger to the program's [version](ledger.md#versions-of-the-ledger)"
        ),
        .choice(
            "corrections.subscriptionFigures",
            \.reporting.subscriptionFigures,
            means: "whether a person confirms restatements after [late events](sales.md#late-events)"
        ),
        .toggle(
            "corrections.fourEyes",
            \.reporting.needsFourEyes,
            means:
                "`on`: who asks for a [correction](corrections.md#corrections) does not confirm it, neither a person nor a "
                + "key; 409"
        ),
        .choice(
            "corrections.payments",
            \.reporting.paymentCorrections,
            means: "whether a person confirms corrections of what a payment provider "
                + "[tells later](stripe.md#what-becomes-of-an-event)"
        ),
        .duration(
            "subscriptions.resumeWithin",
            \.reporting.resumeWithin,
            through: .days(60),
            "from 0d to 60d, such as 60d",
            means:
                "how long after its end a subscription [continues](sales.md#a-subscription) with the count of the end"
        ),
        .duration(
            "unrecognized.wait",
            \.reporting.unrecognizedWait,
            "a duration such as 24h",
            means: "how long a token that only Apple has named may arrive, before it is reported as not recognised"
        ),
        .duration(
            "review.tokenWait",
            \.reporting.tokenWait,
            "a duration such as 24h",
            means: "how long a sale may wait for its token, or a refund for its purchase, before it "
                + "[waits for a person](states.md#what-waits-for-a-person)"
        ),
        // Every read sends requests for each app and environment, and Apple limits their rate (SA-81).
        .duration(
            "history.every",
            \.reporting.historyEvery,
            from: .minutes(1),
            "a duration of at least 1min, such as 6h",
            means: "the time between two questions for [lost notifications](configuration.md#lost-notifications)"
        ),
        .number(
            "landing.visitsPerMinute",
            orOff: \.reporting.landing.visitsPerMinute,
            counts,
            count("300, or off"),
            means: "visits of an address (IPv6: each /64 network) at the [landing address]"
                + "(configuration.md#landing-address); above it nothing is stored, and the redirect passes both "
                + "parameters on to the shop"
        ),
        .number(
            "landing.tokensPerHour",
            \.reporting.landing.tokensPerHour,
            counts,
            count("10000"),
            means:
                "new tokens of visits; above it the visit waits in the spool file (64 MiB at most) and is stored in a "
                + "later hour; the visitor notices nothing"
        ),
        .number(
            "landing.quarantinePerHour",
            \.reporting.landing.quarantinePerHour,
            counts,
            count("200"),
            means: "undecodable or foreign texts of visits, and 256 KiB of them; above it the text is dropped"
        ),
        .duration(
            "landing.quarantineAge",
            \.reporting.landing.quarantineAge,
            "a duration such as 30d",
            means: "the age at which an undecodable or foreign text of a visit is deleted"
        ),
        .number(
            "keys.perMinute",
            orOff: \.access.keysPerMinute,
            counts,
            count("6000, or off"),
            means: "the requests of a [key](keys-and-users.md); more are 429"
        ),
        .number(
            "keys.wrongPerMinute",
            \.access.wrongKeysPerMinute,
            counts,
            count("30"),
            means: "the requests of an address (IPv6: each /64 network) with wrong keys; more are 429"
        ),
        .number(
            "publishable.perMinute",
            orOff: \.access.publishablePerMinute,
            counts,
            count("30, or off"),
            means: "the requests of an address (IPv6: each /64 network) with publishable keys; more are 429"
        ),
        .toggle("metrics.open", \.access.isMetricsOpen, means: "`on`: `/metrics` needs no key"),
        .duration(
            "clock.maxJump",
            \.reporting.clockLimits.jump,
            "a duration such as 24h",
            means:
                "how far the [clock](watch.md#readiness) may jump, or be behind the newest entry of the ledger at the start"
        ),
        .duration(
            "clock.maxGap",
            \.reporting.clockLimits.gap,
            "a duration such as 31d",
            means: "how far the clock may be ahead of the newest entry of the ledger at the start"
        ),
        Setting(
            "ready.freeSpace",
            \.reporting.readyFreeSpace,
            "a size such as 64MB, or 0",
            means:
                "the bytes that must be free where the ledger is; with less, requests are stored, and "
                + "[`/health/ready`](watch.md#readiness) is 503, so that a load balancer sends them elsewhere",
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
