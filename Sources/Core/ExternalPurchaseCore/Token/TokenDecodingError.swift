/// Why a text is not an external purchase token.
public struct TokenDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of spec/03 section 2, `not-base64url`.
    public let name: TokenFault
    /// The field it is about.
    public let field: String?

    /// One sentence for a person.
    public var message: String { name.message(field: field) }

    /// The name and the sentence.
    public var description: String { "\(name.rawValue): \(message)" }
}

/// Something that a lenient decoder repaired or let pass.
public struct TokenWarning: Hashable, Sendable {
    /// The name of spec/03 section 2, `number-format`.
    public let name: TokenFault
    /// The field it is about.
    public let field: String?

    /// One sentence for a person.
    public var message: String { name.message(field: field) }
}

/// The names of decode errors and warnings; the same name is an error in one mode and a warning in the other.
public enum TokenFault: String, Hashable, Sendable, CaseIterable {
    // The cases in the order of the checks, spec/03 section 2.

    /// More than 16,384 bytes.
    case tooLarge = "too-large"
    /// Nothing but blanks.
    case empty
    /// Blanks or line ends inside.
    case whitespace
    /// `+` or `/` where Base64URL has `-` and `_`.
    case standardAlphabet = "standard-alphabet"
    /// Not Base64URL.
    case notBase64URL = "not-base64url"
    /// `=` in a wrong number.
    case badPadding = "bad-padding"
    /// Unused bits at the end are not zero.
    case nonCanonical = "non-canonical"
    /// The bytes are not UTF-8.
    case notUTF8 = "not-utf8"
    /// A byte order mark.
    case byteOrderMark = "byte-order-mark"
    /// Not JSON.
    case notJSON = "not-json"
    /// Nested deeper than 16.
    case tooDeep = "too-deep"
    /// Not a JSON object.
    case notAnObject = "not-an-object"
    /// A key stands twice.
    case duplicateField = "duplicate-field"
    /// A required field is missing.
    case missingField = "missing-field"
    /// An optional field is null.
    case nullField = "null-field"
    /// Another JSON type.
    case wrongType = "wrong-type"
    /// Not an integer.
    case notAnInteger = "not-an-integer"
    /// An integer written with fraction or exponent.
    case numberFormat = "number-format"
    /// An integer written as a string.
    case numberAsString = "number-as-string"
    /// Outside the permitted range.
    case outOfRange = "out-of-range"
    /// A date in seconds.
    case dateLooksLikeSeconds = "date-looks-like-seconds"
    /// An empty string.
    case emptyField = "empty-field"
    /// More than 256 characters.
    case fieldTooLong = "field-too-long"
    /// Characters that no bundle id has.
    case malformedBundleId = "malformed-bundle-id"
    /// Neither a UUID nor `SANDBOX_` and a UUID.
    case malformedExternalPurchaseId = "malformed-external-purchase-id"
    /// `SANDBOX_` in another case.
    case sandboxPrefixCase = "sandbox-prefix-case"
    /// A type that is not known.
    case unknownTokenType = "unknown-token-type"
    /// A known type in another case.
    case tokenTypeCase = "token-type-case"
    /// A key that is not known.
    case unknownField = "unknown-field"
    /// A custom link token without expiration.
    case missingExpiration = "missing-expiration"
    /// An expiration without a type.
    case expirationWithoutType = "expiration-without-type"
    /// An expiration at or before the creation.
    case expirationNotAfterCreation = "expiration-not-after-creation"

    func message(field: String?) -> String {
        let field = field ?? "a field"
        return switch self {
        case .tooLarge: "the token has more than 16,384 bytes"
        case .empty: "the token is empty"
        case .whitespace: "the token contains blanks or line ends"
        case .standardAlphabet: "the token uses + or / where Base64URL has - and _"
        case .notBase64URL: "the text is not Base64URL"
        case .badPadding: "the token's = padding has the wrong length"
        case .nonCanonical: "the unused bits of the token's last character are not zero"
        case .notUTF8: "the decoded bytes are not UTF-8"
        case .byteOrderMark: "the decoded text begins with a byte order mark"
        case .notJSON: "the decoded text is not JSON"
        case .tooDeep: "the JSON is nested deeper than 16"
        case .notAnObject: "the JSON is not an object"
        case .duplicateField: "\(field) stands more than once"
        case .missingField: "\(field) is missing"
        case .nullField: "\(field) is null; it counts as absent"
        case .wrongType: "\(field) has the wrong JSON type"
        case .notAnInteger: "\(field) is not an integer"
        case .numberFormat: "\(field) is written with a fraction or an exponent"
        case .numberAsString: "\(field) is a number written as a string"
        case .outOfRange: "\(field) is out of range"
        case .dateLooksLikeSeconds: "\(field) looks like seconds; dates are in milliseconds"
        case .emptyField: "\(field) is empty"
        case .fieldTooLong: "\(field) has more than 256 characters"
        case .malformedBundleId: "\(field) has characters other than letters, digits, - and ."
        case .malformedExternalPurchaseId: "\(field) is neither a UUID nor SANDBOX_ and a UUID"
        case .sandboxPrefixCase: "the prefix of \(field) is not spelled SANDBOX_"
        case .unknownTokenType: "\(field) is not one of the known types"
        case .tokenTypeCase: "\(field) is a known type in another case"
        case .unknownField: "\(field) is not a known field"
        case .missingExpiration: "\(field) is missing although tokens of this type expire"
        case .expirationWithoutType: "\(field) is missing although the token expires"
        case .expirationNotAfterCreation: "\(field) is not after the creation: no usable period"
        }
    }
}
