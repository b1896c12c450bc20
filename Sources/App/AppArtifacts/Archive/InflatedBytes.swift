import AppConfiguration

/// The content of a deflated entry, decompressed only as far as it is read.
///
/// Reading forward decompresses and discards the bytes in between. Reading before the window restarts from the
/// beginning, which is allowed only a few times, so that no file can cause unlimited work.
final class InflatedBytes: RandomAccessBytes {
    /// The maximum number of restarts.
    static let maximumRestarts = 8
    /// The maximum size of a piece in bytes.
    static let maximumPiece = 32 * 1024 * 1024

    let path: String
    let count: Int
    private let packed: any RandomAccessBytes
    private let checksum: UInt32
    private var stream: InflateStream?
    private var found = Checksum()
    private var restarts = 0

    // The bytes that were decompressed last, and their offset.
    private var window: [UInt8] = []
    private var windowStart = 0
    private static let windowSize = 256 * 1024

    init(_ packed: any RandomAccessBytes, size: Int, checksum: UInt32) {
        self.packed = packed
        self.checksum = checksum
        path = packed.path
        count = size
    }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        guard count <= Self.maximumPiece else { throw fault("a part of it is too large to read") }
        if offset < windowStart {
            restarts += 1
            guard restarts <= Self.maximumRestarts else { throw fault("its parts do not follow each other") }
            stream = nil
            found = Checksum()
            window = []
            windowStart = 0
        }
        while windowStart + window.count < offset + count { try advance(keepingFrom: offset) }
        let start = offset - windowStart
        return Array(window[start..<start + count])
    }

    private func advance(keepingFrom offset: Int) throws(ConfigurationReadError) {
        let stream = if let open = self.stream { open } else { try InflateStream(packed) }
        self.stream = stream
        let position = windowStart + window.count
        let piece = try stream.next(maximum: InflateStream.pieceSize)
        guard !piece.isEmpty, piece.count <= count - position else { throw fault(ZipArchive.otherSize) }
        found.add(piece)
        if position + piece.count == count {
            guard try stream.next(maximum: 1).isEmpty else { throw fault(ZipArchive.otherSize) }
            guard found.value == checksum else { throw fault(ZipArchive.otherChecksum) }
        }
        window += piece
        let surplus = min(window.count - Self.windowSize, offset - windowStart)
        // Discarding in large steps reduces the cost of moving the remaining bytes.
        if surplus >= Self.windowSize {
            window.removeFirst(surplus)
            windowStart += surplus
        }
    }
}
