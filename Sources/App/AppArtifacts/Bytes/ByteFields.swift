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

    init(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) {
        self.bytes = bytes
        self.order = order
    }

    init(_ bytes: [UInt8], _ order: ByteOrder) {
        self.init(bytes[...], order)
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
        var number: UInt64 = 0
        for place in 0..<size {
            number = number << 8 | UInt64(bytes[start + (order == .big ? place : size - 1 - place)])
        }
        return number
    }
}
