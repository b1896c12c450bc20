import CZlib

/// Builds valid zip archives and, with its switches, invalid ones.
struct ZipWriter {
    /// An entry and its deviations.
    struct Entry {
        var name: [UInt8]
        var content: [UInt8]
        var deflates = true
        /// The file type and permissions of Unix.
        var mode: UInt32 = 0o100644
        /// Writes sizes and checksum after the data instead of in the local header.
        var usesDescriptor = false
        /// Writes sizes and offset in the extra field of ZIP64 although they fit in 32 bits.
        var usesLongSizes = false
        var flags: UInt16 = 0
        var method: UInt16?
        var declaredSize: Int?
        var checksum: UInt32?
        var localName: [UInt8]?
        /// The offset of another local header in the directory.
        var localHeader: Int?

        init(_ name: String, _ content: some Sequence<UInt8>, deflates: Bool = true) {
            self.name = Array(name.utf8)
            self.content = Array(content)
            self.deflates = deflates
        }

        /// A modified copy, for cases in a table.
        func with(_ change: (inout Entry) -> Void) -> Entry {
            var copy = self
            change(&copy)
            return copy
        }
    }

    var entries: [Entry] = []
    var comment: [UInt8] = []
    /// Writes the end record of ZIP64 although the short one would be sufficient.
    var usesLongEnd = false

    init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The archive.
    func bytes() -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let packed = entry.deflates ? Self.deflated(entry.content) : entry.content
            let size = entry.declaredSize ?? entry.content.count
            let checksum = entry.checksum ?? Self.checksum(entry.content)
            let method = entry.method ?? (entry.deflates ? 8 : 0)
            let flags = entry.flags | (entry.usesDescriptor ? 8 : 0)
            let offset = entry.localHeader ?? archive.count
            let name = entry.localName ?? entry.name
            let localExtra: [UInt8] =
                entry.usesLongSizes && !entry.usesDescriptor
                ? little(1, 2) + little(16, 2) + little(size, 8) + little(packed.count, 8) : []
            archive += little(0x0403_4B50, 4) + little(entry.usesLongSizes ? 45 : 20, 2)
            archive += little(Int(flags), 2) + little(Int(method), 2) + little(0, 4)
            if entry.usesDescriptor {
                archive += little(0, 4) + little(0, 8)
            } else {
                archive += little(Int(checksum), 4)
                archive += entry.usesLongSizes ? little(0xFFFF_FFFF, 4) : little(packed.count, 4)
                archive += entry.usesLongSizes ? little(0xFFFF_FFFF, 4) : little(size, 4)
            }
            archive += little(name.count, 2) + little(localExtra.count, 2) + name + localExtra + packed
            if entry.usesDescriptor {
                let width = entry.usesLongSizes ? 8 : 4
                archive += little(0x0807_4B50, 4) + little(Int(checksum), 4)
                archive += little(packed.count, width) + little(size, width)
            }
            let extra: [UInt8] =
                entry.usesLongSizes
                ? little(1, 2) + little(24, 2) + little(size, 8) + little(packed.count, 8) + little(offset, 8) : []
            directory += little(0x0201_4B50, 4) + little(3 << 8 | 20, 2) + little(entry.usesLongSizes ? 45 : 20, 2)
            directory += little(Int(flags), 2) + little(Int(method), 2) + little(0, 4) + little(Int(checksum), 4)
            directory += entry.usesLongSizes ? little(0xFFFF_FFFF, 4) : little(packed.count, 4)
            directory += entry.usesLongSizes ? little(0xFFFF_FFFF, 4) : little(size, 4)
            directory += little(entry.name.count, 2) + little(extra.count, 2) + little(0, 6)
            directory += little(Int(entry.mode) << 16, 4)
            directory += entry.usesLongSizes ? little(0xFFFF_FFFF, 4) : little(offset, 4)
            directory += entry.name + extra
        }
        let start = archive.count
        archive += directory
        if usesLongEnd {
            let record = archive.count
            archive += little(0x0606_4B50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
            archive += little(entries.count, 8) + little(entries.count, 8)
            archive += little(directory.count, 8) + little(start, 8)
            archive += little(0x0706_4B50, 4) + little(0, 4) + little(record, 8) + little(1, 4)
        }
        archive += little(0x0605_4B50, 4) + little(0, 4)
        archive += usesLongEnd ? little(0xFFFF_FFFF, 4) : little(entries.count, 2) + little(entries.count, 2)
        archive += usesLongEnd ? little(0xFFFF_FFFF, 4) : little(directory.count, 4)
        archive += usesLongEnd ? little(0xFFFF_FFFF, 4) : little(start, 4)
        return archive + little(comment.count, 2) + comment
    }

    /// Raw deflate (RFC 1951) by the system's zlib.
    static func deflated(_ content: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let version = ZLIB_VERSION
        precondition(
            deflateInit2_(
                &stream,
                9,
                Z_DEFLATED,
                -15,
                8,
                Z_DEFAULT_STRATEGY,
                version,
                Int32(MemoryLayout<z_stream>.size)
            ) == Z_OK
        )
        defer { deflateEnd(&stream) }
        var input = content
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(content.count))))
        let filled = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return target.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<filled])
    }

    /// CRC-32 from its definition in APPNOTE 4.4.7, not from zlib.
    static func checksum(_ content: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in content { value = value >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
        return ~value
    }

    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }
}

/// A number as at most eight bytes in little-endian order.
func little(_ number: Int, _ size: Int) -> [UInt8] {
    withUnsafeBytes(of: Int64(number).littleEndian) { Array($0.prefix(size)) }
}

/// A number as at most eight bytes in big-endian order.
func big(_ number: Int, _ size: Int) -> [UInt8] {
    little(number, size).reversed()
}
