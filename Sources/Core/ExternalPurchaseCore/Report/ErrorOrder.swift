/// An order of the errors of one answer; setting `answers.order` of the emulator.
package enum ErrorOrder: Hashable, Sendable {
    /// The order of RR-2.
    case rules
    /// By code, errors of one code in the order of RR-2.
    case code
    /// That of RR-2 from its end.
    case reversed
    /// Within the report and within each line item, these codes exchange their places so that they come in this order;
    /// the other codes keep their places.
    case codes([Int])

    /// Reads the value of the setting; nil and unknown texts are ``rules``.
    package init(_ text: String?) {
        self = text.flatMap(Self.init(setting:)) ?? .rules
    }

    /// Reads the value of the setting; nil for a text that is none.
    package init?(setting text: String) {
        switch text {
        case "rules": self = .rules
        case "code": self = .code
        case "reversed": self = .reversed
        default:
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let codes = parts.compactMap { Int($0) }
            guard codes.count == parts.count, codes.count > 1, Set(codes).count == codes.count else { return nil }
            self = .codes(codes)
        }
    }

    /// The value of the setting.
    package var text: String {
        switch self {
        case .rules: "rules"
        case .code: "code"
        case .reversed: "reversed"
        case .codes(let codes): codes.map(String.init).joined(separator: ",")
        }
    }

    /// Sorts errors that are in the order of RR-2.
    package func sorted(_ errors: [ReportError]) -> [ReportError] {
        switch self {
        case .rules: return errors
        case .reversed: return errors.reversed()
        case .code:
            return errors.enumerated().sorted {
                ($0.element.errorCode.rawValue, $0.offset) < ($1.element.errorCode.rawValue, $1.offset)
            }.map(\.element)
        case .codes(let codes):
            let ranks = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($0.element, $0.offset) })
            var sorted = errors
            for group in Dictionary(grouping: errors.indices, by: { errors[$0].lineItemId }).values {
                let places = group.filter { ranks[errors[$0].errorCode.rawValue] != nil }
                let moved = places.sorted {
                    (ranks[errors[$0].errorCode.rawValue] ?? 0, $0) < (ranks[errors[$1].errorCode.rawValue] ?? 0, $1)
                }
                for (place, source) in zip(places, moved) { sorted[place] = errors[source] }
            }
            return sorted
        }
    }
}
