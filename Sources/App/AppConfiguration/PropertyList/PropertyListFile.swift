/// A property list as it was read, with the place of every entry.
public struct PropertyListFile: Hashable, Sendable {
    /// How the file was written.
    public enum Format: String, Hashable, Sendable {
        /// XML, which gives lines and columns.
        case xml
        /// Apple's binary format, which has no lines.
        case binary
    }

    /// The path as the caller gave it, for messages.
    public let path: String
    /// How the file was written.
    public let format: Format
    /// The root value.
    public let root: PropertyListNode

    /// A file of parts.
    ///
    /// - Parameters:
    ///   - path: the path as the caller gave it, for messages.
    ///   - format: how the file was written.
    ///   - root: the root value.
    public init(path: String, format: Format, root: PropertyListNode) {
        self.path = path
        self.format = format
        self.root = root
    }
}

/// A place in a text file.
public struct SourcePosition: Hashable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int

    /// A place.
    ///
    /// - Parameters:
    ///   - line: from 1.
    ///   - column: from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// One value of a property list and where it begins; without position in binary files.
public struct PropertyListNode: Hashable, Sendable {
    /// The value.
    public let value: PropertyListValue
    /// Where the value's tag begins.
    public let position: SourcePosition?

    /// A value at a place.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - position: where the value's tag begins.
    public init(_ value: PropertyListValue, at position: SourcePosition? = nil) {
        self.value = value
        self.position = position
    }
}

/// The value of an entry of a property list.
public indirect enum PropertyListValue: Hashable, Sendable {
    /// A string.
    case string(String)
    /// A whole number.
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
    /// A dictionary in the order of the file, repeated keys included.
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
    /// Where the key's tag begins.
    public let keyPosition: SourcePosition?
    /// The value.
    public let node: PropertyListNode

    /// A key with its value.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - keyPosition: where the key's tag begins.
    ///   - node: the value.
    public init(key: String, keyPosition: SourcePosition? = nil, node: PropertyListNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.node = node
    }
}
