package import ExternalPurchaseCore

/// The time zone in which months are counted and deadlines end (setting `due.timeZone`, RR-71).
///
/// UTC and fixed offsets are computed directly. Named zones need Foundation's time zone data, which is only available
/// to programs that link the complete Foundation.
package struct ReportingTimeZone: Hashable, Sendable, CustomStringConvertible {
    /// The name as configured.
    package let name: String
    private let rule: Rule

    private enum Rule: Hashable, Sendable {
        case offset(seconds: Int64)
        case named(TimeZone)
    }

    /// What a text must be.
    static let expected = "a time zone known here: UTC, an offset such as +09:00, or a name such as Asia/Seoul"

    /// Coordinated universal time, the default.
    package static let utc = ReportingTimeZone(name: "UTC", rule: .offset(seconds: 0))

    private init(name: String, rule: Rule) {
        self.name = name
        self.rule = rule
    }

    /// Parses `UTC`, an offset such as `+09:00`, or a name of the time zone database such as `Europe/Amsterdam`.
    ///
    /// - Throws: `SettingError` for any other text, and for names without available data.
    package init(_ name: String) throws(SettingError) {
        if name == "UTC" {
            self = .utc
        } else if let seconds = Self.offset(name) {
            self.init(name: name, rule: .offset(seconds: seconds))
        } else if name.contains("/"), let zone = TimeZone(identifier: name) {
            self.init(name: name, rule: .named(zone))
        } else {
            throw .unknownValue(name: "due.timeZone", value: name, expected: Self.expected)
        }
    }

    /// The name as configured.
    package var description: String { name }

    /// The date in this zone at a given moment.
    func day(of moment: Timestamp) -> CalendarDate {
        CalendarDate(inUTC: moment.advanced(by: .milliseconds(offset(at: moment.milliseconds))))
    }

    /// The first moment of a day; where clocks skip midnight, the moment after the skipped time.
    func start(of day: CalendarDate) -> Timestamp {
        let wall = day.startInUTC.milliseconds
        if case .offset(let seconds) = rule { return Timestamp(milliseconds: wall - seconds * 1_000) }
        // Offsets differ by at most 26 hours, so these two cover every offset around this wall-clock time.
        let reach = 26 * 3_600_000 as Int64
        let offsets = [offset(at: wall - reach), offset(at: wall + reach)]
        let moments = offsets.map { wall - $0 }.sorted()
        if let first = moments.first(where: { $0 + offset(at: $0) == wall }) { return Timestamp(milliseconds: first) }
        var (before, after) = (moments[0] - 1, moments[moments.count - 1])
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if middle + offset(at: middle) < wall { before = middle } else { after = middle }
        }
        return Timestamp(milliseconds: after)
    }

    private func offset(at milliseconds: Int64) -> Int64 {
        switch rule {
        case .offset(let seconds): seconds * 1_000
        case .named(let zone):
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))) * 1_000
        }
    }

    private static func offset(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
            bytes[3] == UInt8(ascii: ":"), [1, 2, 4, 5].allSatisfy({ bytes[$0].isDigit }),
            let hours = Int64(String(decoding: bytes[1...2], as: UTF8.self)),
            let minutes = Int64(String(decoding: bytes[4...5], as: UTF8.self)), hours <= 14, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * 60 * (bytes[0] == UInt8(ascii: "-") ? -1 : 1)
    }
}
