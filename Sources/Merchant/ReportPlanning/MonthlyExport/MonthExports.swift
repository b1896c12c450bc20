package import ExternalPurchaseCore

/// The sales and tokens that one app must report for a month under all its programmes.
package struct MonthExports: Hashable, Sendable {
    package let bundleId: BundleId
    /// The month's id, such as `2026-10`; each programme uses its own calendar.
    package let month: String
    /// One export for each programme with a sale, token or accepted line item in the month.
    ///
    /// Several exports are in the order of the catalog; a single one may be empty.
    package let exports: [MonthExport]

    package init(bundleId: BundleId, month: String, exports: [MonthExport]) {
        self.bundleId = bundleId
        self.month = month
        self.exports =
            exports.count == 1
            ? exports
            : exports.filter { export in
                let found = export.reconciliation
                return !export.rows.isEmpty || found.tokens.made > 0 || !found.differences.isEmpty
            }
    }

    /// Returns the rows of all programmes as comma-separated values with one header; each row names its programme.
    package func csv(layout: ExportLayout = .standard) -> String {
        CSVText.document(
            header: layout.columns.map(\.header),
            rows: exports.lazy.flatMap(\.rows).map { row in layout.columns.map { row.cell($0.column) } }
        )
    }

    /// The export of the only programme, or an object with all of them under `exports`.
    ///
    /// - Parameter hint: where the records of the month are, for an export without any; nil adds no member.
    package func json(layout: ExportLayout = .standard, hint: String? = nil) -> JSONValue {
        let value: JSONValue
        if exports.count == 1, let only = exports.first {
            value = only.json(layout: layout)
        } else {
            value = .object(
                JSONObject([
                    .init("schemaVersion", .integer(1)),
                    .init("bundleId", .string(bundleId.rawValue)),
                    .init("month", .string(month)),
                    .init("exports", .array(exports.map { $0.json(layout: layout) })),
                ])
            )
        }
        guard let hint, case .object(var object) = value else { return value }
        object.members.append(.init("hint", .string(hint)))
        return .object(object)
    }

    /// The number of lines of sales, and of tokens that were created in the month.
    package var counts: (sales: Int, tokens: Int) {
        (exports.map(\.rows.count).reduce(0, +), exports.map(\.reconciliation.tokens.made).reduce(0, +))
    }

    /// True if the month has neither a sale nor a token.
    package var isEmpty: Bool { counts == (0, 0) }

    /// The name of its file without extension: bundle id, programme if there is only one, month.
    package var name: String {
        let programme = exports.count == 1 ? exports.first.map { "-\($0.programme.id)" } ?? "" : ""
        return "\(bundleId)\(programme)-\(month)"
    }
}
