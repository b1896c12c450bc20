/// The byte order of a number.
enum ByteOrder {
    /// The least significant byte first.
    case little
    /// The most significant byte first.
    case big
}

/// The fields of a record of fixed size that was read completely.
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

    /// The 2-byte number at an offset in the record's layout.
    func half(_ offset: Int) -> Int { Int(unsigned(offset, size: 2)) }

    /// The 4-byte number at an offset in the record's layout.
    func word(_ offset: Int) -> UInt32 { UInt32(unsigned(offset, size: 4)) }

    /// The 4-byte number as a count or offset.
    func length(_ offset: Int) -> Int { Int(word(offset)) }

    /// The 8-byte number as a count or offset; nil when it exceeds any file size.
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
