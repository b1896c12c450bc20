import ExternalPurchaseCore
import HTTPSupport
import ReportValidation
import TokenLifecycle

/// The named settings of the emulator.
///
/// Each has a default.
public struct EmulatorSettings: Hashable, Sendable {
    /// The clock that JWT times are compared with (SA-16).
    enum AuthorizationClock: String, Hashable, Sendable, CaseIterable {
        case machine, virtual
    }

    /// The form of the response to a retrieval of an unknown report.
    enum NotFoundForm: String, Hashable, Sendable, CaseIterable {
        case bare, wrapped
    }

    var authorizationClock = AuthorizationClock.machine
    /// The tolerance.
    var issuedAtSkew = Duration.minutes(1)
    var isAuthorizationOff = false
    /// True if a JWT without `iat` is refused (SA-15).
    var isIssueTimeRequired = false
    var isReleaseRequired = false
    /// The duration.
    var simultaneousHold = Duration.zero
    var limits = ReportLimits()
    var notFoundForm = NotFoundForm.bare
    var answers = AnswerSettings()
    /// The longest time from issue to expiry of a JWT (SA-11).
    var maximumLifetime = Duration.hours(1)
    var rules = RuleSettings()
    var notifications = NotificationSettings()
    /// Virtual seconds per second of the machine (NT-100).
    var clockRate: Int64 = 0
    /// The limit of requests per second and app for each of Apple's endpoints; nil for none (SA-80).
    var requestsPerSecond: Int64?
    var lifecycle = LifecycleSettings()
    /// The limits of the server's connections.
    var http = HTTPLimits()

    /// Creates the default settings.
    public init() {}

    /// Sets a named setting, such as `rules.clockSkew` to `300s`.
    ///
    /// - Parameters:
    ///   - name: the name in the specification.
    ///   - value: a duration such as `250ms`, `300s`, `5min`, `2h` or `10d`; `on` or `off`; a number; or a word.
    /// - Throws: ``EmulatorInputError`` named `unknown-setting` or `invalid-setting`. The settings do not change then.
    public mutating func set(_ name: String, to value: String) throws(EmulatorInputError) {
        do throws(SettingError) {
            guard let setting = Self.settings.first(where: { $0.name.hasSameScalars(as: name) }) else {
                throw .unknownName(name)
            }
            try setting.set(&self, to: value)
        } catch {
            throw EmulatorInputError(error, field: name)
        }
    }

    /// Sets a named setting from `rules.clockSkew=300s`, the form of the command line.
    ///
    /// - Parameter assignment: the name and the value, separated by `=`.
    /// - Throws: ``EmulatorInputError`` named `not-an-assignment`, `unknown-setting` or `invalid-setting`.
    public mutating func set(_ assignment: String) throws(EmulatorInputError) {
        let pair: (name: String, value: String)
        do {
            pair = try SettingText.assignment(assignment)
        } catch {
            throw EmulatorInputError(error, field: nil)
        }
        try set(pair.name, to: pair.value)
    }

    /// The current values of all settings by name.
    var texts: [String: String] {
        Dictionary(Self.settings.map { ($0.name, $0.text(in: self)) }) { $1 }
    }

    /// Returns these settings, with the values that differ from their defaults in the other settings.
    func overridden(by others: EmulatorSettings) throws(EmulatorInputError) -> EmulatorSettings {
        var settings = self
        let defaults = EmulatorSettings().texts
        for (name, text) in others.texts.sorted(by: { $0.key < $1.key }) where defaults[name] != text {
            try settings.set(name, to: text)
        }
        return settings
    }

    /// The names and current values of all settings.
    var json: JSONValue {
        .object(JSONObject(Self.settings.map { JSONObject.Member($0.name, .string($0.text(in: self))) }))
    }
}

extension EmulatorInputError {
    fileprivate init(_ error: SettingError, field: String?) {
        switch error {
        case .unknownName(let name):
            let known =
                (EmulatorSettings.own.map(\.name) + [RuleSettings.listing] + AnswerSettings.names + HTTPLimits.names)
                .joined(separator: ", ")
            self.init(
                "unknown-setting",
                field: name.clipped(),
                "there is no setting \(name.shown(in: "")); the settings are \(known)"
            )
        case .unknownValue(let name, let value, let expected):
            self.init(
                "invalid-setting",
                field: name,
                "\(name) cannot be \(value.shown(in: "\"")); expected \(expected)"
            )
        case .notAnAssignment(let text):
            self.init("not-an-assignment", "\(text.shown(in: "\"")) is not a setting; expected name=value")
        }
    }
}

