/// An amount of money in thousandths of one currency unit, as in reports (SA-42).
///
/// EUR 9.99 is 9990; JPY 1364 is 1364000.
public struct MilliUnits: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of thousandths.
    public var value: Int64

    /// Creates an amount.
    ///
    /// - Parameter value: thousandths of one currency unit.
    public init(_ value: Int64) {
        self.value = value
    }

    /// Creates an amount by rounding a decimal number of milli-units half up (RR-42); nil outside 64 bits.
    ///
    /// - Parameter exact: milli-units with a fraction. A half below zero is rounded away from zero.
    public init?(rounding exact: Decimal) {
        guard !exact.isNaN else { return nil }
        let magnitude: Int64?
        if #available(iOS 18, tvOS 18, watchOS 11, visionOS 2, *), let parts = DecimalParts(exact) {
            magnitude = parts.roundedMagnitude.flatMap(Int64.init(exactly:))
        } else {
            let shifted = exact.magnitude + Decimal(sign: .plus, exponent: -1, significand: 5)
            magnitude = Int64(shifted.description.prefix { $0 != "." })
        }
        guard let magnitude else { return nil }
        value = exact.isSignMinus ? -magnitude : magnitude
    }

    /// Says how an amount that is written in units of a currency is written in thousandths, such as `9.99 is 9990`; nil
    /// for a text that is no such amount.
    ///
    /// - Parameter value: a number or a text with one to three digits after its point or comma.
    static func written(_ value: JSONValue) -> String? {
        let text: String
        switch value {
        case .number(let number): text = number.text
        case .string(let written): text = written
        default: return nil
        }
        let bytes = Array(text.utf8)
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        guard let point = digits.firstIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) else {
            return nil
        }
        let (whole, fraction) = (digits[..<point], digits[(point + 1)...])
        guard (1...12).contains(whole.count), (1...3).contains(fraction.count),
            whole.allSatisfy(\.isDigit), fraction.allSatisfy(\.isDigit)
        else { return nil }
        let padded = whole + fraction + Array(repeating: UInt8(ascii: "0"), count: 3 - fraction.count)
        guard let thousandths = Int64(String(decoding: padded, as: UTF8.self)) else { return nil }
        return "\(text) is \(isNegative ? -thousandths : thousandths)"
    }

    /// Orders by amount.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// The number of thousandths as text.
    public var description: String { String(value) }

    /// The amount in currency units, `9.99` for 9990, without trailing zeros after the second digit.
    public var unitsText: String {
        let magnitude = value.magnitude
        let thousandths = String(magnitude % 1_000)
        var fraction = String(repeating: "0", count: 3 - thousandths.count) + thousandths
        if fraction.hasSuffix("0") { fraction.removeLast() }
        return (value < 0 ? "-" : "") + "\(magnitude / 1_000).\(fraction)"
    }
}
