import ExternalPurchaseCore

/// The text of a finding, in which every interpolated value is clipped.
///
/// Values come from files of others: a link or a region code can be as long as its file. No rule can repeat one uncut.
struct FindingText: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The largest size of a value in bytes.
    static let valueBytes = 200

    private(set) var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    static func + (left: FindingText, right: FindingText) -> FindingText {
        var sum = left
        sum.text += right.text
        return sum
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += value.description.clipped(to: FindingText.valueBytes)
        }

        /// Appends a text of the linter's own, such as a list of keys, or one whose values are clipped already.
        mutating func appendInterpolation(whole text: String) { self.text += text }
    }
}
