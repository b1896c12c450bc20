import Foundation

/// Cuts bytes at line feeds; of a long line only the beginning is kept.
struct LineSplitter {
    /// The number of bytes that are kept of a line.
    let limit: Int
    private var line = Data()
    private var hasBytes = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds bytes, and returns the lines that they end.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [Data] {
        var lines: [Data] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(line)
                line = Data()
                hasBytes = false
            } else {
                hasBytes = true
                if line.count < limit { line.append(byte) }
            }
        }
        return lines
    }

    /// The last line; nil when the bytes ended with a line feed.
    var rest: Data? { hasBytes ? line : nil }
}
