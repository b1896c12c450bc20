import ExternalPurchaseCore
import ReportRules

/// The named settings that the emulator follows, each with its default until it is set.
public struct EmulatorSettings: Hashable, Sendable {
    /// Which clock JWT times are compared with (SA-16).
    enum AuthorizationClock: String, Hashable, Sendable, CaseIterable {
        case machine, virtual
    }

    /// How a retrieval of an unknown report is answered.
    enum NotFoundForm: String, Hashable, Sendable, CaseIterable {
        case bare, wrapped
    }

    var authorizationClock = AuthorizationClock.machine
    /// In ms.
    var issuedAtSkew: Int64 = 60_000
    var isAuthorizationOff = false
    var isReleaseRequired = false
    /// In ms.
    var simultaneousHold: Int64 = 0
    var limits = ReportLimits()
    var notFoundForm = NotFoundForm.bare
    var rules = RuleSettings()

    /// The defaults.
    public init() {}

    /// Sets a named setting, `rules.clockSkew` to `300s`.
    ///
    /// - Parameters:
    ///   - name: the name as the specification has it.
    ///   - value: a duration such as `250ms`, `300s`, `5min`, `2h`, `10d`; a switch `on` or `off`; a number; or a word.
    /// - Throws: ``EmulatorInputError`` named `unknown-setting` or `invalid-setting`; the settings are then as before.
    public mutating func set(_ name: String, to value: String) throws(EmulatorInputError) {
        do throws(SettingError) {
            if let setting = NamedSetting.all.first(where: { $0.name == name }) {
                try setting.write(&self, value)
            } else if RuleSettings.names.contains(name) {
                try rules.set(name, to: value)
            } else {
                throw SettingError.unknownName(name)
            }
        } catch {
            throw EmulatorInputError(error, field: name)
        }
    }

    /// Sets a named setting from `rules.clockSkew=300s`, the form of the command line.
    ///
    /// - Parameter assignment: name and value with `=` between them.
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

    /// Every setting's name and present value.
    var json: JSONValue {
        let own = NamedSetting.all.map { JSONObject.Member($0.name, .string($0.read(self))) }
        let ruled = RuleSettings.names.map { JSONObject.Member($0, rules.text(of: $0).map(JSONValue.string) ?? .null) }
        return .object(JSONObject(own + ruled))
    }
}

extension EmulatorInputError {
    fileprivate init(_ error: SettingError, field: String?) {
        switch error {
        case .unknownName(let name):
            let known = (NamedSetting.all.map(\.name) + RuleSettings.names).joined(separator: ", ")
            self.init("unknown-setting", field: name, "there is no setting \(name); the settings are \(known)")
        case .unknownValue(let name, let value, let expected):
            self.init("invalid-setting", field: name, "\(name) cannot be \"\(value)\"; expected \(expected)")
        case .notAnAssignment(let text):
            self.init("not-an-assignment", "\"\(text)\" is not a setting; expected name=value")
        }
    }
}

/// A setting of the endpoint; those of the rules are in ``RuleSettings``.
private struct NamedSetting: Sendable {
    let name: String
    let read: @Sendable (EmulatorSettings) -> String
    let write: @Sendable (inout EmulatorSettings, String) throws(SettingError) -> Void

    static let all: [NamedSetting] = [
        choice("auth.clock", \.authorizationClock),
        duration("auth.issuedAtSkew", \.issuedAtSkew),
        toggle("auth.off", \.isAuthorizationOff),
        toggle("auth.requireRelease", \.isReleaseRequired),
        duration("simultaneous.hold", \.simultaneousHold),
        count("limits.bodyBytes", \.limits.bodyBytes, 1...104_857_600),
        count("limits.lineItems", \.limits.lineItems, 1...1_000_000),
        choice("answers.getNotFound", \.notFoundForm),
    ]

    private typealias Path<Value> = WritableKeyPath<EmulatorSettings, Value> & Sendable

    private static func duration(_ name: String, _ path: any Path<Int64>) -> NamedSetting {
        NamedSetting(name: name) {
            SettingText.text(ofDuration: $0[keyPath: path])
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
