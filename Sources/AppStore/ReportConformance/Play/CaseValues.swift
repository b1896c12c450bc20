import ExternalPurchaseCore

/// The values that the placeholders of a case stand for (CS-3).
struct CaseValues: Sendable {
    /// Makes the ids of this run.
    let seed: UInt64
    /// The case.
    let id: String
    /// The token; nil for a case without one.
    let token: ConformanceToken?
    /// The time of this case.
    let now: Timestamp
    /// The times of earlier cases by id.
    var times: [String: Timestamp] = [:]
    /// The tokens of earlier cases by id.
    var tokens: [String: ConformanceToken] = [:]

    /// The identifier of the report of a case of this run: a UUID that only the seed and the case determine, so that
    /// an interrupted run can ask for it.
    func requestIdentifier(of id: String) -> String {
        // FNV-1a with 64 bits.
        let hash = id.utf8.reduce(into: UInt64(0xcbf2_9ce4_8422_2325)) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        var numbers = SplitMix64(seed: seed ^ hash)
        let digits = Array(Self.hexadecimal(numbers.next()) + Self.hexadecimal(numbers.next()))
        let text = { (range: Range<Int>) in String(digits[range]) }
        return "\(text(0..<8))-\(text(8..<12))-4\(text(13..<16))-8\(text(17..<20))-\(text(20..<32))"
    }

    /// The id of a line item of a case of this run.
    func lineItemId(_ name: String, of id: String) -> String {
        "cs-\(Self.hexadecimal(seed).prefix(8))-\(id)-\(name)"
    }

    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What a placeholder stands for.
    enum Value: Hashable {
        case text(String)
        /// A number, which replaces the quotes around the placeholder too.
        case number(Int64)
    }

    /// Returns the value of a placeholder, the text between `{{` and `}}`; nil for one that it does not know.
    func value(of placeholder: Substring) -> Value? {
        let parts = placeholder.split(separator: "@", maxSplits: 1)
        guard let name = parts.first else { return nil }
        let other = parts.count > 1 ? String(parts[1]) : nil
        if name == "token" { return token.map { .text($0.externalPurchaseId.rawValue) } }
        if name == "request" { return .text(requestIdentifier(of: other ?? id)) }
        if name.hasPrefix("item.") { return .text(lineItemId(String(name.dropFirst(5)), of: other ?? id)) }
        if let repeated = Self.repeated(name) { return .text(repeated) }
        return time(name, of: other).map(Value.number)
    }

    /// `x*129` is x 129 times.
    private static func repeated(_ name: Substring) -> String? {
        let parts = name.split(separator: "*")
        guard parts.count == 2, parts[0].count == 1, let count = Int(parts[1]) else { return nil }
        return String(repeating: String(parts[0]), count: count)
    }

    /// `now-365d`, `created+1s`, `expires+1ms`, `seconds-1h`.
    private func time(_ name: Substring, of other: String?) -> Int64? {
        let base = name.prefix { $0.isLetter }
        let rest = name.dropFirst(base.count)
        var distance = Duration.zero
        if let sign = rest.first {
            guard sign == "+" || sign == "-",
                let duration = SettingText.duration(String(rest.dropFirst()))
            else { return nil }
            distance = sign == "+" ? duration : -duration
        }
        let current = other.map { times[$0] } ?? now
        let token = other.flatMap { tokens[$0] } ?? token
        return switch base {
        case "now": current.map { ($0 + distance).milliseconds }
        case "seconds": current.map { ($0 + distance).milliseconds / 1_000 }
        case "created": token.map { ($0.creationDate + distance).milliseconds }
        case "expires": token?.expirationDate.map { ($0 + distance).milliseconds }
        default: nil
        }
    }
}
