import AppConfiguration

/// One architecture of an executable: header, load commands, and the code signature that they locate
/// (`mach-o/loader.h`).
enum MachOSlice {
    /// The maximum size of all load commands in bytes.
    ///
    /// Large apps have some tens of KiB.
    static let maximumCommandsSize = 4 * 1024 * 1024

    private static let codeSignature: UInt32 = 0x1D

    /// Reads one architecture.
    ///
    /// - Parameters:
    ///   - slice: the bytes of the architecture.
    ///   - expected: the processor in the fat header, if there is one.
    static func read(
        _ slice: any RandomAccessBytes,
        expecting expected: Processor?
    ) throws(ConfigurationReadError) -> MachOFile.Architecture {
        guard slice.holds(28, at: 0) else {
            throw slice.fault(slice.count < 4 ? "it is not a Mach-O executable" : "its header is cut off")
        }
        let header = try slice.bytes(at: 0, count: 28)
        let order: ByteOrder
        let headerSize: Int
        switch ByteFields(header, .big).word(0) {
        case 0xFEED_FACE: (order, headerSize) = (.big, 28)
        case 0xFEED_FACF: (order, headerSize) = (.big, 32)
        case 0xCEFA_EDFE: (order, headerSize) = (.little, 28)
        case 0xCFFA_EDFE: (order, headerSize) = (.little, 32)
        default: throw slice.fault("it is not a Mach-O executable")
        }
        let fields = ByteFields(header, order)
        let processor = Processor(type: fields.word(4), subtype: fields.word(8))
        guard expected == nil || expected == processor else {
            throw slice.fault("its architecture \(processor.name) is listed as another one")
        }
        let commands = fields.length(16)
        let size = fields.length(20)
        guard size <= maximumCommandsSize, commands <= size / 8, slice.holds(size, at: headerSize) else {
            throw slice.fault("its load commands are damaged or cut off")
        }
        let region = try region(
            ofSignatureIn: slice.bytes(at: headerSize, count: size),
            count: commands,
            order: order,
            slice: slice
        )
        guard let region else { return MachOFile.Architecture(name: processor.name, signature: .unsigned) }
        guard region.lowerBound >= headerSize + size, slice.holds(region.count, at: region.lowerBound) else {
            throw slice.fault("its code signature is outside the file")
        }
        let signature = try ByteSection(of: slice, at: region.lowerBound, count: region.count, path: slice.path)
        return MachOFile.Architecture(
            name: processor.name,
            signature: .signed(entitlements: try CodeSignature.entitlements(in: signature))
        )
    }

    private static func region(
        ofSignatureIn commands: [UInt8],
        count: Int,
        order: ByteOrder,
        slice: any RandomAccessBytes
    ) throws(ConfigurationReadError) -> Range<Int>? {
        var region: Range<Int>?
        var rest = commands[...]
        for _ in 0..<count {
            guard rest.count >= 8 else { throw slice.fault("its load commands are damaged or cut off") }
            let head = ByteFields(rest.prefix(8), order)
            let size = head.length(4)
            guard size >= 8, size.isMultiple(of: 4), size <= rest.count else {
                throw slice.fault("its load commands are damaged or cut off")
            }
            if head.word(0) == codeSignature {
                guard region == nil else { throw slice.fault("it has two code signatures") }
                guard size >= 16 else { throw slice.fault("its load commands are damaged or cut off") }
                let fields = ByteFields(rest.prefix(16), order)
                region = fields.length(8)..<fields.length(8) + fields.length(12)
            }
            rest = rest.dropFirst(size)
        }
        return region
    }
}
