import AppConfiguration

/// The required type of a value (spec/01 sections 2 and 3).
enum Shape: Hashable, Sendable {
    case boolean
    case text
    case texts
    case textByCode
    case textsByCode

    /// Creates a shape from a type name of the rule packs.
    init?(_ name: String) {
        switch name {
        case "boolean": self = .boolean
        case "array<string>": self = .texts
        case "dictionary<string,string>": self = .textByCode
        case "dictionary<string,array<string>>": self = .textsByCode
        default: return nil
        }
    }

    /// The text after "must be" in messages.
    var description: String {
        switch self {
        case .boolean: "a Boolean"
        case .text: "a string"
        case .texts: "an array of strings"
        case .textByCode: "a dictionary of country codes and strings"
        case .textsByCode: "a dictionary of country codes and arrays of strings"
        }
    }

    /// True when the value has the type.
    ///
    /// Its content is checked separately.
    func admits(_ value: PropertyListValue) -> Bool {
        switch (self, value) {
        case (.boolean, .bool), (.text, .string), (.texts, .array), (.textByCode, .dictionary),
            (.textsByCode, .dictionary):
            true
        default: false
        }
    }
}
