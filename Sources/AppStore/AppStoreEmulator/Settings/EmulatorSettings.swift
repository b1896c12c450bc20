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
            if let setting = NamedSetting.all.first(where: { $0.name == name }) {
                try setting.write(&self, value)
            } else if RuleSettings.names.contains(name) {
                try rules.set(name, to: value)
            } else if AnswerSettings.names.contains(name) {
                try answers.set(name, to: value)
            } else if HTTPLimits.names.contains(name) {
                try http.set(name, to: value)
            } else {
                throw SettingError.unknownName(name)
            }
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
        let own = NamedSetting.all.map { ($0.name, $0.read(self)) }
        let ruled = RuleSettings.names.compactMap { name in rules.text(of: name).map { (name, $0) } }
        let forms = AnswerSettings.names.compactMap { name in answers.text(of: name).map { (name, $0) } }
        let limits = HTTPLimits.names.compactMap { name in http.text(of: name).map { (name, $0) } }
        return Dictionary(own + ruled + forms + limits) { $1 }
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
        let own = NamedSetting.all.map { JSONObject.Member($0.name, .string($0.read(self))) }
        let ruled = RuleSettings.names.map { JSONObject.Member($0, rules.text(of: $0).map(JSONValue.string) ?? .null) }
        let forms = AnswerSettings.names.map {
            JSONObject.Member($0, answers.text(of: $0).map(JSONValue.string) ?? .null)
        }
        let limits = HTTPLimits.names.map { JSONObject.Member($0, http.text(of: $0).map(JSONValue.string) ?? .null) }
        return .object(JSONObject(own + ruled + forms + limits))
    }
}

