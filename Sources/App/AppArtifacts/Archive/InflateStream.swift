import AppConfiguration
import CZlib

/// Decompresses deflated bytes sequentially.
final class InflateStream {
    /// The number of bytes that are read or written at once.
    static let pieceSize = 64 * 1024

    private let packed: any RandomAccessBytes
    private let state: UnsafeMutablePointer<z_stream>
    private var taken = 0
    private var input: [UInt8] = []
    private var used = 0
    private var isAtEnd = false

    init(_ packed: any RandomAccessBytes) throws(ConfigurationReadError) {
        self.packed = packed
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
        // Negative window bits select raw deflate without zlib's header, as in zip archives.
        guard inflateInit2_(state, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw packed.fault("memory to unpack it is not there")
        }
    }

    deinit {
        inflateEnd(state)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Returns the next bytes.
    ///
    /// - Parameter maximum: the maximum number of bytes, above 0.
    /// - Returns: at least one byte; none at the end.
    /// - Throws: an error when the compressed bytes are damaged, end too early, or continue after the end.
    func next(maximum: Int) throws(ConfigurationReadError) -> [UInt8] {
        while !isAtEnd {
            if used == input.count {
                input = try packed.bytes(at: taken, count: min(packed.count - taken, Self.pieceSize))
                taken += input.count
                used = 0
            }
            let (output, status) = step(maximum: maximum)
            isAtEnd = status == Z_STREAM_END
            guard status == Z_OK || status == Z_BUF_ERROR || isAtEnd else { throw packed.fault("it is damaged") }
            if isAtEnd, taken != packed.count || used != input.count {
                throw packed.fault("bytes follow the end of its packed data")
            }
            if !output.isEmpty { return output }
            guard isAtEnd || used < input.count || taken < packed.count else { throw packed.fault("it is cut off") }
        }
        return []
    }

    private func step(maximum: Int) -> ([UInt8], Int32) {
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: maximum) { output, filled in
            input.withUnsafeMutableBufferPointer { input in
                state.pointee.next_in = input.baseAddress.map { $0 + used }
                state.pointee.avail_in = UInt32(input.count - used)
                state.pointee.next_out = output.baseAddress
                state.pointee.avail_out = UInt32(maximum)
                status = inflate(state, Z_NO_FLUSH)
                used = input.count - Int(state.pointee.avail_in)
                filled = maximum - Int(state.pointee.avail_out)
                state.pointee.next_in = nil
                state.pointee.next_out = nil
            }
        }
        return (output, status)
    }
}

/// The CRC-32 checksum of an entry in a zip archive.
struct Checksum {
    private(set) var value: UInt32 = 0

    init(_ bytes: [UInt8] = []) {
        add(bytes)
    }

    mutating func add(_ bytes: [UInt8]) {
        value = bytes.withUnsafeBufferPointer { buffer in
            UInt32(truncatingIfNeeded: crc32_z(UInt(value), buffer.baseAddress, z_size_t(buffer.count)))
        }
    }
}
