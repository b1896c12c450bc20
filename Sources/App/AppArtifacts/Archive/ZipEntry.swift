/// A file or folder in a zip archive, as the archive's directory has it.
package struct ZipEntry: Hashable, Sendable {
    /// The path inside the archive: components joined by `/`, none of them empty, `.` or `..`, no slash at the end.
    package let path: String
    /// The number of bytes it declares to unpack to.
    package let size: Int
    /// The number of bytes it takes in the archive.
    package let compressedSize: Int
    /// How it is packed.
    package let method: ZipMethod
    /// True for a folder.
    package let isFolder: Bool
    /// True for a symbolic link, whose content is the path it leads to.
    package let isSymbolicLink: Bool

    let checksum: UInt32
    let localHeader: Int
    /// Where the next entry or the directory begins, which this entry's data may not reach into.
    var end: Int
    /// Where the directory has the entry's name, and its number of bytes.
    let nameOffset: Int
    let nameLength: Int
}

/// How an entry of a zip archive is packed.
package struct ZipMethod: RawRepresentable, Hashable, Sendable {
    /// The number in the archive.
    package let rawValue: Int

    /// A method of a number.
    ///
    /// - Parameter rawValue: the number in the archive.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// As it is.
    package static let stored = ZipMethod(rawValue: 0)
    /// Deflate, RFC 1951.
    package static let deflate = ZipMethod(rawValue: 8)
}
