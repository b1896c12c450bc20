/// The order of the bytes of a number.
enum ByteOrder {
    /// The low byte first.
    case little
    /// The high byte first.
    case big
}

/// The fixed fields of one record, whose bytes were read as a whole before.
struct ByteFields {
    let bytes: ArraySlice<UInt8>
    let order: ByteOrder

    init(_ bytes: some Collection<UInt8>, _ order: ByteOrder) {
        self.bytes = ArraySlice(bytes)
        self.order = order
    }

    /// The number of two bytes at an offset of the record's layout.
    func half(_ offset: Int) -> Int { Int(unsigned(offset, size: 2)) }

    /// The number of four bytes at an offset of the record's layout.
    func word(_ offset: Int) -> UInt32 { UInt32(unsigned(offset, size: 4)) }

    /// The number of four bytes, as a count or offset.
    func length(_ offset: Int) -> Int { Int(word(offset)) }

    /// The number of eight bytes, as a count or offset; nil when it is larger than any file.
    func long(_ offset: Int) -> Int? { Int(exactly: unsigned(offset, size: 8)) }

    private func unsigned(_ offset: Int, size: Int) -> UInt64 {
        let start = bytes.startIndex + offset
        let field = bytes[start..<start + size]
        return switch order {
        case .little: field.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        case .big: field.reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
