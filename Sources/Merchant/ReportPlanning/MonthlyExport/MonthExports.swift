package import ExternalPurchaseCore

/// What one app owes for a month under every programme that asks for reports of it.
package struct MonthExports: Hashable, Sendable {
    package let bundleId: BundleId
    /// The month's name, `2026-10`; each programme counts it by its own calendar.
    package let month: String
    /// One for each programme that has a sale or a token of the month; a single one stays, however empty.
    package let exports: [MonthExport]

    package init(bundleId: BundleId, month: String, exports: [MonthExport]) {
        self.bundleId = bundleId
        self.month = month
        self.exports =
            exports.count == 1
            ? exports : exports.filter { !$0.rows.isEmpty || $0.reconciliation.tokens.made > 0 }
    }

    /// The rows of all programmes as comma-separated values under one header, each with its programme.
    package func csv(layout: ExportLayout = .standard) -> String {
        CSVText.document(
            header: layout.columns.map(\.header),
            rows: exports.flatMap(\.rows).map { row in layout.columns.map { row.cell($0.column) } }
        )
    }

    /// The export of the only programme, or all of them under `exports`.
    package func json(layout: ExportLayout = .standard) -> JSONValue {
        if exports.count == 1, let only = exports.first { return only.json(layout: layout) }
        return .object(
            JSONObject([
                .init("schemaVersion", .integer(1)),
                .init("bundleId", .string(bundleId.rawValue)),
                .init("month", .string(month)),
                .init("exports", .array(exports.map { $0.json(layout: layout) })),
            ])
        )
    }

    /// What a file of it is called, without its extension: bundle id, programme where it is one, month.
    package var name: String {
        let programme = exports.count == 1 ? exports.first.map { "-\($0.programme.id)" } ?? "" : ""
        return "\(bundleId)\(programme)-\(month)"
    }
}
