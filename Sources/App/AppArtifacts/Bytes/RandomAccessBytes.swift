package import AppConfiguration

/// Bytes of known count that are read piece by piece: a file, a part of one, or memory.
///
/// App archives have gigabytes, so no reader of this target asks for a whole file.
package protocol RandomAccessBytes: AnyObject {
    /// The path of the file as the caller gave it, for messages.
    var path: String { get }
    /// The number of bytes.
    var count: Int { get }

    /// Gives a piece of the bytes.
    ///
    /// - Parameters:
    ///   - offset: where the piece begins.
    ///   - count: its number of bytes.
    /// - Returns: exactly that many bytes.
    /// - Throws: an error that names the file when the piece does not lie within the bytes, or cannot be read.
    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8]
}

extension RandomAccessBytes {
    /// An error about the content of these bytes.
    ///
    /// - Parameter reason: what is wrong, in a clause that names neither file nor place.
    func fault(_ reason: String) -> ConfigurationReadError {
        ConfigurationReadError(cause: .notArtifact, file: path, reason: reason)
    }

    /// True when a piece lies within the bytes; no sum is formed that could overflow.
    func holds(_ count: Int, at offset: Int) -> Bool {
        offset >= 0 && count >= 0 && offset <= self.count && count <= self.count - offset
    }
}

/// Bytes in memory.
package final class MemoryBytes: RandomAccessBytes {
    package let path: String
    private let content: [UInt8]

    /// Bytes with a name.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - path: their name in messages.
    package init(_ content: [UInt8], path: String) {
        self.content = content
        self.path = path
    }

    package var count: Int { content.count }

    package func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        return Array(content[offset..<offset + count])
    }
}

/// A part of other bytes, under a name of its own.
package final class ByteSection: RandomAccessBytes {
    package let path: String
    package let count: Int
    private let source: any RandomAccessBytes
    private let start: Int

    /// A part of other bytes.
    ///
    /// - Parameters:
    ///   - source: the bytes it is a part of.
    ///   - start: where it begins there.
    ///   - count: its number of bytes.
    ///   - path: its name in messages.
    /// - Throws: an error when the part does not lie within the source.
    package init(
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

    package func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        return try source.bytes(at: start + offset, count: count)
    }
}
