import ExternalPurchaseCore

/// How a file writes numbers.
struct NumberForm: Equatable, Sendable {
    /// The decimal mark, a point or a comma.
    var decimal: UInt8 = UInt8(ascii: ".")
    /// The mark between groups of three digits; a blank stands for any kind of blank.
    var thousands: String?
    /// What stands before or after a number, such as `$`.
    var symbols: [String] = []

    /// A number without its sign: digits, and a point with digits behind it.
    struct Number: Equatable {
        var isNegative: Bool
        var text: String
    }

    private static let minus: Set<Character> = ["-", "\u{2212}"]

    /// Reads a number; nil for any other text.
    ///
    /// A minus stands before the number or behind it, or the number is in parentheses.
    func number(_ text: String) -> Number? {
        guard text.utf8.count <= 64 else { return nil }
        var rest = Substring(text)
        var isNegative = false
        func trim() {
            rest = rest.drop(while: \.isWhitespace)
            while rest.last?.isWhitespace == true { rest.removeLast() }
        }
        func takeSign() {
            trim()
            if let first = rest.first, Self.minus.contains(first) {
                isNegative.toggle()
                rest.removeFirst()
            } else if rest.first == "+" {
                rest.removeFirst()
            }
        }
        takeSign()
        if rest.first == "(", rest.last == ")" {
            if isNegative { return nil }
            isNegative = true
            rest = rest.dropFirst().dropLast()
        }
        trim()
        for symbol in symbols {
            if rest.hasPrefix(symbol) { rest = rest.dropFirst(symbol.count) }
            if rest.hasSuffix(symbol) { rest = rest.dropLast(symbol.count) }
            trim()
        }
        if !isNegative { takeSign() }
        if !isNegative, let last = rest.last, Self.minus.contains(last) {
            isNegative = true
            rest.removeLast()
        }
        trim()
        let mark = Character(Unicode.Scalar(decimal))
        let parts = rest.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ withoutThousands(String($0)) }), !whole.isEmpty else { return nil }
        guard parts.count == 2 else { return Number(isNegative: isNegative, text: whole) }
        let fraction = String(parts[1])
        guard !fraction.isEmpty, fraction.utf8.allSatisfy(\.isDigit) else { return nil }
        return Number(isNegative: isNegative, text: "\(whole).\(fraction)")
    }

    private func withoutThousands(_ whole: String) -> String? {
        guard let thousands, !whole.utf8.allSatisfy(\.isDigit) else {
            return whole.utf8.allSatisfy(\.isDigit) ? whole : nil
        }
        let marks: Set<Character> =
            switch thousands {
            case " ": [" ", "\u{A0}", "\u{202F}", "\u{2009}"]
            case "'": ["'", "\u{2019}"]
            default: Set(thousands)
            }
        let groups = whole.split(omittingEmptySubsequences: false) { marks.contains($0) }
        let isGrouped =
            (1...3).contains(groups.first?.count ?? 0) && groups.dropFirst().allSatisfy { $0.count == 3 }
            && groups.allSatisfy { $0.utf8.allSatisfy(\.isDigit) }
        return isGrouped ? groups.joined() : nil
    }

    /// Words for a message.
    var words: String {
        let mark = Character(Unicode.Scalar(decimal))
        let separators = thousands.map { ", \($0.shown()) between thousands" } ?? ", nothing between thousands"
        return "the decimal mark '\(mark)'\(separators)"
    }

    /// Removes zeros behind the digits that a currency has: `500.00` of yen is `500`.
    static func withoutEmptyDigits(_ text: String, of currency: Currency?) -> String {
        guard let currency else { return text }
        return withoutEmptyDigits(text, digits: Int(currency.exponent))
    }

    /// Removes zeros behind a number of digits.
    static func withoutEmptyDigits(_ text: String, digits: Int) -> String {
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return text }
        let fraction = text[text.utf8.index(after: point)...]
        let excess = fraction.utf8.dropFirst(digits)
        guard !excess.isEmpty, excess.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return text }
        return digits == 0 ? String(text[..<point]) : String(text.dropLast(excess.count))
    }
}
