/// Why a text is not an external purchase token.
public struct TokenDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name from spec/03 section 2, `not-base64url`.
    public let name: TokenFault
    /// The field that the error is about.
    public let field: String?

    /// What was done to the text before it came here, for a text that is no token as it is; nil if that is not known.
    package var cause: String?

    /// The error in one sentence, for people.
    public var message: String { name.message(field: field) + (cause.map { ": \($0)" } ?? "") }

    /// The name followed by the message.
    public var description: String { "\(name.rawValue): \(message)" }
}

/// A deviation that lenient decoding repaired or tolerated.
public struct TokenWarning: Hashable, Sendable {
    /// The name from spec/03 section 2, `number-format`.
    public let name: TokenFault
    /// The field that the warning is about.
    public let field: String?

    /// The warning in one sentence, for people.
    public var message: String { name.message(field: field) }
}

/// The names of decoding errors and warnings.
///
/// A name can be an error in one mode and a warning in the other.
public enum TokenFault: String, Hashable, Sendable, CaseIterable {
    // The order of the cases is the order of the checks in spec/03 section 2.

    /// The text has more than 16,384 bytes.
    case tooLarge = "too-large"
    /// The text is empty or consists of blanks.
    case empty
    /// The text contains blanks or line ends.
    case whitespace
    /// The text contains `+` or `/` instead of `-` or `_`.
    case standardAlphabet = "standard-alphabet"
    /// The text is not Base64URL.
    case notBase64URL = "not-base64url"
    /// The number of `=` is wrong.
    case badPadding = "bad-padding"
    /// The unused bits at the end are not zero.
    case nonCanonical = "non-canonical"
    /// The bytes are not valid UTF-8.
    case notUTF8 = "not-utf8"
    /// The bytes begin with a byte order mark.
    case byteOrderMark = "byte-order-mark"
    /// The bytes are not JSON.
    case notJSON = "not-json"
    /// The JSON is nested deeper than 16 levels.
    case tooDeep = "too-deep"
    /// The JSON is not an object.
    case notAnObject = "not-an-object"
    /// A key occurs twice.
    case duplicateField = "duplicate-field"
    /// A required field is missing.
    case missingField = "missing-field"
    /// An optional field is null.
    case nullField = "null-field"
    /// A field has a wrong JSON type.
    case wrongType = "wrong-type"
    /// A field is not an integer.
    case notAnInteger = "not-an-integer"
    /// An integer is written with a fraction or exponent.
    case numberFormat = "number-format"
    /// An integer is written as a string.
    case numberAsString = "number-as-string"
    /// A number is outside its range.
    case outOfRange = "out-of-range"
    /// A date appears to be in seconds.
    case dateLooksLikeSeconds = "date-looks-like-seconds"
    /// A string is empty.
    case emptyField = "empty-field"
    /// A string has more than 256 characters.
    case fieldTooLong = "field-too-long"
    /// The bundle id contains characters that are not allowed there.
    case malformedBundleId = "malformed-bundle-id"
    /// The id is neither a UUID nor `SANDBOX_` and a UUID.
    case malformedExternalPurchaseId = "malformed-external-purchase-id"
    /// `SANDBOX_` is written in another case.
    case sandboxPrefixCase = "sandbox-prefix-case"
    /// The type is unknown.
    case unknownTokenType = "unknown-token-type"
    /// A known type is written in another case.
    case tokenTypeCase = "token-type-case"
    /// A key is unknown.
    case unknownField = "unknown-field"
    /// A custom link token has no expiration.
    case missingExpiration = "missing-expiration"
    /// The token has an expiration but no type.
    case expirationWithoutType = "expiration-without-type"
    /// The expiration is not after the creation.
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
        case .duplicateField: "\(field) occurs more than once"
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
