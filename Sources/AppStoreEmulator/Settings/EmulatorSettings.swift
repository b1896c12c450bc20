import ExternalPurchaseCore
import ReportRules

/// The named settings that the emulator follows, each with its default until it is set.
public struct EmulatorSettings: Hashable, Sendable {
    /// Which clock JWT times are compared with (SA-16).
    enum AuthorizationClock: String, Hashable, Sendable {
        case machine, virtual
    }

    /// How a retrieval of an unknown report is answered.
    enum NotFoundForm: String, Hashable, Sendable {
        case bare, wrapped
    }

    var authorizationClock = AuthorizationClock.machine
    var issuedAtSkew: Int64 = 60_000
    var isAuthorizationOff = false
    var isReleaseRequired = false
    var simultaneousHold: Int64 = 0
    var limits = ReportLimits()
    var notFoundForm = NotFoundForm.bare
    var messages: [ReportErrorCode: String] = [:]
    var rules = RuleSettings()

    /// The defaults.
    public init() {}

    /// Sets a named setting, `rules.clockSkew` to `300s`.
    ///
    /// - Parameters:
    ///   - name: the name as the specification has it.
    ///   - value: a duration such as `250ms`, `300s`, `5min`, `2h`, `10d`; a switch `on` or `off`; a number; or a word.
    /// - Throws: ``EmulatorInputError`` named `unknown-setting` or `invalid-setting`.
    public mutating func set(_ name: String, to value: String) throws(EmulatorInputError) {
        guard let setting = Setting.all.first(where: { $0.name == name }) else {
            let known = Setting.all.map(\.name).joined(separator: ", ")
            throw EmulatorInputError(
                "unknown-setting",
                field: name,
                "there is no setting \(name); the settings are \(known)"
            )
        }
        guard setting.write(&self, value) else {
            throw EmulatorInputError(
                "invalid-setting",
                field: name,
                "\(name) cannot be \"\(value)\"; it takes \(setting.form)"
            )
        }
    }

    /// Every setting's name and present value, in the order of the table.
    var json: JSONValue {
        .object(JSONObject(Setting.all.map { JSONObject.Member($0.name, .string($0.read(self))) }))
    }

    /// The error with the text that `messages.37`, `.38` or `.40` gives its code (S13).
    func worded(_ error: ReportError) -> ReportError {
        var error = error
        if let message = messages[error.errorCode] { error.errorMessage = message }
        return error
    }
}

/// One row of the table of settings.
private struct Setting: Sendable {
    let name: String
    /// What values look like, to end the sentence "it takes …".
    let form: String
    let read: @Sendable (EmulatorSettings) -> String
    /// False for a value that is not of the form.
    let write: @Sendable (inout EmulatorSettings, String) -> Bool

    static let all: [Setting] =
        [
            word("auth.clock", "machine or virtual", \.authorizationClock),
            duration("auth.issuedAtSkew", \.issuedAtSkew),
            toggle("auth.off", \.isAuthorizationOff),
            toggle("auth.requireRelease", \.isReleaseRequired),
            duration("simultaneous.hold", \.simultaneousHold),
            count("limits.bodyBytes", \.limits.bodyBytes, 1...104_857_600),
            count("limits.lineItems", \.limits.lineItems, 1...1_000_000),
            word("answers.getNotFound", "bare or wrapped", \.notFoundForm),
            message(37), message(38), message(40),
        ] + rules

    private static func duration(
        _ name: String,
        _ path: WritableKeyPath<EmulatorSettings, Int64> & Sendable
    ) -> Setting {
        Setting(
            name: name,
            form: SettingValue.durationForm,
            read: { SettingValue.text(ofDuration: $0[keyPath: path]) },
            write: { settings, text in
                guard let value = SettingValue.duration(text) else { return false }
                settings[keyPath: path] = value
                return true
            }
        )
    }

    private static func toggle(
        _ name: String,
        _ path: WritableKeyPath<EmulatorSettings, Bool> & Sendable
    ) -> Setting {
        Setting(
            name: name,
            form: SettingValue.switchForm,
            read: { $0[keyPath: path] ? "on" : "off" },
            write: { settings, text in
                guard let value = SettingValue.switch(text) else { return false }
                settings[keyPath: path] = value
                return true
            }
        )
    }

    private static func count(
        _ name: String,
        _ path: WritableKeyPath<EmulatorSettings, Int> & Sendable,
        _ range: ClosedRange<Int64>
    ) -> Setting {
        Setting(
            name: name,
            form: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            read: { String($0[keyPath: path]) },
            write: { settings, text in
                guard let value = SettingValue.count(text), range.contains(value) else { return false }
                settings[keyPath: path] = Int(value)
                return true
            }
        )
    }

    private static func word<Word: RawRepresentable & Sendable>(
        _ name: String,
        _ form: String,
        _ path: WritableKeyPath<EmulatorSettings, Word> & Sendable
    ) -> Setting where Word.RawValue == String {
        Setting(
            name: name,
            form: form,
            read: { $0[keyPath: path].rawValue },
            write: { settings, text in
                guard let value = Word(rawValue: text) else { return false }
                settings[keyPath: path] = value
                return true
            }
        )
    }

    private static func message(_ code: Int) -> Setting {
        let code = ReportErrorCode(rawValue: code)
        return Setting(
            name: "messages.\(code.rawValue)",
            form: "a text that is not empty",
            read: { $0.messages[code] ?? code.entry?.message ?? "" },
            write: { settings, text in
                guard !text.isEmpty else { return false }
                settings.messages[code] = text
                return true
            }
        )
    }
}
