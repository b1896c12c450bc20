import ExternalPurchaseCore

/// Reads Apple's binary property lists, and checks every offset, count and reference against the file.
///
/// The layout is `bplist00`, the objects, a table of their offsets, and a trailer of 32 bytes.
struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private var offsets: [Int] = []
    private var referenceSize = 0
    private var values = 1
    // Limits the total size, because overlapping objects could otherwise contain the same bytes half a million times.
    private var room: Int
    // Objects may be shared. Without this cache a file could repeat one long string half a million times.
    private var leaves: [Int: PropertyListValue] = [:]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        room = bytes.count
    }

    mutating func root() throws(PropertyListFault) -> PropertyListNode {
        guard bytes.starts(with: "bplist0".utf8) else { throw fault("its binary version is not supported") }
        guard bytes.count >= 8 + 32 else { throw fault("it is cut off before its trailer") }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw fault("its trailer is damaged or cut off")
        }
        let count = try number(at: trailer + 8, size: 8)
        let top = try number(at: trailer + 16, size: 8)
        let table = try number(at: trailer + 24, size: 8)
        guard table >= 8, table <= trailer, count >= 1, count <= (trailer - table) / offsetSize, top < count else {
            throw fault("its table of objects is damaged or cut off")
        }
        offsets.reserveCapacity(count)
        for object in 0..<count {
            let offset = try number(at: table + object * offsetSize, size: offsetSize)
            guard offset >= 8, offset < table else { throw fault("object \(object) is outside the file") }
            offsets.append(offset)
        }
        return try node(top, depth: 1)
    }

    private mutating func node(_ object: Int, depth: Int) throws(PropertyListFault) -> PropertyListNode {
        guard depth <= PropertyListLimit.depth else {
            throw PropertyListFault(.tooLarge, "it nests deeper than \(PropertyListLimit.depth) levels")
        }
        if let leaf = leaves[object] { return PropertyListNode(leaf) }
        let offset = offsets[object]
        let marker = bytes[offset]
        switch marker >> 4 {
        case 0xA:
            let (count, start) = try count(at: offset)
            var elements: [PropertyListNode] = []
            for element in try references(count, at: start) {
                elements.append(try node(element, depth: depth + 1))
            }
            return PropertyListNode(.array(elements))
        case 0xD:
            let (count, start) = try count(at: offset)
            let keys = try references(count, at: start)
            let nodes = try references(count, at: start + count * referenceSize)
            var members: [PropertyListMember] = []
            for (key, value) in zip(keys, nodes) {
                guard case .string(let name) = try node(key, depth: depth + 1).value else {
                    throw fault("a dictionary has a key that is not a string")
                }
                if let reason = PropertyListLimit.refusal(ofKey: name) { throw PropertyListFault(.tooLarge, reason) }
                members.append(PropertyListMember(key: name, node: try node(value, depth: depth + 1)))
            }
            return PropertyListNode(.dictionary(members))
        default:
            let leaf = try leaf(marker, at: offset)
            leaves[object] = leaf
            return PropertyListNode(leaf)
        }
    }

    private mutating func leaf(_ marker: UInt8, at offset: Int) throws(PropertyListFault) -> PropertyListValue {
        switch (marker >> 4, marker & 0x0F) {
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, 0...3): return .integer(try integer(at: offset + 1, size: 1 << Int(marker & 0x0F)))
        case (0x1, 4):
            // Apple's writer uses 16 bytes for unsigned 64-bit integers.
            let high = try integer(at: offset + 1, size: 8)
            let low = UInt64(bitPattern: try integer(at: offset + 9, size: 8))
            return high == 0 && low > UInt64(Int64.max) ? .real(Double(low)) : .integer(Int64(bitPattern: low))
        case (0x2, 2): return .real(Double(Float(bitPattern: UInt32(try unsigned(at: offset + 1, size: 4)))))
        case (0x2, 3): return .real(Double(bitPattern: try unsigned(at: offset + 1, size: 8)))
        case (0x3, 3):
            // Binary dates count from 2001.
            return .date(Double(bitPattern: try unsigned(at: offset + 1, size: 8)) + 978_307_200)
        case (0x4, _):
            let (count, start) = try count(at: offset)
            return .data(Array(try content(at: start, count: count)))
        case (0x5, _), (0x7, _):
            let (count, start) = try count(at: offset)
            guard let text = String(wellFormed: try content(at: start, count: count)) else {
                throw fault("a string is damaged")
            }
            return try string(text)
        case (0x6, _):
            let (count, start) = try count(at: offset)
            guard count <= bytes.count / 2 else { throw fault("a string runs over the end of the file") }
            let raw = Array(try content(at: start, count: count * 2))
            let units = (0..<count).map { UInt16(raw[$0 * 2]) << 8 | UInt16(raw[$0 * 2 + 1]) }
            guard let text = String(wellFormed: units) else { throw fault("a string is damaged") }
            return try string(text)
        case (0x8, _):
            // The XML form of a reference in a keyed archive.
            let uid = try integer(at: offset + 1, size: min(Int(marker & 0x0F) + 1, 8))
            return .dictionary([PropertyListMember(key: "CF$UID", node: PropertyListNode(.integer(uid)))])
        default: throw fault("it contains an object of the unknown kind 0x\(String(marker, radix: 16))")
        }
    }

    private func string(_ text: String) throws(PropertyListFault) -> PropertyListValue {
        guard text.isStreamSafe else { throw PropertyListFault(.tooLarge, "a string \(StreamSafeText.refusal)") }
        return .string(text)
    }

    /// Returns the count of a collection, string or data, and the offset of its content.
    private func count(at offset: Int) throws(PropertyListFault) -> (Int, Int) {
        let short = Int(bytes[offset] & 0x0F)
        guard short == 0x0F else { return (short, offset + 1) }
        guard offset + 1 < bytes.count, bytes[offset + 1] & 0xF0 == 0x10, bytes[offset + 1] & 0x0F <= 3 else {
            throw fault("a count is damaged")
        }
        let size = 1 << Int(bytes[offset + 1] & 0x0F)
        return (try number(at: offset + 2, size: size), offset + 2 + size)
    }

    /// Returns the objects of a collection.
    ///
    /// They are counted before any of them is read, because nested collections may all refer to the same bytes.
    private mutating func references(_ count: Int, at start: Int) throws(PropertyListFault) -> [Int] {
        guard start <= bytes.count, count <= (bytes.count - start) / referenceSize else {
            throw fault("a collection runs over the end of the file")
        }
        guard count <= PropertyListLimit.values - values else {
            throw PropertyListFault(.tooLarge, "it has more than \(PropertyListLimit.values) values")
        }
        values += count
        var references: [Int] = []
        references.reserveCapacity(count)
        for element in 0..<count {
            let object = try number(at: start + element * referenceSize, size: referenceSize)
            guard object < offsets.count else { throw fault("a reference points at no object") }
            references.append(object)
        }
        return references
    }

    /// Returns the bytes of a string or data, which occur once in the file.
    private mutating func content(at start: Int, count: Int) throws(PropertyListFault) -> ArraySlice<UInt8> {
        let content = try slice(at: start, count: count)
        guard count <= room else { throw fault("its objects overlap") }
        room -= count
        return content
    }

    private func slice(at start: Int, count: Int) throws(PropertyListFault) -> ArraySlice<UInt8> {
        guard start <= bytes.count, count <= bytes.count - start else {
            throw fault("a value runs over the end of the file")
        }
        return bytes[start..<start + count]
    }

    private func unsigned(at start: Int, size: Int) throws(PropertyListFault) -> UInt64 {
        try slice(at: start, count: size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Integers of one, two and four bytes are unsigned; those of eight bytes are signed.
    private func integer(at start: Int, size: Int) throws(PropertyListFault) -> Int64 {
        Int64(bitPattern: try unsigned(at: start, size: size))
    }

    private func number(at start: Int, size: Int) throws(PropertyListFault) -> Int {
        guard let number = Int(exactly: try unsigned(at: start, size: size)) else {
            throw fault("a number in its structure is too large")
        }
        return number
    }

    private func fault(_ reason: String) -> PropertyListFault {
        PropertyListFault(.notPropertyList, reason)
    }
}
