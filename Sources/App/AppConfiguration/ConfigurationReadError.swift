public import ExternalPurchaseCore

/// Why a property list, an artifact or another tool's description of an app could not be read.
public struct ConfigurationReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault stopped the reading.
    public enum Cause: String, Hashable, Sendable {
        /// There is no file at the path.
        case missing
        /// The file cannot be opened or read.
        case unreadable
        /// The size of the file, its nesting or the number of its values exceeds the limit.
        case tooLarge
        /// The content is neither an XML nor a binary property list; lint rule `plist-unreadable`.
        case notPropertyList
        /// An archive, bundle, provisioning profile or code signature is damaged or exceeds a limit; lint rule
        /// `artifact-unreadable`.
        case notArtifact
        /// A file that describes an app for another tool, such as `app.json` or `project.yml`, is damaged or exceeds a
        /// limit; lint rule `artifact-unreadable`.
        case notDescription
        /// The root value is not a dictionary; lint rule `plist-root-not-dictionary`.
        case rootNotDictionary
    }

    /// The kind of cause.
    public let cause: Cause
    /// The path of the file as the caller gave it.
    public let file: String
    /// The position in the file, if known.
    public let position: SourcePosition?
    /// What is wrong, in a clause that names neither file nor position.
    public let reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - cause: the kind of cause.
    ///   - file: the path of the file as the caller gave it.
    ///   - position: the position in the file, if known.
    ///   - reason: what is wrong, in a clause that names neither file nor position.
    public init(cause: Cause, file: String, position: SourcePosition? = nil, reason: String) {
        self.cause = cause
        self.file = file
        self.position = position
        self.reason = reason
    }

    /// What is wrong, in one sentence that names the file.
    public var message: String {
        switch cause {
        case .missing, .unreadable, .notArtifact, .notDescription: "\(file) cannot be read: \(reason)"
        case .tooLarge, .notPropertyList: "\(file) is not a readable property list: \(reason)"
        case .rootNotDictionary: "The root of \(file) is \(reason), not a dictionary"
        }
    }

    /// How to correct it.
    public var hint: String {
        switch cause {
        case .missing: "Check the path."
        case .unreadable: "Give a file that this user may read."
        case .tooLarge: "An Info.plist has a few kilobytes; check that this is the right file."
        case .notPropertyList: "Run it through a plist editor; check for an unescaped `&`."
        case .notArtifact: "Export or build it again, and lint what is submitted."
        case .notDescription: "Correct it at this place; no other entry of the file was checked."
        case .rootNotDictionary: "Wrap the content in `<dict>`."
        }
    }

    /// The position, message and hint, in a format that editors recognise.
    public var description: String {
        let location = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(location): error: \(message). \(hint)"
    }
}

extension ConfigurationReadError: LocalizedError {
    /// The description, for code that prints `localizedDescription`.
    public var errorDescription: String? { description }
}