/// When notifications are made, and the timeout of a delivery (spec/06 section 4).
struct NotificationSettings: Hashable, Sendable {
    /// The families whose tokens get a `CREATED` notification.
    var createdFor: Set<TokenFamily> = [.customLink]
    /// The interval.
    var reminderEvery = Duration.days(30)
    /// The time after creation, for tokens without expiration.
    var unreportedAfter = Duration.days(10)
    /// The time after expiration.
    var unreportedAfterExpiry = Duration.minutes(1)
    /// The interval between repetitions; nil sends the notification once (NT-45).
    var unreportedRepeat: Duration?
    /// The timeout by the machine's clock (NT-52).
    var timeout = Duration.seconds(10)
}

extension EmulatorSettings {
    /// All settings, each name once.
    fileprivate static let settings: [Setting<EmulatorSettings>] =
        own + RuleSettings.settings.map { $0.at(\.rules) } + AnswerSettings.settings.map { $0.at(\.answers) }
        + HTTPLimits.settings.map { $0.at(\.http) }

    /// The settings of the endpoint itself.
    fileprivate static let own: [Setting<EmulatorSettings>] = [
        .choice("auth.clock", \.authorizationClock),
        .duration("auth.issuedAtSkew", \.issuedAtSkew),
        period("auth.maximumLifetime", \.maximumLifetime),
        .toggle("auth.off", \.isAuthorizationOff),
        .toggle("auth.requireIssuedAt", \.isIssueTimeRequired),
        .toggle("auth.requireRelease", \.isReleaseRequired),
        .duration("simultaneous.hold", \.simultaneousHold),
        .number("limits.bodyBytes", \.limits.bodyBytes, 1...104_857_600),
        .number("limits.lineItems", \.limits.lineItems, 1...1_000_000),
        .choice("answers.getNotFound", \.notFoundForm),
        .number("rateLimit.perSecond", orOff: \.requestsPerSecond, 1...1_000_000),
        .number("clock.rate", \.clockRate, 0...1_000_000_000),
        families("notify.createdFor", \.notifications.createdFor),
        period("notify.reminderEvery", \.notifications.reminderEvery),
        .duration("notify.unreportedAfter", \.notifications.unreportedAfter),
        .duration("notify.unreportedAfterExpiry", \.notifications.unreportedAfterExpiry),
        repetition("notify.unreportedRepeat", \.notifications.unreportedRepeat),
        period("notify.timeout", \.notifications.timeout),
        period("servicesLifetime", \.lifecycle.servicesLifetime),
        period("acquisitionLifetime", \.lifecycle.acquisitionLifetime),
        period("sandboxLifetime", \.lifecycle.sandboxLifetime),
        repetition("transactionTokenLifetime", \.lifecycle.transactionTokenLifetime),
        refreshing("refreshPolicy", \.lifecycle.refreshPolicy),
    ]

    private typealias Path<Value> = Setting<EmulatorSettings>.Path<Value>

    private static func period(_ name: String, _ path: any Path<Duration>) -> Setting<EmulatorSettings> {
        .duration(name, path, from: .milliseconds(1), "a duration of at least 1ms")
    }

    private static func repetition(_ name: String, _ path: any Path<Duration?>) -> Setting<EmulatorSettings> {
        .duration(name, orOff: path, from: .milliseconds(1), "off or a duration such as 10d")
    }

    /// Token families separated by commas, or `none`.
    private static func families(_ name: String, _ path: any Path<Set<TokenFamily>>) -> Setting<EmulatorSettings> {
        // The interface name of core technology tokens is also that of families to come.
        let known: [(name: String, family: TokenFamily)] =
            [TokenFamily.plain, .customLink, .transaction].map { ($0.interfaceName, $0) }
            + [("coreTechnology", .coreTechnology)]
        let all = known.map(\.name).joined(separator: ",")
        return Setting(name, path, "none or some of \(all)") { families in
            let names = known.filter { families.contains($0.family) }.map(\.name)
            return names.isEmpty ? "none" : names.joined(separator: ",")
        } parse: { text in
            let names = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
            let families = names.compactMap { name in known.first { $0.name == name }?.family }
            return families.count == names.count ? Set(families) : nil
        }
    }

    /// `identical`, `refreshed` or `random(7)`.
    private static func refreshing(_ name: String, _ path: any Path<RefreshPolicy>) -> Setting<EmulatorSettings> {
        Setting(name, path, "identical, refreshed or random(7)") { policy in
            switch policy {
            case .identical: "identical"
            case .refreshed: "refreshed"
            case .random(let seed): "random(\(seed))"
            }
        } parse: { text in
            switch text {
            case "identical": return .identical
            case "refreshed": return .refreshed
            default:
                guard text.hasPrefix("random("), text.hasSuffix(")"), let seed = UInt64(text.dropFirst(7).dropLast())
                else { return nil }
                return .random(seed: seed)
            }
        }
    }
}