extension EmulatorInputError {
    fileprivate init(_ error: SettingError, field: String?) {
        switch error {
        case .unknownName(let name):
            let known =
                (NamedSetting.all.map(\.name) + [RuleSettings.listing] + AnswerSettings.names + HTTPLimits.names)
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

/// A setting of the endpoint.
///
/// The settings of the rules are in ``RuleSettings``.
private struct NamedSetting: Sendable {
    let name: String
    let read: @Sendable (EmulatorSettings) -> String
    let write: @Sendable (inout EmulatorSettings, String) throws(SettingError) -> Void

    static let all: [NamedSetting] = [
        choice("auth.clock", \.authorizationClock),
        duration("auth.issuedAtSkew", \.issuedAtSkew),
        period("auth.maximumLifetime", \.maximumLifetime),
        toggle("auth.off", \.isAuthorizationOff),
        toggle("auth.requireIssuedAt", \.isIssueTimeRequired),
        toggle("auth.requireRelease", \.isReleaseRequired),
        duration("simultaneous.hold", \.simultaneousHold),
        count("limits.bodyBytes", \.limits.bodyBytes, 1...104_857_600),
        count("limits.lineItems", \.limits.lineItems, 1...1_000_000),
        choice("answers.getNotFound", \.notFoundForm),
        limit("rateLimit.perSecond", \.requestsPerSecond, 1...1_000_000),
        number("clock.rate", \.clockRate, 0...1_000_000_000),
        families("notify.createdFor", \.notifications.createdFor),
        period("notify.reminderEvery", \.notifications.reminderEvery),
        duration("notify.unreportedAfter", \.notifications.unreportedAfter),
        duration("notify.unreportedAfterExpiry", \.notifications.unreportedAfterExpiry),
        repetition("notify.unreportedRepeat", \.notifications.unreportedRepeat),
        period("notify.timeout", \.notifications.timeout),
        period("servicesLifetime", \.lifecycle.servicesLifetime),
        period("acquisitionLifetime", \.lifecycle.acquisitionLifetime),
        period("sandboxLifetime", \.lifecycle.sandboxLifetime),
        repetition("transactionTokenLifetime", \.lifecycle.transactionTokenLifetime),
        refreshing("refreshPolicy", \.lifecycle.refreshPolicy),
    ]

    private typealias Path<Value> = WritableKeyPath<EmulatorSettings, Value> & Sendable

    private static func duration(_ name: String, _ path: any Path<Duration>) -> NamedSetting {
        NamedSetting(name: name) {
            SettingText.text(of: $0[keyPath: path])
        } write: { settings, text throws(SettingError) in
            settings[keyPath: path] = try SettingText.duration(text, of: name)
        }
    }

    private static func toggle(_ name: String, _ path: any Path<Bool>) -> NamedSetting {
        NamedSetting(name: name) {
            SettingText.text(ofSwitch: $0[keyPath: path])
        } write: { settings, text throws(SettingError) in
            settings[keyPath: path] = try SettingText.switchedOn(text, of: name)
        }
    }

    /// A duration above 0.
    private static func period(_ name: String, _ path: any Path<Duration>) -> NamedSetting {
        NamedSetting(name: name) {
            SettingText.text(of: $0[keyPath: path])
        } write: { settings, text throws(SettingError) in
            let value = try SettingText.duration(text, of: name)
            guard value > .zero else {
                throw .unknownValue(name: name, value: text, expected: "a duration of at least 1ms")
            }
            settings[keyPath: path] = value
        }
    }

    /// A duration above 0, or `off`.
    private static func repetition(_ name: String, _ path: any Path<Duration?>) -> NamedSetting {
        NamedSetting(name: name) {
            $0[keyPath: path].map(SettingText.text(of:)) ?? "off"
        } write: { settings, text throws(SettingError) in
            let value = text == "off" ? nil : try SettingText.duration(text, of: name)
            guard value != .zero else {
                throw .unknownValue(name: name, value: text, expected: "off or a duration such as 10d")
            }
            settings[keyPath: path] = value
        }
    }

    private static func limit(
        _ name: String,
        _ path: any Path<Int64?>,
        _ range: ClosedRange<Int64>
    ) -> NamedSetting {
        NamedSetting(name: name) {
            $0[keyPath: path].map(String.init) ?? "off"
        } write: { settings, text throws(SettingError) in
            settings[keyPath: path] = text == "off" ? nil : try whole(text, of: name, in: range)
        }
    }

    private static func number(_ name: String, _ path: any Path<Int64>, _ range: ClosedRange<Int64>) -> NamedSetting {
        NamedSetting(name: name) {
            String($0[keyPath: path])
        } write: { settings, text throws(SettingError) in
            settings[keyPath: path] = try whole(text, of: name, in: range)
        }
    }

    private static func whole(
        _ text: String,
        of name: String,
        in range: ClosedRange<Int64>
    ) throws(SettingError) -> Int64 {
        guard text.utf8.allSatisfy(\.isDigit), let value = Int64(text), range.contains(value) else {
            throw .unknownValue(
                name: name,
                value: text,
                expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return value
    }

    /// Token families separated by commas, or `none`.
    private static func families(_ name: String, _ path: any Path<Set<TokenFamily>>) -> NamedSetting {
        // The interface name of core technology tokens is also that of families to come.
        let known: [(name: String, family: TokenFamily)] =
            [TokenFamily.plain, .customLink, .transaction].map { ($0.interfaceName, $0) }
            + [("coreTechnology", .coreTechnology)]
        return NamedSetting(name: name) { settings in
            let names = known.filter { settings[keyPath: path].contains($0.family) }.map(\.name)
            return names.isEmpty ? "none" : names.joined(separator: ",")
        } write: { settings, text throws(SettingError) in
            let names = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
            let families = names.compactMap { name in known.first { $0.name == name }?.family }
            guard families.count == names.count else {
                let all = known.map(\.name).joined(separator: ",")
                throw .unknownValue(name: name, value: text, expected: "none or some of \(all)")
            }
            settings[keyPath: path] = Set(families)
        }
    }

    /// `identical`, `refreshed` or `random(7)`.
    private static func refreshing(_ name: String, _ path: any Path<RefreshPolicy>) -> NamedSetting {
        NamedSetting(name: name) {
            switch $0[keyPath: path] {
            case .identical: "identical"
            case .refreshed: "refreshed"
            case .random(let seed): "random(\(seed))"
            }
        } write: { settings, text throws(SettingError) in
            switch text {
            case "identical": settings[keyPath: path] = .identical
            case "refreshed": settings[keyPath: path] = .refreshed
            default:
                guard text.hasPrefix("random("), text.hasSuffix(")"), let seed = UInt64(text.dropFirst(7).dropLast())
                else { throw .unknownValue(name: name, value: text, expected: "identical, refreshed or random(7)") }
                settings[keyPath: path] = .random(seed: seed)
            }
        }
    }

    private static func count(_ name: String, _ path: any Path<Int>, _ range: ClosedRange<Int>) -> NamedSetting {
        NamedSetting(name: name) {
            String($0[keyPath: path])
        } write: { settings, text throws(SettingError) in
            guard text.utf8.allSatisfy(\.isDigit), let value = Int(text), range.contains(value) else {
                throw .unknownValue(
                    name: name,
                    value: text,
                    expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            settings[keyPath: path] = value
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String,
        _ path: any Path<Choice>
    ) -> NamedSetting where Choice.RawValue == String {
        NamedSetting(name: name) {
            $0[keyPath: path].rawValue
        } write: { settings, text throws(SettingError) in
            settings[keyPath: path] = try SettingText.choice(text, of: name)
        }
    }
}
