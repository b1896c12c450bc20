/// A property list with the position of every entry.
public struct PropertyListFile: Hashable, Sendable {
    /// The format of the file.
    public enum Format: String, Hashable, Sendable {
        /// XML, with lines and columns.
        case xml
        /// Apple's binary format, without lines.
        case binary
        /// Members of a JSON file, such as Expo's `app.json`, with lines and columns.
        case json
        /// Members of a YAML file, such as XcodeGen's `project.yml`, with lines and columns.
        case yaml
        /// Build settings of an Xcode project, with lines and columns.
        case buildSettings
    }

    /// The path as the caller gave it, for messages.
    public let path: String
    /// The format of the file.
    public let format: Format
    /// The root value.
    public let root: PropertyListNode

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: the path as the caller gave it, for messages.
    ///   - format: the format of the file.
    ///   - root: the root value.
    public init(path: String, format: Format, root: PropertyListNode) {
        self.path = path
        self.format = format
        self.root = root
    }
}

/// A position in a text file.
public struct SourcePosition: Hashable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - line: the line, from 1.
    ///   - column: the column in characters, from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A value of a property list with its position.
///
/// In binary files there is no position.
public struct PropertyListNode: Hashable, Sendable {
    /// The value.
    public let value: PropertyListValue
    /// The position of the value's tag.
    public let position: SourcePosition?

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - position: the position of the value's tag.
    public init(_ value: PropertyListValue, at position: SourcePosition? = nil) {
        self.value = value
        self.position = position
    }
}

/// The value of a node in a property list.
public indirect enum PropertyListValue: Hashable, Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// A date in seconds since 1970.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// An array.
    case array([PropertyListNode])
    /// A dictionary in the order of the file, including repeated keys.
    case dictionary([PropertyListMember])

    /// The name of the type in messages, such as `string` or `Boolean`.
    public var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .bool: "Boolean"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}

/// A key of a dictionary with its value.
public struct PropertyListMember: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The position of the key's tag.
    public let keyPosition: SourcePosition?
    /// The value.
    public let node: PropertyListNode

    /// Creates a member.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - keyPosition: the position of the key's tag.
    ///   - node: the value.
    public init(key: String, keyPosition: SourcePosition? = nil, node: PropertyListNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.node = node
    }
}
