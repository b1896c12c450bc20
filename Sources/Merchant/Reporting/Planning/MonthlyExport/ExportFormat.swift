import ExternalPurchaseCore

/// The format of a month export: the bytes of its rows, and those around them.
package enum ExportFormat: Hashable, Sendable {
    /// Comma-separated values with one header; each row names its programme. See ``CSVText``.
    case csv
    /// The export of the only programme, or an object with all of them under `exports`.
    case json

    /// A part of an export.
    enum Part: Hashable, Sendable {
        case bytes([UInt8])
        /// The rows of a programme in their order, without their first bytes.
        case rows(ofProgramme: String, withoutFirst: Int)
    }

    /// The bytes of one row.
    func bytes(of row: ExportRow, layout: ExportLayout) -> [UInt8] {
        switch self {
        case .csv: Array(CSVText.record(layout.columns.map { row.cell($0.column) }).utf8)
        // The comma of the first row is left out.
        case .json: [UInt8(ascii: ",")] + row.json(layout).encoded()
        }
    }

    /// The parts of exports in their order.
    ///
    /// - Parameters:
    ///   - exports: the exports.
    ///   - layout: columns and headers.
    ///   - hint: where the records of the month are, for a JSON export without any; nil adds no member.
    func parts(of exports: MonthExports, layout: ExportLayout, hint: String? = nil) -> [Part] {
        switch self {
        case .csv:
            return [.bytes(Array(CSVText.record(layout.columns.map { .text($0.header) }).utf8))]
                + exports.exports.map { .rows(ofProgramme: $0.programme.id, withoutFirst: 0) }
        case .json:
            let end = hint.map { #","hint":"#.utf8 + JSONValue.string($0).encoded() } ?? []
            if exports.exports.count == 1, let only = exports.exports.first {
                return only.jsonParts + [.bytes(end + Array("}\n".utf8))]
            }
            let head: JSONObject = [
                "schemaVersion": .integer(1),
                "bundleId": .string(exports.bundleId.rawValue),
                "month": .string(exports.month),
            ]
            var parts: [Part] = [.bytes(head.open + Array(#","exports":["#.utf8))]
            for (index, export) in exports.exports.enumerated() {
                if index > 0 { parts.append(.bytes([UInt8(ascii: ",")])) }
                parts += export.jsonParts + [.bytes([UInt8(ascii: "}")])]
            }
            return parts + [.bytes([UInt8(ascii: "]")] + end + Array("}\n".utf8))]
        }
    }
}

extension MonthExport {
    /// The export as JSON without the brace at its end.
    fileprivate var jsonParts: [ExportFormat.Part] {
        [
            .bytes(head.open + Array(#","rows":["#.utf8)),
            .rows(ofProgramme: programme.id, withoutFirst: 1),
            .bytes(Array(#"],"reconciliation":"#.utf8) + reconciliation.json.encoded()),
        ]
    }
}

extension JSONObject {
    /// The object as JSON without the brace at its end.
    fileprivate var open: [UInt8] { Array(JSONValue.object(self).encoded().dropLast()) }
}
