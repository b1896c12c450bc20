/// A moment in UNIX time with millisecond precision, as in tokens and reports.
public struct Timestamp: InstantProtocol, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates a moment.
    ///
    /// - Parameter milliseconds: the milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates a moment by rounding a date down to the millisecond.
    ///
    /// - Parameter date: a date; it is clamped to the years 0 to 9999.
    public init(_ date: Date) {
        let value = (date.timeIntervalSince1970 * 1_000).rounded(.down)
        milliseconds = Int64(max(-62_135_596_800_000, min(253_402_300_799_999, value)))
    }

    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns the moment that lies a duration after this one, rounded toward this one and clamped to 64 bits.
    ///
    /// - Parameter duration: the distance; fractions of a millisecond are ignored. A negative one leads to the past.
    public func advanced(by duration: Duration) -> Timestamp {
        let distance = duration.wholeMilliseconds
        let (sum, overflow) = milliseconds.addingReportingOverflow(distance)
        return Timestamp(milliseconds: overflow ? (distance > 0 ? .max : .min) : sum)
    }

    /// Returns the duration from this moment to another one, negative if the other one is earlier.
    public func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.milliseconds) - .milliseconds(milliseconds)
    }

    /// Returns the moment that lies a duration after a moment; see ``advanced(by:)``.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp { moment.advanced(by: duration) }

    /// Returns the moment that lies a duration before a moment; see ``advanced(by:)``.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        moment.advanced(by: .zero - duration)
    }

    /// The number of milliseconds of a day (RR-9).
    package static let millisecondsPerDay: Int64 = 86_400_000

    /// The moment in RFC 3339, `2026-11-21T00:00:00Z`, with milliseconds if they are not zero.
    public var description: String {
        let (days, rest) = milliseconds.flooredDivision(by: Self.millisecondsPerDay)
        let (year, month, day) = Self.civil(days)
        let seconds = rest / 1_000
        let fraction = rest % 1_000
        func pad(_ value: Int64, _ width: Int) -> String {
            let text = String(abs(value))
            return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let date = "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
        let time = "\(pad(seconds / 3_600, 2)):\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2))"
        return "\(date)T\(time)\(fraction == 0 ? "" : "." + pad(fraction, 3))Z"
    }

    /// Reads a moment in RFC 3339, such as `2026-11-21T00:00:00Z`; a fraction and an offset such as `+09:00` are
    /// allowed.
    ///
    /// - Parameter text: the date and time. Digits after the third of a fraction are ignored.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy(\.isDigit) else { return nil }
            return Int64(String(decoding: bytes[range], as: UTF8.self))
        }
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), day >= 1, day <= Self.daysInMonth(year, month),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if bytes[index] == UInt8(ascii: ".") {
            let start = index + 1
            index = start
            while index < bytes.count, bytes[index].isDigit { index += 1 }
            guard index > start else { return nil }
            let digits = String(decoding: bytes[start..<min(index, start + 3)], as: UTF8.self)
            fraction = (Int64(digits) ?? 0) * [1, 100, 10, 1][digits.count]
        }
        var offset: Int64 = 0
        switch index < bytes.count ? bytes[index] : 0 {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard index + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard index + 6 == bytes.count, bytes[index + 3] == UInt8(ascii: ":"),
                let hours = number(index + 1..<index + 3), let minutes = number(index + 4..<index + 6),
                hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * 60_000 * (bytes[index] == UInt8(ascii: "-") ? -1 : 1)
        default:
            return nil
        }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        milliseconds = seconds * 1_000 + fraction - offset
    }

    // Howard Hinnant's civil calendar arithmetic, https://howardhinnant.github.io/date_algorithms.html

    package static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredDivision(by: 400).quotient
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097).quotient
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
        month == 12 ? 31 : days(year, month + 1, 1) - days(year, month, 1)
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
