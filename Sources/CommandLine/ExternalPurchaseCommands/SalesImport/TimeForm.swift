import ExternalPurchaseCore
import Foundation
import Synchronization

/// How a file writes times.
struct TimeForm: Sendable {
    /// The patterns of which a time has one.
    var patterns: [TimePattern] = standardPatterns
    /// The zone of times that state none.
    var zone: TimeZoneRule?
    /// The zones of the provider's abbreviations, in capitals.
    var zones: [String: TimeZoneRule] = [:]
    /// Which of two moments a time is that a clock shows twice; nil refuses such a time.
    var ambiguousHour: AmbiguousHour?

    enum AmbiguousHour: String, CaseIterable, Sendable { case earlier, later }

    static let standardPatterns = [
        "yyyy-MM-dd'T'HH:mm[:ss][.S][X]", "yyyy-MM-dd HH:mm[:ss][.S][ X]", "yyyy-MM-dd HH:mm:ssX", "yyyy-MM-dd",
    ].compactMap { TimePattern($0) }

    /// Reads a time.
    ///
    /// - Parameters:
    ///   - text: the text of the file.
    ///   - zoneText: the zone from a column of its own; nil for none.
    /// - Returns: the moment, or what is wrong with the text.
    func moment(_ text: String, zone zoneText: String?) -> Result<Timestamp, TimeFault> {
        let text = text.trimmingBlanks
        guard text.utf8.count <= 64 else { return .failure(TimeFault("is longer than a time")) }
        guard let clock = patterns.lazy.compactMap({ $0.read(text) }).first else {
            let forms = patterns.map(\.text).joined(separator: " or ")
            return .failure(TimeFault("is no time in the form \(forms): \(text.quoted)"))
        }
        if let offset = clock.offset { return .success(Timestamp(milliseconds: clock.milliseconds - offset * 1_000)) }
        let rule: TimeZoneRule
        if let name = clock.zone ?? zoneText {
            guard let known = zones[name.uppercased()] ?? TimeZoneRule(name) else {
                let remedy =
                    "times.zones of a profile states it, as an offset such as -08:00 or a name such as Asia/Tokyo"
                return .failure(TimeFault("has the time zone \(name.quoted), which is not known; \(remedy)"))
            }
            rule = known
        } else if let zone {
            rule = zone
        } else {
            return .failure(TimeFault("states no time zone: \(text.quoted); times.zone of a profile states it"))
        }
        let moments = rule.moments(wall: clock.milliseconds)
        switch (moments.count, ambiguousHour) {
        case (0, _):
            return .failure(TimeFault("did not occur in \(rule.name), where clocks went forward: \(text.quoted)"))
        case (1, _), (_, .earlier): return .success(Timestamp(milliseconds: moments[0]))
        case (_, .later): return .success(Timestamp(milliseconds: moments[moments.count - 1]))
        case (_, nil):
            return .failure(
                TimeFault(
                    "occurred twice in \(rule.name), where clocks went back: \(text.quoted); times.ambiguousHour of a "
                        + "profile says earlier or later"
                )
            )
        }
    }
}

/// What is wrong with a time.
struct TimeFault: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }
}

/// A time zone: a constant offset, or a name of the time zone database.
enum TimeZoneRule: Equatable, Sendable {
    case offset(seconds: Int64, name: String)
    case named(TimeZone)

    /// Abbreviations that mean one zone.
    ///
    /// Others, such as CST and IST, are stated by the profile.
    private static let abbreviations: [String: Int64] = [
        "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "PST": -8, "PDT": -7,
        "MST": -7, "MDT": -6, "CDT": -5, "EST": -5, "EDT": -4, "AKST": -9, "AKDT": -8, "HST": -10, "JST": 9, "KST": 9,
        "HKT": 8, "SGT": 8, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3, "MSK": 3,
    ]

    /// Zones by name; looking one up reads a file.
    private static let known = Mutex<[String: TimeZone]>([:])

