#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes an archive in the ustar format of POSIX.1 (pax, "ustar Interchange Format"), which `tar` reads everywhere.
///
/// No time, owner or mode of this machine gets into it, so that the same content gives the same bytes.
struct TarFile {
    /// Takes the next bytes of the archive.
    typealias Write = ([UInt8]) throws(ArchiveFailure) -> Void

    private let write: Write
    private(set) var bytesWritten = 0

    static let block = 512

    init(write: @escaping Write) {
        self.write = write
    }

    /// Appends a file.
    ///
    /// - Parameters:
    ///   - name: at most 100 bytes, folders separated by `/`.
    ///   - content: the bytes.
    mutating func append(_ name: String, _ content: [UInt8]) throws(ArchiveFailure) {
        guard let header = Self.header(name, size: content.count) else {
            throw ArchiveFailure(message: "\(name): no archive takes a name or a file of that length")
        }
        try put(header)
        try put(content)
        let rest = content.count % Self.block
        if rest > 0 { try put([UInt8](repeating: 0, count: Self.block - rest)) }
    }

    /// Ends the archive: two blocks of zeros.
    mutating func finish() throws(ArchiveFailure) {
        try put([UInt8](repeating: 0, count: 2 * Self.block))
    }

    private mutating func put(_ bytes: [UInt8]) throws(ArchiveFailure) {
        if bytes.isEmpty { return }
        try write(bytes)
        bytesWritten += bytes.count
    }

    /// The header block; nil where name or size do not fit.
    private static func header(_ name: String, size: Int) -> [UInt8]? {
        let bytes = Array(name.utf8)
        // Eleven octal digits.
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
        // The checksum counts its own field as blanks.
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

/// Why an archive could not be made.
package struct ArchiveFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    package let message: String

    package init(message: String) {
        self.message = message
    }

    /// What went wrong.
    package var description: String { message }
}
