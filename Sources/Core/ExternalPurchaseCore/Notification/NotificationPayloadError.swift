/// Why bytes cannot be read as the payload of a notification.
public enum NotificationPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not JSON.
    case notJSON(JSONReadError)
    /// The JSON is not an object.
    case notAnObject
    /// A key occurs more than once in one object.
    ///
    /// Readers disagree about which occurrence counts.
    case repeatedField(String)
    /// A required field is missing (NT-42).
    ///
    /// A nested field is written `data.bundleId`.
    case missing(field: String)
    /// A field has a wrong type.
    case wrongType(field: String)

    /// The name of the verification step that failed: `payload-unreadable` (NT-25) or `payload-incomplete` (NT-34).
    public var name: String {
        switch self {
        case .notJSON, .notAnObject, .repeatedField: "payload-unreadable"
        case .missing, .wrongType: "payload-incomplete"
        }
    }

    /// The error in one sentence, for people.
    public var message: String {
        switch self {
        case .notJSON(let error): "the payload \(error.message())"
        case .notAnObject: "the payload is not a JSON object"
        case .repeatedField(let field): "\(field) occurs more than once in the payload"
        case .missing(let field): "\(field) is missing; it must be \(Self.shape(of: field))"
        case .wrongType(let field): "\(field) has the wrong type or is empty; it must be \(Self.shape(of: field))"
        }
    }

    /// The name followed by the message.
    public var description: String { "\(name): \(message)" }

    private static func shape(of field: String) -> String {
        switch field.split(separator: ".").last {
        case "signedDate", "tokenCreationDate", "tokenExpirationDate": "an integer, UNIX time in milliseconds"
        case "appAppleId": "an integer from 1 on"
        case "externalPurchaseToken", "data": "an object"
        default: "a string that is not empty"
        }
    }
}
