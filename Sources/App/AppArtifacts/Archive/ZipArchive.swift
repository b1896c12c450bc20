import AppConfiguration

/// A zip archive such as an `.ipa`.
///
/// Its entries are read without extracting anything to disk.
///
/// The layout is that of PKWARE's APPNOTE 6.3: entries, each with a local header; a central directory; an end record.
final class ZipArchive {
    /// The entries in the order of the directory.
    let entries: [ZipEntry]
    private let source: any RandomAccessBytes
    private let numbers: [[UInt8]: Int]

    /// Reads the directory of an archive.
    ///
    /// - Parameter source: the archive.
    /// - Returns: the archive with its entries. Their content is read on demand.
    /// - Throws: an error when the source is not a zip archive, is damaged, split or encrypted, has too many entries,
    ///   names an entry twice or by a path outside the archive, or has overlapping entries.
    static func open(_ source: any RandomAccessBytes) throws(ConfigurationReadError) -> ZipArchive {
        try ZipArchive(source)
    }

    private init(_ source: any RandomAccessBytes) throws(ConfigurationReadError) {
        self.source = source
        let end = try ZipEndRecord.find(in: source)
        var directory = ZipDirectoryReader(source: source, end: end)
        entries = try directory.entries()
        numbers = directory.numbers
    }

    /// The path of the archive as the caller gave it.
    var path: String { source.path }

    /// Returns the path of an entry for messages: the path of the archive and that of the entry, joined by `/`.
    ///
    /// - Parameter entry: one of the entries.
    func path(of entry: ZipEntry) -> String { "\(path)/\(entry.path)" }

    /// Returns the entry at a path.
    ///
    /// - Parameter path: the path, compared byte for byte, without a slash at the end.
    /// - Returns: nil when there is none. A folder may lack an entry although it contains others.
    func entry(_ path: String) -> ZipEntry? {
        numbers[Array(path.utf8)].map { entries[$0] }
    }

    /// Reads the complete content of an entry.
    ///
    /// - Parameters:
    ///   - entry: one of the entries.
    ///   - limit: the maximum number of bytes.
    /// - Returns: as many bytes as the entry declares. Their checksum was verified.
    /// - Throws: an error with the entry's path when the entry is larger than the limit, has another size than it
    ///   declares, or is damaged.
    func read(_ entry: ZipEntry, limit: Int) throws(ConfigurationReadError) -> [UInt8] {
        let packed = try packed(entry, limit: limit)
        var content: [UInt8] = []
        if entry.method == .stored {
            content = try packed.bytes(at: 0, count: packed.count)
        } else {
            let stream = try InflateStream(packed)
            while content.count <= entry.size {
                // One byte more than declared distinguishes an entry that is larger from one that ends.
                let piece = try stream.next(maximum: min(entry.size - content.count + 1, InflateStream.pieceSize))
                guard !piece.isEmpty else { break }
                content += piece
            }
        }
        guard content.count == entry.size else { throw packed.fault(Self.otherSize) }
        guard Checksum(content).value == entry.checksum else { throw packed.fault(Self.otherChecksum) }
        return content
    }

    /// Opens an entry of any size to read pieces of it, preferably in ascending order.
    ///
    /// The checksum of a deflated entry is verified only if the entry is read to its end.
    ///
    /// - Parameters:
    ///   - entry: one of the entries.
    ///   - limit: the maximum decompressed size in bytes. Decompressing 2 GiB takes some seconds.
    /// - Returns: the content, of which only a small window is held in memory.
    /// - Throws: an error with the entry's path when the entry is larger than the limit, or its header is damaged.
    func stream(
        _ entry: ZipEntry,
        limit: Int = 2 << 30
    ) throws(ConfigurationReadError) -> any RandomAccessBytes {
        let packed = try packed(entry, limit: limit)
        return entry.method == .stored ? packed : InflatedBytes(packed, size: entry.size, checksum: entry.checksum)
    }

    static let otherSize = "it unpacks to another size than the archive declares"
    static let otherChecksum = "its checksum is wrong"

    /// Returns the compressed bytes of an entry, after comparing its local header with the directory.
    private func packed(_ entry: ZipEntry, limit: Int) throws(ConfigurationReadError) -> ByteSection {
        let path = path(of: entry)
        func fault(_ reason: String) -> ConfigurationReadError {
            ConfigurationReadError(cause: .notArtifact, file: path, reason: reason)
        }
        guard entry.size <= limit else { throw fault("it is larger than the limit of \(limit) bytes") }
        guard [.stored, .deflate].contains(entry.method) else {
            throw fault("it is packed by method \(entry.method.rawValue); only stored and deflated entries are read")
        }
        guard source.holds(ZipLocalHeader.size, at: entry.localHeader) else { throw fault("its header is cut off") }
        let header = ZipLocalHeader(try source.bytes(at: entry.localHeader, count: ZipLocalHeader.size))
        let nameOffset = entry.localHeader + ZipLocalHeader.size
        guard header.hasSignature, source.holds(header.nameLength + header.extraLength, at: nameOffset) else {
            throw fault("its header is damaged or cut off")
        }
        let extra = try source.bytes(at: nameOffset + header.nameLength, count: header.extraLength)
        let name = try source.bytes(at: nameOffset, count: header.nameLength)
        guard try name == source.bytes(at: entry.nameOffset, count: entry.nameLength),
            header.agrees(with: entry, extra: extra)
        else { throw fault("its header and the directory of the archive disagree") }
        let start = nameOffset + header.nameLength + header.extraLength
        guard start <= entry.end, entry.compressedSize <= entry.end - start else {
            throw fault("it overlaps with what follows it in the archive")
        }
        return try ByteSection(of: source, at: start, count: entry.compressedSize, path: path)
    }
}
