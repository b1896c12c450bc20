/// The local header of an entry, which precedes its data.
struct ZipLocalHeader {
    static let size = 30
    private let fields: ByteFields

    init(_ bytes: [UInt8]) {
        fields = ByteFields(bytes, .little)
    }

    var hasSignature: Bool { fields.word(0) == 0x0403_4B50 }
    var nameLength: Int { fields.half(26) }
    var extraLength: Int { fields.half(28) }

    /// True when the header agrees with the directory.
    ///
    /// If bit 3 of the flags is set, sizes and checksum follow the data and may be zero here.
    func agrees(with entry: ZipEntry, extra: [UInt8]) -> Bool {
        let flags = fields.half(6)
        guard flags & ZipFlag.encrypted == 0, fields.half(8) == entry.method.rawValue else { return false }
        let follows = flags & ZipFlag.descriptorFollows != 0
        guard fields.word(14) == entry.checksum || follows && fields.word(14) == 0,
            let sizes = ZipLongSizes(size: fields.word(22), compressedSize: fields.word(18), extra: extra)
        else { return false }
        return (sizes.size == entry.size || follows && sizes.size == 0)
            && (sizes.compressedSize == entry.compressedSize || follows && sizes.compressedSize == 0)
    }
}

/// The flag bits of an entry.
enum ZipFlag {
    static let descriptorFollows = 1 << 3
    /// Encryption, strong encryption, or an encrypted directory.
    static let encrypted = 1 << 0 | 1 << 6 | 1 << 13
}

/// The sizes and offset of an entry.
///
/// They are stored in an extra field if they exceed 32 bits (APPNOTE 4.5.3).
struct ZipLongSizes {
    var size: Int
    var compressedSize: Int
    var offset = 0

    /// Uses each 32-bit number, or the 64-bit number of the extra field that replaces it.
    ///
    /// - Returns: nil when the extra fields are damaged, or lack a required number.
    init?(size: UInt32, compressedSize: UInt32, offset: UInt32? = nil, extra: [UInt8]) {
        self.size = Int(size)
        self.compressedSize = Int(compressedSize)
        self.offset = Int(offset ?? 0)
        guard [size, compressedSize, offset ?? 0].contains(.max) else { return }
        guard let long = Self.field(in: extra) else { return nil }
        let fields = ByteFields(long, .little)
        var next = 0
        for (number, path) in [
            (size, \Self.size), (compressedSize, \Self.compressedSize), (offset ?? 0, \Self.offset),
        ] where number == .max {
            guard next + 8 <= long.count, let value = fields.long(next) else { return nil }
            self[keyPath: path] = value
            next += 8
        }
    }

    private static func field(in extra: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = extra[...]
        while rest.count >= 4 {
            let head = ByteFields(rest.prefix(4), .little)
            rest = rest.dropFirst(4)
            guard head.half(2) <= rest.count else { return nil }
            if head.half(0) == 0x0001 { return rest.prefix(head.half(2)) }
            rest = rest.dropFirst(head.half(2))
        }
        return nil
    }
}
