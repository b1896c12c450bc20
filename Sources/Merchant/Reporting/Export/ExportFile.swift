package import Ledger

/// A month export whose rows lie in temporary files, which end with it.
package final class ExportFile: Sendable {
    /// The exports without their rows.
    package let exports: MonthExports
    /// The number of bytes.
    package let size: Int
    private let parts: [Part]

    /// The largest number of bytes read at once.
    static let blockSize = 64 * 1024

    enum Part: Sendable {
        case bytes([UInt8])
        case rows(TemporaryFile, [Range<Int>])
    }

    init(exports: MonthExports, parts: [Part]) {
        self.exports = exports
        self.parts = parts
        size = parts.reduce(0) { size, part in
            switch part {
            case .bytes(let bytes): size + bytes.count
            case .rows(_, let places): places.reduce(size) { $0 + $1.count }
            }
        }
    }

    /// A reader from the first byte on.
    package var blocks: Blocks { Blocks(file: self) }

    /// Reads the bytes in their order.
    package struct Blocks {
        private let file: ExportFile
        private var part = 0
        private var place = 0
        private var offset = 0

        fileprivate init(file: ExportFile) {
            self.file = file
        }

        /// Returns the next bytes, some 64 KB at a time; nil at the end.
        ///
        /// - Throws: ``LedgerError/inaccessible(_:)``.
        package mutating func next() throws(LedgerError) -> [UInt8]? {
            var block: [UInt8] = []
            while block.count < ExportFile.blockSize, part < file.parts.count {
                switch file.parts[part] {
                case .bytes(let bytes):
                    block += bytes
                    part += 1
                case .rows(let rows, let places):
                    guard place < places.count else {
                        (part, place) = (part + 1, 0)
                        continue
                    }
                    let start = places[place].lowerBound + offset
                    let end = min(places[place].upperBound, start + ExportFile.blockSize - block.count)
                    block += try rows.read(start..<end)
                    offset += end - start
                    if end == places[place].upperBound { (place, offset) = (place + 1, 0) }
                }
            }
            return block.isEmpty ? nil : block
        }
    }
}