    /// Reads an abbreviation, an offset such as `+09:00`, or a name such as `Europe/Amsterdam`; nil for any other text.
    init?(_ name: String) {
        if let hours = Self.abbreviations[name.uppercased()] {
            self = .offset(seconds: hours * 3_600, name: name)
        } else if let seconds = TimePattern.offset(name) {
            self = .offset(seconds: seconds, name: name)
        } else {
            guard name.contains("/"), name.utf8.count <= 64, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                return nil
            }
            let zone = Self.known.withLock { zones -> TimeZone? in
                if let zone = zones[name] { return zone }
                let zone = TimeZone(identifier: name)
                zones[name] = zone
                return zone
            }
            guard let zone else { return nil }
            self = .named(zone)
        }
    }

    var name: String {
        switch self {
        case .offset(_, let name): name
        case .named(let zone): zone.identifier
        }
    }

    /// The moments at which clocks of the zone show a time, in order: none, one or two.
    ///
    /// - Parameter wall: the time as milliseconds since 1970 in UTC.
    func moments(wall: Int64) -> [Int64] {
        switch self {
        case .offset(let seconds, _): return [wall - seconds * 1_000]
        case .named(let zone):
            func offset(at moment: Int64) -> Int64 {
                Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment) / 1_000))) * 1_000
            }
            // Offsets differ by at most 26 hours, so these two cover every offset around this time.
            let reach = 26 * 3_600_000 as Int64
            let candidates = Set([offset(at: wall - reach), offset(at: wall + reach)].map { wall - $0 })
            return candidates.filter { $0 + offset(at: $0) == wall }.sorted()
        }
    }
}

/// A pattern of a time, such as `yyyy-MM-dd HH:mm:ss`.
struct TimePattern: Sendable {
    /// A time as a clock shows it.
    struct Clock: Equatable {
        /// Milliseconds since 1970, as if the clock showed UTC.
        var milliseconds: Int64
        /// The offset in seconds, if the time has one.
        var offset: Int64?
        /// The name of a zone, if the time has one.
        var zone: String?
    }

    private enum Token: Equatable, Sendable {
        case year, shortYear, month(Int), monthName, day(Int), hour(Int), halfDayHour(Int), minute, second, fraction
        case halfDay, offset, zone
        case literal(UInt8)
    }

    let text: String
    /// The tokens with and without what stands in brackets.
    private let forms: [[Token]]

    /// Reads a pattern; nil for one that is not understood.
    init?(_ text: String) {
        guard let expanded = Self.expanded(text) else { return nil }
        var forms: [[Token]] = []
        for form in expanded {
            guard let tokens = Self.tokens(form) else { return nil }
            forms.append(tokens)
        }
        self.text = text
        self.forms = forms
    }

    /// The patterns with and without each part in brackets.
    private static func expanded(_ text: String) -> [String]? {
        guard let open = text.firstIndex(of: "[") else { return text.contains("]") ? nil : [text] }
        guard text.utf8.count <= 64, text.count(where: { $0 == "[" }) <= 4,
            let close = text[open...].firstIndex(of: "]"),
            !text[text.index(after: open)..<close].contains("["), !text[..<open].contains("]")
        else { return nil }
        let (before, inside) = (String(text[..<open]), text[text.index(after: open)..<close])
        guard let rest = expanded(String(text[text.index(after: close)...])) else { return nil }
        return rest.map { before + inside + $0 } + rest.map { before + $0 }
    }

    private static func tokens(_ text: String) -> [Token]? {
        var tokens: [Token] = []
        var rest = Array(text.utf8)[...]
        var isQuoted = false
        while let first = rest.first {
            if first == UInt8(ascii: "'") {
                isQuoted.toggle()
                rest.removeFirst()
                continue
            }
            guard !isQuoted, first.isASCIILetter else {
                tokens.append(.literal(first))
                rest.removeFirst()
                continue
            }
            let count = rest.prefix { $0 == first }.count
            rest = rest.dropFirst(count)
            switch (first, count) {
            case (UInt8(ascii: "y"), 4): tokens.append(.year)
            case (UInt8(ascii: "y"), 2): tokens.append(.shortYear)
            case (UInt8(ascii: "M"), 1...2): tokens.append(.month(count))
            case (UInt8(ascii: "M"), 3): tokens.append(.monthName)
            case (UInt8(ascii: "d"), 1...2): tokens.append(.day(count))
            case (UInt8(ascii: "H"), 1...2): tokens.append(.hour(count))
            case (UInt8(ascii: "h"), 1...2): tokens.append(.halfDayHour(count))
            case (UInt8(ascii: "m"), 2): tokens.append(.minute)
            case (UInt8(ascii: "s"), 2): tokens.append(.second)
            case (UInt8(ascii: "S"), 1...9): tokens.append(.fraction)
            case (UInt8(ascii: "a"), 1): tokens.append(.halfDay)
            case (UInt8(ascii: "X"), 1...3): tokens.append(.offset)
            case (UInt8(ascii: "z"), 1): tokens.append(.zone)
            default: return nil
            }
        }
        let needed: [(Token) -> Bool] = [
            { $0 == .year || $0 == .shortYear },
            { if case .month = $0 { true } else { $0 == .monthName } }, { if case .day = $0 { true } else { false } },
        ]
        guard !isQuoted, needed.allSatisfy({ need in tokens.contains { need($0) } }) else { return nil }
        return tokens
    }

