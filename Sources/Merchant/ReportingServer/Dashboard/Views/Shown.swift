import ExternalPurchaseCore
import HTTPSupport

/// Texts as the dashboard shows them.
enum Shown {
    /// Returns a text from outside with control characters, line separators and direction marks as JSON escapes.
    static func text(_ text: String) -> String { text.printable }

    /// Returns a text of several lines; its line breaks stay.
    static func lines(_ text: String) -> String { text.printableLines() }

    /// Returns a moment in UTC, such as `20 Nov 2026 12:00`.
    static func time(_ moment: Timestamp, seconds: Bool = false) -> String {
        let text = moment.description
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2 else { return text }
        return day(String(parts[0])) + " " + parts[1].prefix(seconds ? 8 : 5)
    }

    /// Returns the day of a moment in UTC, such as `20 Nov 2026`.
    static func day(_ moment: Timestamp) -> String { day(String(moment.description.prefix { $0 != "T" })) }

    /// Returns a day such as `2026-11-20` as `20 Nov 2026`.
    static func day(_ text: String) -> String {
        let parts = text.split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), (1...12).contains(month), let day = Int(parts[2]) else {
            return text
        }
        return "\(day) \(months[month - 1]) \(parts[0])"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a duration in its largest unit, such as `3 days` or `12 s`.
    static func duration(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        let seconds = milliseconds / 1_000
        return switch seconds {
        case ..<1: "\(milliseconds) ms"
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    /// Returns a count with its noun, such as `1 sale` or `3 sales`.
    static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(self.number(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// Returns an integer with thousands separators.
    static func number(_ number: Int) -> String { grouped(String(number)) }

    /// Returns an amount with thousands separators and the decimal places of its currency.
    static func amount(_ amount: Decimal, _ currency: String) -> String {
        let parts = Currency.text(of: amount, in: currency).split(separator: ".", maxSplits: 1)
        return ([grouped(String(parts[0]))] + parts.dropFirst().map(String.init)).joined(separator: ".")
    }

    private static func grouped(_ digits: String) -> String {
        let isNegative = digits.hasPrefix("-")
        var rest = Substring(isNegative ? digits.dropFirst() : digits[...])
        guard rest.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return digits }
        var groups: [Substring] = []
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        groups.insert(rest, at: 0)
        return (isNegative ? "−" : "") + groups.joined(separator: ",")
    }

    /// Returns the words of a kebab-case or camel-case name, such as `report refused`.
    static func words(_ name: String) -> String {
        var result = ""
        for character in name {
            if character == "-" || character == "_" {
                result += " "
            } else if character.isUppercase, let last = result.last, last.isLowercase {
                result += " " + character.lowercased()
            } else {
                result.append(character)
            }
        }
        return result
    }
}

/// A path of the dashboard, with ids escaped.
enum PagePath {
    static func token(_ id: ExternalPurchaseId) -> String { of("tokens", id.rawValue) }
    static func sale(_ id: String) -> String { of("sales", id) }
    static func report(_ id: RequestIdentifier) -> String { of("reports", id.text) }

    /// Returns the path of a record.
    ///
    /// A browser takes the segments `.` and `..` out of a path, even when they are escaped, so such an id is searched
    /// for instead.
    static func of(_ list: String, _ id: String) -> String {
        if id == "." || id == ".." { return query("/search", [("q", id)]) }
        return "/\(list)/\(escaped(id))"
    }

    static func query(_ path: String, _ parameters: [(String, String)]) -> String {
        if parameters.isEmpty { return path }
        return path + "?" + parameters.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
    }

    /// Returns a text with everything but unreserved characters as escapes of its UTF-8.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
