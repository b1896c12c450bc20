public import AppConfiguration

/// Why a session file cannot be used.
public struct SessionFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of causes.
    public enum Cause: Hashable, Sendable {
        /// There is no file at the path, or the system refuses to read it.
        case unreadable
        /// The content is not one JSON object.
        case notJSON
        /// A member that session files do not have.
        case unknownMember
        /// A member that stands twice.
        case repeatedMember
        /// A member with a value of another JSON type.
        case wrongType
        /// A value that the member cannot have.
        case unknownValue
        /// Two members that exclude each other.
        case contradiction
        /// A property list that the file names cannot be read.
        case configuration(ConfigurationReadError)
    }

    /// The kind of cause.
    public let cause: Cause
    /// The path of the session file as the caller gave it.
    public let file: String
    /// The place in the file, known where the text is not JSON.
    public let position: SourcePosition?
    /// The member, `sheetAnswers[1]`; nil where the whole file is meant.
    public let member: String?
    /// What is wrong, in a clause that names neither file nor member.
    public let reason: String
    /// What would be right, in a sentence.
    public let hint: String

    /// File, place, member, clause and remedy.
    public var description: String {
        let location = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(location): error: \(member.map { "\($0): " } ?? "")\(reason). \(hint)"
    }
}
