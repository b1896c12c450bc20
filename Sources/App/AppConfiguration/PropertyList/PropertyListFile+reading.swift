import ExternalPurchaseCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The limits of a property list, so that a hostile file cannot exhaust memory or stack.
enum PropertyListLimit {
    static let bytes = 16 * 1024 * 1024
    static let depth = 128
    static let values = 50_000
    /// The largest size of a key in bytes of UTF-8.
    static let keyBytes = 512

    /// Why a key cannot be used; nil if it can.
    static func refusal(ofKey key: String) -> String? {
        key.utf8.count > keyBytes ? "a key has more than \(keyBytes) bytes: \"\(key.clipped())\"" : nil
    }
}

extension PropertyListFile {
    /// Reads a property list of at most 16 MiB.
    ///
    /// - Parameter path: the file, XML or binary.
    /// - Returns: the values with their positions.
    /// - Throws: where and why the file cannot be read.
    public static func read(path: String) throws(ConfigurationReadError) -> PropertyListFile {
        if let reason = NamedFile.refusal(path: path) {
            throw ConfigurationReadError(cause: .unreadable, file: path, reason: reason)
        }
        guard let stream = fopen(path, "rb") else {
            let code = errno
            throw ConfigurationReadError(
                cause: code == ENOENT || code == ENOTDIR ? .missing : .unreadable,
                file: path,
                reason: String(cString: strerror(code))
            )
        }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        // One byte more than the limit is sufficient for the parser to refuse the file.
        while bytes.count <= PropertyListLimit.bytes {
            let count = fread(&chunk, 1, chunk.count, stream)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard ferror(stream) == 0 else {
            throw ConfigurationReadError(cause: .unreadable, file: path, reason: String(cString: strerror(errno)))
        }
        return try parse(bytes, path: path)
    }

    /// Parses a property list of at most 16 MiB.
    ///
    /// OpenStep and JSON texts are refused, and so is an XML document type that declares entities.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file, XML or binary.
    ///   - path: the name of the file in messages.
    /// - Returns: the values with their positions.
    /// - Throws: where and why the bytes are not a property list.
    public static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationReadError) -> PropertyListFile {
        do throws(PropertyListFault) {
            guard bytes.count <= PropertyListLimit.bytes else {
                throw PropertyListFault(.tooLarge, "it has more than \(PropertyListLimit.bytes / 1_048_576) MiB")
            }
            if bytes.starts(with: "bplist".utf8) {
                var reader = BinaryPropertyListReader(bytes)
                return PropertyListFile(path: path, format: .binary, root: try reader.root())
            }
            var reader = XMLPropertyListReader(try PropertyListText.utf8(bytes))
            return PropertyListFile(path: path, format: .xml, root: try reader.root())
        } catch {
            throw ConfigurationReadError(
                cause: error.cause,
                file: path,
                position: error.position,
                reason: error.reason
            )
        }
    }
}

/// An error of the reader for one format.
struct PropertyListFault: Error {
    let cause: ConfigurationReadError.Cause
    let position: SourcePosition?
    let reason: String

    init(
        _ cause: ConfigurationReadError.Cause = .notPropertyList,
        _ reason: String,
        at position: SourcePosition? = nil
    ) {
        self.cause = cause
        self.position = position
        self.reason = reason
    }
}

extension PropertyListValue {
    /// The name of the type with its article, such as `an array`.
    public var typeNameWithArticle: String {
        switch self {
        case .integer, .array: "an \(typeName)"
        default: "a \(typeName)"
        }
    }
}
