import ExternalPurchaseCore
package import Ledger

/// Writes the rows of month exports to temporary files as they are made, one file for each programme.
///
/// Rows arrive by date; those of one moment are sorted by their names. In memory are the names of the rows of one moment, and
/// the places of the rows: one range for all that arrived in their order, 16 bytes for each other one.
package struct ExportSpool {
    private let format: ExportFormat
    private let layout: ExportLayout
    private var rows: [String: SortedRows] = [:]

    /// - Parameters:
    ///   - format: the format of the rows.
    ///   - layout: columns and headers.
    package init(_ format: ExportFormat, layout: ExportLayout) {
        self.format = format
        self.layout = layout
    }

    /// Adds a row, whose date is not before that of the row before it.
    ///
    /// - Throws: ``LedgerError/full`` or ``LedgerError/inaccessible(_:)``.
    package mutating func append(_ row: ExportRow) throws(LedgerError) {
        let known = rows.removeValue(forKey: row.programme)
        var sorted = if let known { known } else { SortedRows(file: try TemporaryFile()) }
        try sorted.append(format.bytes(of: row, layout: layout), at: row.createdAt, named: row.name)
        rows[row.programme] = sorted
    }

    /// Ends the rows of some exports.
    ///
    /// - Parameters:
    ///   - exports: the exports to which the rows belong.
    ///   - hint: where the records of the month are, for a JSON export without any.
    package mutating func file(of exports: MonthExports, hint: String? = nil) throws(LedgerError) -> ExportFile {
        var parts: [ExportFile.Part] = []
        for part in format.parts(of: exports, layout: layout, hint: hint) {
            switch part {
            case .bytes(let bytes): parts.append(.bytes(bytes))
            case .rows(let programme, let count):
                guard var sorted = rows.removeValue(forKey: programme) else { continue }
                parts.append(.rows(sorted.file, try sorted.places(withoutFirst: count)))
            }
        }
        return ExportFile(exports: exports, parts: parts)
    }
}

/// The rows of one programme in a file.
private struct SortedRows {
    let file: TemporaryFile
    private var buffer: [UInt8] = []
    /// The number of bytes appended.
    private var size = 0
    /// The ranges of the rows in their order; ranges that follow each other are one.
    private var places: [Range<Int>] = []
    private var moment: Timestamp?
    /// The rows of that moment.
    private var open: [(name: String, place: Range<Int>)] = []

    init(file: TemporaryFile) {
        self.file = file
    }

    mutating func append(_ bytes: [UInt8], at moment: Timestamp, named name: String) throws(LedgerError) {
        if moment != self.moment { closeMoment() }
        self.moment = moment
        open.append((name, size..<size + bytes.count))
        size += bytes.count
        buffer += bytes
        if buffer.count >= ExportFile.blockSize { try flush() }
    }

    /// Writes what is left and returns the places of all rows, without the first bytes of the first one.
    mutating func places(withoutFirst count: Int) throws(LedgerError) -> [Range<Int>] {
        closeMoment()
        try flush()
        if let first = places.first { places[0] = min(first.lowerBound + count, first.upperBound)..<first.upperBound }
        return places
    }

    private mutating func flush() throws(LedgerError) {
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func closeMoment() {
        if open.count > 1 { open.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        for (_, place) in open {
            if let last = places.last, last.upperBound == place.lowerBound {
                places[places.count - 1] = last.lowerBound..<place.upperBound
            } else {
                places.append(place)
            }
        }
        open.removeAll(keepingCapacity: true)
    }
}
