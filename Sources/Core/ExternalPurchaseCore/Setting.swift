/// A named setting of a value: how it is read from a text, and written as one.
///
/// ```swift
/// struct Limits: NamedSettings {
///     var idle = Duration.seconds(60)
///     static let settings: [Setting<Limits>] = [
///         .duration("http.idleTimeout", \.idle, from: .milliseconds(1), through: .days(1), "a duration from 1ms to 24h")
///     ]
/// }
/// ```
package struct Setting<Root>: Sendable {
    /// The name in documents, configurations and messages, such as `http.idleTimeout`.
    package let name: String
    /// What a text must be, as refusals and `docs/settings.md` say it, such as `on or off`.
    package let expected: String
    /// What the setting decides, for `docs/settings.md`; empty where another page says it.
    package let meaning: String
    private let read: @Sendable (Root) -> String
    private let write: @Sendable (inout Root, String) throws(SettingError) -> Void

    /// Creates a setting with a spelling of its own.
    package init(
        _ name: String,
        _ expected: String,
        means meaning: String = "",
        read: @escaping @Sendable (Root) -> String,
        write: @escaping @Sendable (inout Root, String) throws(SettingError) -> Void
    ) {
        self.name = name
        self.expected = expected
        self.meaning = meaning
        self.read = read
        self.write = write
    }

    /// Creates a setting of which a text is a value or none.
    ///
    /// - Parameters:
    ///   - expected: what a text must be, which a refusal says.
    ///   - parse: returns nil for a text that is no value.
    package init<Value>(
        _ name: String,
        _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ expected: String,
        means meaning: String = "",
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(
            name,
            expected,
            means: meaning,
            read: { text($0[keyPath: path]) },
            write: { root, text throws(SettingError) in
                guard let value = parse(text) else {
                    throw .unknownValue(name: name, value: text, expected: expected)
                }
                root[keyPath: path] = value
            }
        )
    }

    /// The value as a text, which sets it again.
    package func text(in root: Root) -> String { read(root) }

    /// Sets the value from a text.
    ///
    /// - Throws: ``SettingError/unknownValue(name:value:expected:)``. The value does not change then.
    package func set(_ root: inout Root, to text: String) throws(SettingError) { try write(&root, text) }

    /// The same setting of a part of another value.
    package func at<Other>(_ path: any WritableKeyPath<Other, Root> & Sendable) -> Setting<Other> {
        Setting<Other>(
            name,
            expected,
            means: meaning,
            read: { read($0[keyPath: path]) },
            write: { root, text throws(SettingError) in try write(&root[keyPath: path], text) }
        )
    }
}

extension Setting {
    package typealias Path<Value> = WritableKeyPath<Root, Value> & Sendable

    /// A duration such as `250ms`, `300s`, `5min`, `2h` or `10d`.
    package static func duration(
        _ name: String,
        _ path: any Path<Duration>,
        from least: Duration = .zero,
        through most: Duration? = nil,
        _ expected: String = "a duration such as 250ms, 300s, 5min, 2h or 10d",
        means meaning: String = ""
    ) -> Setting {
        Setting(name, path, expected, means: meaning, text: SettingText.text(of:)) { text in
            SettingText.duration(text).flatMap { value in
                value >= least && most.map { value <= $0 } ?? true ? value : nil
            }
        }
    }

    /// A duration in the range, or `off`.
    package static func duration(
        _ name: String,
        orOff path: any Path<Duration?>,
        from least: Duration,
        _ expected: String,
        means meaning: String = ""
    ) -> Setting {
        Setting(name, path, expected, means: meaning, text: { $0.map(SettingText.text(of:)) ?? "off" }) { text in
            if text.hasSameScalars(as: "off") { return .some(nil) }
            return SettingText.duration(text).flatMap { $0 >= least ? .some($0) : nil }
        }
    }

    /// `on` or `off`.
    package static func toggle(_ name: String, _ path: any Path<Bool>, means meaning: String = "") -> Setting {
        Setting(name, path, "on or off", means: meaning, text: { $0 ? "on" : "off" }) { text in
            text.hasSameScalars(as: "on") ? true : text.hasSameScalars(as: "off") ? false : nil
        }
    }

    /// A whole number in the range.
    package static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String,
        _ path: any Path<Number>,
        _ range: ClosedRange<Number>,
        _ expected: String? = nil,
        means meaning: String = ""
    ) -> Setting {
        let expected = expected ?? "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Setting(name, path, expected, means: meaning, text: { "\($0)" }) { SettingText.number($0, in: range) }
    }

    /// A whole number in the range, or `off`.
    package static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String,
        orOff path: any Path<Number?>,
        _ range: ClosedRange<Number>,
        _ expected: String? = nil,
        means meaning: String = ""
    ) -> Setting {
        let expected = expected ?? "a whole number from \(range.lowerBound) to \(range.upperBound), or off"
        return Setting(name, path, expected, means: meaning, text: { $0.map { "\($0)" } ?? "off" }) { text in
            text.hasSameScalars(as: "off") ? .some(nil) : SettingText.number(text, in: range).map { .some($0) } ?? nil
        }
    }

    /// One word of a closed set.
    package static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String,
        _ path: any Path<Choice>,
        _ expected: String? = nil,
        means meaning: String = ""
    ) -> Setting where Choice.RawValue == String {
        let expected = expected ?? Choice.allCases.map(\.rawValue).joined(separator: " or ")
        return Setting(name, path, expected, means: meaning, text: \.rawValue) { Choice.named($0) }
    }
}

/// A value of which named settings are read and written.
package protocol NamedSettings {
    /// All settings, each name once.
    static var settings: [Setting<Self>] { get }
}

extension NamedSettings {
    /// The names of all settings.
    package static var names: [String] { settings.map(\.name) }

    /// The value of a setting as a text; nil for a name that is not one of ``names``.
    package func text(of name: String) -> String? {
        Self.settings.first { $0.name.hasSameScalars(as: name) }?.text(in: self)
    }

    /// Sets a setting from a text.
    ///
    /// - Throws: ``SettingError`` for a name that is not one of ``names``, and for a text that is no value of it. Nothing
    ///   changes then.
    package mutating func set(_ name: String, to text: String) throws(SettingError) {
        guard let setting = Self.settings.first(where: { $0.name.hasSameScalars(as: name) }) else {
            throw .unknownName(name)
        }
        try setting.set(&self, to: text)
    }
}
