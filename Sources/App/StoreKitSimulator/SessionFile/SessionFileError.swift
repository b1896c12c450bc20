public import AppConfiguration

/// Why a session file cannot be used.
public struct SessionFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Cause: Hashable, Sendable {
        /// There is no file at the path, or it cannot be read.
        case unreadable
        /// The content is not one JSON object.
        case notJSON
        /// A member is unknown.
        case unknownMember
        /// A member occurs twice.
        case repeatedMember
        /// The value of a member has another JSON type.
        case wrongType
        /// The member does not accept the value.
        case unknownValue
        /// Two members exclude each other.
        case contradiction
        /// A property list that the file names cannot be read.
        case configuration(ConfigurationReadError)
    }

    /// The kind of error.
    public let cause: Cause
    /// The path of the session file as the caller gave it.
    public let file: String
    /// The position in the file, known if the text is not JSON.
    public let position: SourcePosition?
    /// The member, `sheetAnswers[1]`; nil when the error concerns the whole file.
    public let member: String?
    /// What is wrong, in a clause that names neither file nor member.
    public let reason: String
    /// How to correct it, in one sentence.
    public let hint: String

    /// The file, position, member, reason and hint.
    public var description: String {
        let location = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(location): error: \(member.map { "\($0): " } ?? "")\(reason). \(hint)"
    }
}
