/// Builds executables with the parts that a reader of code signatures needs.
struct MachOWriter {
    /// A blob of the code signature.
    struct Blob {
        var slot: Int
        var magic = 0
        var content: [UInt8] = []
        /// The declared length, if it differs from the actual one.
        var length: Int?
        /// The offset in the index, if it differs from the actual one.
        var offset: Int?

        /// Entitlements in XML.
        static func xml(_ members: String) -> Blob {
            let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(members)</dict></plist>"
            return Blob(slot: 5, magic: 0xFADE_7171, content: Array(text.utf8))
        }

        /// Entitlements in DER: pairs of a key and an encoded value.
        static func der(_ pairs: [(String, [UInt8])]) -> Blob {
            let members = pairs.flatMap { ASN1Writer.sequence(ASN1Writer.string($0), $1) }
            let root = ASN1Writer.value(0x70, ASN1Writer.integer(1) + ASN1Writer.value(0xB0, members))
            return Blob(slot: 7, magic: 0xFADE_7172, content: root)
        }

        /// A blob that the reader ignores, such as the code directory.
        static func other(_ slot: Int, count: Int) -> Blob {
            Blob(slot: slot, magic: 0xFADE_0C02, content: [UInt8](repeating: 0xAB, count: count))
        }
    }

    var processor = 0x0100_000C
    var subtype = 0
    var is64 = true
    var isBigEndian = false
    /// Load commands in front of the one for the signature.
    var commands: [[UInt8]] = []
    /// The code, before the signature.
    var code = [UInt8](repeating: 0xC0, count: 256)
    /// Nil for unsigned code.
    var blobs: [Blob]?

    init(_ blobs: [Blob]?) {
        self.blobs = blobs
    }

    /// A modified copy, for cases in a table.
    func with(_ change: (inout MachOWriter) -> Void) -> MachOWriter {
        var copy = self
        change(&copy)
        return copy
    }

    /// The executable of this one architecture.
    func bytes() -> [UInt8] {
        let signature = blobs.map(Self.signature)
        let headerSize = is64 ? 32 : 28
        let size = commands.reduce(0) { $0 + $1.count } + (signature == nil ? 0 : 16)
        var all = commands.flatMap(\.self)
        if let signature {
            let start = headerSize + size + code.count
            all += number(0x1D) + number(16) + number(start) + number(signature.count)
        }
        var file = number(is64 ? 0xFEED_FACF : 0xFEED_FACE) + number(processor) + number(subtype) + number(2)
        file += number(commands.count + (signature == nil ? 0 : 1)) + number(size) + number(0)
        file += is64 ? number(0) : []
        return file + all + code + (signature ?? [])
    }

    /// A fat executable.
    ///
    /// - Parameters:
    ///   - parts: one architecture each.
    ///   - isLong: true for 64-bit offsets.
    ///   - isLittle: true for little-endian, which no tool writes but the reader of the header accepts.
    static func fat(_ parts: [MachOWriter], isLong: Bool = false, isLittle: Bool = false) -> [UInt8] {
        let number = isLittle ? little : big
        var file = number(isLong ? 0xCAFE_BABF : 0xCAFE_BABE, 4) + number(parts.count, 4)
        var offset = file.count + parts.count * (isLong ? 32 : 20)
        for part in parts {
            let size = part.bytes().count
            file += number(part.processor, 4) + number(part.subtype, 4)
            file += number(offset, isLong ? 8 : 4) + number(size, isLong ? 8 : 4) + number(0, isLong ? 8 : 4)
            offset += size
        }
        return file + parts.flatMap { $0.bytes() }
    }

    /// A code signature of blobs.
    static func signature(_ blobs: [Blob]) -> [UInt8] {
        var index: [UInt8] = []
        var content: [UInt8] = []
        let start = 12 + blobs.count * 8
        for blob in blobs {
            index += big(blob.slot, 4) + big(blob.offset ?? start + content.count, 4)
            content += big(blob.magic, 4) + big(blob.length ?? blob.content.count + 8, 4) + blob.content
        }
        return big(0xFADE_0CC0, 4) + big(start + content.count, 4) + big(blobs.count, 4) + index + content
    }

    private func number(_ value: Int) -> [UInt8] {
        isBigEndian ? big(value, 4) : little(value, 4)
    }
}