    /// Reads a text; nil if it does not have this form, or names no day of the calendar.
    func read(_ text: String) -> Clock? { forms.lazy.compactMap { Self.read(text, $0) }.first }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func read(_ text: String, _ tokens: [Token]) -> Clock? {
        var rest = Array(text.utf8)[...]
        func number(_ digits: ClosedRange<Int>) -> Int? {
            let found = rest.prefix(digits.upperBound).prefix(while: \.isDigit)
            guard found.count >= digits.lowerBound else { return nil }
            rest = rest.dropFirst(found.count)
            return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        func letters() -> String {
            let found = rest.prefix { $0.isASCIILetter }
            rest = rest.dropFirst(found.count)
            return String(decoding: found, as: UTF8.self)
        }
        var (year, month, day, hour, minute, second, millisecond) = (0, 0, 0, 0, 0, 0, 0)
        var isAfternoon: Bool?
        var clock = Clock(milliseconds: 0)
        for token in tokens {
            switch token {
            case .year:
                guard let value = number(4...4) else { return nil }
                year = value
            case .shortYear:
                guard let value = number(2...2) else { return nil }
                year = 2_000 + value
            case .month(let digits):
                guard let value = number(digits...2) else { return nil }
                month = value
            case .monthName:
                guard let index = months.firstIndex(of: letters().lowercased()) else { return nil }
                month = index + 1
            case .day(let digits):
                guard let value = number(digits...2) else { return nil }
                day = value
            case .hour(let digits):
                guard let value = number(digits...2) else { return nil }
                hour = value
            case .halfDayHour(let digits):
                guard let value = number(digits...2), (1...12).contains(value) else { return nil }
                hour = value % 12
            case .minute:
                guard let value = number(2...2) else { return nil }
                minute = value
            case .second:
                guard let value = number(2...2) else { return nil }
                second = value
            case .fraction:
                let found = rest.prefix(9).prefix(while: \.isDigit)
                guard !found.isEmpty else { return nil }
                rest = rest.dropFirst(found.count)
                let digits =
                    Array(found.prefix(3)) + Array(repeating: UInt8(ascii: "0"), count: max(0, 3 - found.count))
                millisecond = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            case .halfDay:
                switch letters().lowercased() {
                case "am": isAfternoon = false
                case "pm": isAfternoon = true
                default: return nil
                }
            case .offset:
                let found = rest.prefix { $0.isASCIILetter || $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x3A }
                guard let offset = offset(String(decoding: found, as: UTF8.self)) else { return nil }
                clock.offset = offset
                rest = rest.dropFirst(found.count)
            case .zone:
                let found = rest.prefix { $0 != 0x20 && $0 < 0x7F }
                guard !found.isEmpty else { return nil }
                clock.zone = String(decoding: found, as: UTF8.self)
                rest = rest.dropFirst(found.count)
            case .literal(let byte):
                guard rest.first == byte else { return nil }
                rest.removeFirst()
            }
        }
        if isAfternoon == true { hour += 12 }
        guard rest.isEmpty, (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second) else {
            return nil
        }
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T00:00:00Z"
        guard let midnight = Timestamp(rfc3339: date)?.milliseconds else { return nil }
        let seconds = Int64((hour * 60 + minute) * 60 + min(second, 59))
        clock.milliseconds = midnight + seconds * 1_000 + Int64(millisecond)
        return clock
    }

    /// Reads an offset in seconds: `Z`, `UTC`, `+01`, `+0100` or `+01:00`.
    static func offset(_ text: String) -> Int64? {
        if ["Z", "UTC", "GMT"].contains(text.uppercased()) { return 0 }
        var rest = Array(text.utf8)[...]
        guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        if rest.count == 5, rest[rest.startIndex + 2] == UInt8(ascii: ":") { rest.remove(at: rest.startIndex + 2) }
        guard rest.count == 2 || rest.count == 4, rest.allSatisfy(\.isDigit) else { return nil }
        let digits = rest.map { Int64($0 - UInt8(ascii: "0")) } + [0, 0]
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hours <= 14, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes) * 60
    }
}

extension String {
    /// The text without blanks at its ends, those of all scripts included.
    var trimmingBlanks: String {
        // Walking backwards over Characters takes quadratic time for some texts.
        let start = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = start.lastIndex { !$0.properties.isWhitespace }.map(start.index(after:)) ?? start.startIndex
        return String(start[..<end])
    }
}
