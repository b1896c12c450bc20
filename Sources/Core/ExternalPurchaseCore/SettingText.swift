/// Why a named setting could not be set.
package enum SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No setting has that name.
    case unknownName(String)
    /// The setting does not accept the text.
    case unknownValue(name: String, value: String, expected: String)
    /// The text is not `name=value`.
    case notAnAssignment(String)

    /// What is wrong, with a remedy.
    package var description: String {
        switch self {
        case .unknownName(let name):
            "\(name.shown(in: "")): there is no setting of that name"
        case .unknownValue(let name, let value, let expected):
            "\(name): \(value.shown(in: "\"")) is not a value of this setting; expected \(expected)"
        case .notAnAssignment(let text):
            "\(text.shown(in: "\"")) is not a setting; expected name=value"
        }
    }
}

/// The spelling of named settings: `rules.clockSkew=300s`, `rules.plainTokenRange=on`.
package enum SettingText {
    // Largest unit first: a value is written in the largest unit that divides it.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", Timestamp.millisecondsPerDay), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Splits `name=value`.
    ///
    /// The value may contain `=`.
    package static func assignment(_ text: String) throws(SettingError) -> (name: String, value: String) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { throw .notAnAssignment(text) }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    /// Reads a duration such as `250ms`, `300s`, `5min`, `2h` or `10d`; nil for another text.
    package static func duration(_ text: String) -> Duration? {
        let digits = text.prefix { $0.utf8.count == 1 && $0.utf8.allSatisfy(\.isDigit) }
        let unit = text.dropFirst(digits.count)
        guard let factor = units.first(where: { $0.name.utf8.elementsEqual(unit.utf8) })?.milliseconds,
            let number = Int64(digits)
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : .milliseconds(product)
    }

    /// Writes a duration in the largest unit that divides it, `5min` for 300 seconds.
    package static func text(of duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        if milliseconds == 0 { return "0s" }
        let unit = units.first { milliseconds % $0.milliseconds == 0 } ?? ("ms", 1)
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }

    /// `on` or `off`.
    package static func text(ofSwitch isOn: Bool) -> String { isOn ? "on" : "off" }

    /// Reads a whole number of digits; nil for another text and outside of the range.
    package static func number<Number: FixedWidthInteger>(_ text: String, in range: ClosedRange<Number>) -> Number? {
        guard text.utf8.allSatisfy(\.isDigit), let number = Number(text), range.contains(number) else { return nil }
        return number
    }
}
