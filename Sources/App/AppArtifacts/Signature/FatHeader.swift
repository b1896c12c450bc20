import AppConfiguration

/// The header of an executable with several architectures (`mach-o/fat.h`).
struct FatHeader {
    /// The location of one architecture.
    struct Slice {
        let processor: Processor
        let offset: Int
        let size: Int
    }

    private let order: ByteOrder
    private let isLong: Bool
    private static let size = 8

    /// Recognises the magic number, read as big-endian; nil for other numbers.
    init?(magic: UInt32) {
        switch magic {
        case 0xCAFE_BABE: (order, isLong) = (.big, false)
        case 0xCAFE_BABF: (order, isLong) = (.big, true)
        case 0xBEBA_FECA: (order, isLong) = (.little, false)
        case 0xBFBA_FECA: (order, isLong) = (.little, true)
        default: return nil
        }
    }

    /// Returns the architectures in ascending order of their offsets.
    func slices(of source: any RandomAccessBytes) throws(ConfigurationReadError) -> [Slice] {
        guard source.holds(Self.size, at: 0) else { throw source.fault("its header is cut off") }
        let count = ByteFields(try source.bytes(at: 0, count: Self.size), order).length(4)
        // A Java class file begins with the same four bytes, followed by a version above 44.
        guard count <= MachOFile.maximumArchitectures else {
            throw source.fault("it is not a Mach-O executable, or has too many architectures")
        }
        let recordSize = isLong ? 32 : 20
        let end = Self.size + count * recordSize
        guard source.holds(end, at: 0) else { throw source.fault("its header is cut off") }
        let records = try source.bytes(at: Self.size, count: count * recordSize)
        var slices: [Slice] = []
        for index in 0..<count {
            let record = ByteFields(records[index * recordSize..<(index + 1) * recordSize], order)
            let processor = Processor(type: record.word(0), subtype: record.word(4))
            let offset = isLong ? record.long(8) : record.length(8)
            let size = isLong ? record.long(16) : record.length(12)
            guard let offset, let size, offset >= end, source.holds(size, at: offset) else {
                throw source.fault("its architecture \(processor.name) is outside the file")
            }
            guard !slices.contains(where: { $0.processor == processor }) else {
                throw source.fault("it has the architecture \(processor.name) twice")
            }
            slices.append(Slice(processor: processor, offset: offset, size: size))
        }
        slices.sort { $0.offset < $1.offset }
        for (slice, next) in zip(slices, slices.dropFirst()) where slice.size > next.offset - slice.offset {
            throw source.fault("its architectures \(slice.processor.name) and \(next.processor.name) overlap")
        }
        return slices
    }
}

/// The processor of an architecture (`mach/machine.h`).
struct Processor: Equatable {
    let type: UInt32
    /// The subtype without the capability bits in its upper byte, which differ between the fat header and the slice.
    let subtype: UInt32

    init(type: UInt32, subtype: UInt32) {
        self.type = type
        self.subtype = subtype & 0x00FF_FFFF
    }

    /// The name in Apple's tools.
    var name: String {
        switch (type, subtype) {
        case (7, _): "i386"
        case (0x0100_0007, 8): "x86_64h"
        case (0x0100_0007, _): "x86_64"
        case (12, 9): "armv7"
        case (12, 11): "armv7s"
        case (12, 12): "armv7k"
        case (12, _): "arm"
        case (0x0100_000C, 2): "arm64e"
        case (0x0100_000C, _): "arm64"
        case (0x0200_000C, _): "arm64_32"
        default: "of processor 0x\(String(type, radix: 16)), subtype \(subtype)"
        }
    }
}
