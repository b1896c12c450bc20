import ExternalPurchaseCore

/// Writes an archive in the ustar format of POSIX.1 (pax, "ustar Interchange Format"), which every `tar` reads.
///
/// It contains no time, owner or mode of this machine, so that the same content gives the same bytes.
struct TarFile {
    /// Receives bytes of the archive, and the offset at which they belong.
    typealias Write = (_ bytes: [UInt8], _ offset: Int) throws(ArchiveFailure) -> Void

    private let write: Write
    private(set) var size = 0
    /// The offset of the header of the file that was begun.
    private var start = 0

    static let block = 512

    init(write: @escaping Write) {
        self.write = write
    }

    /// Begins a file; its header, which has the size, is written when it ends.
    mutating func begin() {
        start = size
        size += Self.block
    }

    /// Appends bytes of the file.
    mutating func put(_ bytes: [UInt8]) throws(ArchiveFailure) {
        if bytes.isEmpty { return }
        try write(bytes, size)
        size += bytes.count
    }

    /// Ends the file.
    ///
    /// - Parameter name: the path with `/` as separator, at most 100 bytes.
    mutating func end(_ name: String) throws(ArchiveFailure) {
        guard let header = Self.header(name, size: size - start - Self.block) else {
            throw ArchiveFailure(message: "\(name): no archive takes a name or a file of that length")
        }
        try write(header, start)
        let rest = size % Self.block
        if rest > 0 { try put([UInt8](repeating: 0, count: Self.block - rest)) }
    }

    /// Ends the archive with two blocks of zeros.
    mutating func finish() throws(ArchiveFailure) {
        try put([UInt8](repeating: 0, count: 2 * Self.block))
    }

    /// Returns the header block; nil if name or size do not fit.
    private static func header(_ name: String, size: Int) -> [UInt8]? {
        let bytes = Array(name.utf8)
        // The size field has eleven octal digits.
        guard !bytes.isEmpty, bytes.count <= 100, size < 1 << 33 else { return nil }
        var header = [UInt8](repeating: 0, count: block)
        func set(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        set(name, at: 0)
        set(octal(0o644, digits: 7), at: 100)
        set(octal(0, digits: 7), at: 108)
        set(octal(0, digits: 7), at: 116)
        set(octal(size, digits: 11), at: 124)
        set(octal(0, digits: 11), at: 136)
        // The checksum is computed with blanks in its own field.
        set("        ", at: 148)
        set("0", at: 156)
        set("ustar\u{0}00", at: 257)
        let sum = header.reduce(0) { $0 + Int($1) }
        set(octal(sum, digits: 6) + "\u{0} ", at: 148)
        return header
    }

    private static func octal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The error for an archive that could not be written.
package struct ArchiveFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    package let message: String

    package init(message: String) {
        self.message = message
    }

    /// The reason.
    package var description: String { message }
}
