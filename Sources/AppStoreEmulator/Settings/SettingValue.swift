/// The spellings of a named setting's value.
enum SettingValue {
    /// The units of a duration in milliseconds, longest spelling of a letter first.
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("min", 60_000), ("s", 1_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    static let durationForm = "a duration such as 250ms, 300s, 5min, 2h or 10d"
    static let switchForm = "on or off"

    /// Milliseconds of `250ms`, `300s`, `5min`, `2h`, `10d`; a bare `0` needs no unit.
    static func duration(_ text: String) -> Int64? {
        if text == "0" { return 0 }
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let count = count(String(text.dropLast(unit.suffix.count))) else { continue }
            let (product, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
            return overflow ? nil : product
        }
        return nil
    }

    /// The shortest spelling of a duration.
    static func text(ofDuration milliseconds: Int64) -> String {
        if milliseconds == 0 { return "0s" }
        for unit in units.sorted(by: { $0.milliseconds > $1.milliseconds })
        where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
        }
        return "\(milliseconds)ms"
    }

    static func `switch`(_ text: String) -> Bool? {
        switch text {
        case "on": true
        case "off": false
        default: nil
        }
    }

    /// Digits only: no sign, no blanks.
    static func count(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
