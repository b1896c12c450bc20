/// The digits and the exponent of a decimal number as integers.
///
/// `Decimal` offers them only as text, and making that text costs more than planning a sale. They are read from its 20
/// bytes: exponent, length and flags, two bytes without meaning, eight words of 16 bits. Apple's platforms have the length
/// in the lower four bits of its byte (`NSDecimal`), swift-foundation in the upper ones. ``lengthShift`` finds out what the
/// Foundation in use has; with another layout there are no parts, and callers use the text.
@available(iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package struct DecimalParts {
    /// The digits without sign and exponent.
    package let digits: UInt128
    package let exponent: Int

    /// - Returns: nil where the layout of `Decimal` is another one.
    package init?(_ decimal: Decimal) {
        guard let shift = Self.lengthShift else { return nil }
        self.init(reading: decimal, lengthShift: shift)
    }

    private init(reading decimal: Decimal, lengthShift: UInt8) {
        (digits, exponent) = withUnsafeBytes(of: decimal) { bytes in
            var digits: UInt128 = 0
            // Words behind the length have no meaning.
            for word in stride(from: min(8, Int(bytes[1] >> lengthShift & 0xF)) - 1, through: 0, by: -1) {
                digits = digits << 16 | UInt128(bytes.loadUnaligned(fromByteOffset: 4 + 2 * word, as: UInt16.self))
            }
            return (digits, Int(Int8(bitPattern: bytes[0])))
        }
    }

    /// The position of the length in its byte with which the parts of some numbers are those that their texts name; nil if
    /// there is none.
    private static let lengthShift: UInt8? = {
        guard MemoryLayout<Decimal>.size == 20 else { return nil }
        let samples: [(text: String, digits: UInt128, exponent: Int)] = [
            ("9.99", 999, -2), ("-0.0625", 625, -4), ("1", 1, 0), ("65536.1", 655_361, -1),
            ("123456789012345678901234567890.12345678", 12_345_678_901_234_567_890_123_456_789_012_345_678, -8),
        ]
        return [0, 4].first { shift in
            samples.allSatisfy { sample in
                guard let decimal = Decimal(string: sample.text) else { return false }
                let parts = DecimalParts(reading: decimal, lengthShift: shift)
                return parts.digits == sample.digits && parts.exponent == sample.exponent
                    && decimal.exponent == sample.exponent
            }
        }
    }()

    /// The magnitude, rounded half up to a whole number; nil for 2^128 and more.
    var roundedMagnitude: UInt128? {
        if digits == 0 { return 0 }
        var power: UInt128 = 1
        for _ in 0..<abs(exponent) {
            let (product, overflow) = power.multipliedReportingOverflow(by: 10)
            // Divided by 10^39 or more, even 2^128 is below a half.
            if overflow { return exponent < 0 ? 0 : nil }
            power = product
        }
        if exponent >= 0 {
            let (product, overflow) = digits.multipliedReportingOverflow(by: power)
            return overflow ? nil : product
        }
        return Self.rounded(digits, dividedBy: power)
    }

    /// Divides and rounds half up to a whole number.
    package static func rounded(_ dividend: UInt128, dividedBy divisor: UInt128) -> UInt128 {
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        return rest >= divisor - rest ? quotient + 1 : quotient
    }

    /// Returns a power of ten, for exponents from 0 to 18.
    package static func powerOfTen(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
