package import AppConfiguration

/// A sequence of bytes of known length that is read in pieces: a file, a part of one, or memory.
///
/// App archives can have gigabytes, so no reader in this target reads a complete file.
package protocol RandomAccessBytes: AnyObject {
    /// The path of the file as the caller gave it, for messages.
    var path: String { get }
    /// The number of bytes.
    var count: Int { get }

    /// Reads a piece of the bytes.
    ///
    /// - Parameters:
    ///   - offset: the offset of the piece.
    ///   - count: the length of the piece.
    /// - Returns: exactly that many bytes.
    /// - Throws: an error with the path when the piece is not within the bytes, or cannot be read.
    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8]
}

extension RandomAccessBytes {
    /// Creates an error about the content of these bytes.
    ///
    /// - Parameter reason: what is wrong, in a clause that names neither file nor position.
    func fault(_ reason: String) -> ConfigurationReadError {
        ConfigurationReadError(cause: .notArtifact, file: path, reason: reason)
    }

    /// True when a piece is within the bytes.
    ///
    /// The check computes no sum that could overflow.
    func holds(_ count: Int, at offset: Int) -> Bool {
        offset >= 0 && count >= 0 && offset <= self.count && count <= self.count - offset
    }
}

/// Bytes in memory.
final class MemoryBytes: RandomAccessBytes {
    let path: String
    private let content: [UInt8]

    /// Creates bytes with a name.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - path: the name in messages.
    init(_ content: [UInt8], path: String) {
        self.content = content
        self.path = path
    }

    var count: Int { content.count }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        return Array(content[offset..<offset + count])
    }
}

/// A part of other bytes, with its own name.
final class ByteSection: RandomAccessBytes {
    let path: String
    let count: Int
    private let source: any RandomAccessBytes
    private let start: Int

    /// Creates a part of other bytes.
    ///
    /// - Parameters:
    ///   - source: the other bytes.
    ///   - start: the offset of the part.
    ///   - count: the length of the part.
    ///   - path: the name in messages.
    /// - Throws: an error when the part is not within the source.
    init(
        of source: any RandomAccessBytes,
        at start: Int,
        count: Int,
        path: String
    ) throws(ConfigurationReadError) {
        self.source = source
        self.start = start
        self.count = count
        self.path = path
        guard source.holds(count, at: start) else { throw fault("it is cut off") }
    }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        return try source.bytes(at: start + offset, count: count)
    }
}
