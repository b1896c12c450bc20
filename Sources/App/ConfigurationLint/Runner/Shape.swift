import AppConfiguration

/// The type that a value must have (spec/01 sections 2 and 3).
enum Shape: Hashable, Sendable {
    case boolean
    case text
    case texts
    case textByCode
    case textsByCode

    /// The shape of a type name of the rule packs.
    init?(_ name: String) {
        switch name {
        case "boolean": self = .boolean
        case "array<string>": self = .texts
        case "dictionary<string,string>": self = .textByCode
        case "dictionary<string,array<string>>": self = .textsByCode
        default: return nil
        }
    }

    /// What a sentence says after "must be".
    var description: String {
        switch self {
        case .boolean: "a Boolean"
        case .text: "a string"
        case .texts: "an array of strings"
        case .textByCode: "a dictionary of country codes and strings"
        case .textsByCode: "a dictionary of country codes and arrays of strings"
        }
    }

    /// True when the value itself has the type; what it contains is judged on its own.
    func admits(_ value: PropertyListValue) -> Bool {
        switch (self, value) {
        case (.boolean, .bool), (.text, .string), (.texts, .array), (.textByCode, .dictionary),
            (.textsByCode, .dictionary):
            true
        default: false
        }
    }
}
