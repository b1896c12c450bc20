/// A file or folder in a zip archive, as described by its directory.
struct ZipEntry: Hashable, Sendable {
    /// The path in the archive: components joined by `/`, without empty ones, `.`, `..` or a slash at the end.
    let path: String
    /// The declared decompressed size in bytes.
    let size: Int
    /// The size in the archive in bytes.
    let compressedSize: Int
    /// The compression method.
    let method: ZipMethod
    /// True for a folder.
    let isFolder: Bool
    /// True for a symbolic link.
    ///
    /// Its content is the path of its target.
    let isSymbolicLink: Bool

    let checksum: UInt32
    let localHeader: Int
    /// The offset of the next entry or the directory.
    ///
    /// The data of this entry must end before it.
    var end: Int
    /// The offset of the entry's name in the directory, and its length in bytes.
    let nameOffset: Int
    let nameLength: Int
}

/// The compression method of an entry in a zip archive.
struct ZipMethod: RawRepresentable, Hashable, Sendable {
    /// The number in the archive.
    let rawValue: Int

    /// Not compressed.
    static let stored = ZipMethod(rawValue: 0)
    /// Deflate, RFC 1951.
    static let deflate = ZipMethod(rawValue: 8)
}
