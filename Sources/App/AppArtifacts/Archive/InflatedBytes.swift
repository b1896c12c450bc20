import AppConfiguration

/// The content of a deflated entry, unpacked only as far as it is read.
///
/// Reading forward unpacks and drops what lies between; reading behind the window begins again from the front, which
/// is allowed a few times only, so that no file can make a reader unpack it without end.
final class InflatedBytes: RandomAccessBytes {
    /// How often unpacking may begin again.
    static let maximumRestarts = 8
    /// The largest piece that is given at once.
    static let maximumPiece = 32 * 1024 * 1024

    let path: String
    let count: Int
    private let packed: any RandomAccessBytes
    private let checksum: UInt32
    private var stream: InflateStream?
    private var found = Checksum()
    private var restarts = 0

    // What was unpacked last, and where it begins.
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
        // Dropping in large steps keeps the cost of moving the rest small.
        if surplus >= Self.windowSize {
            window.removeFirst(surplus)
            windowStart += surplus
        }
    }
}
