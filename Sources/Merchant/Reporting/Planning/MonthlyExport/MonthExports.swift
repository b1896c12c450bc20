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

    init(bundleId: BundleId, month: String, exports: [MonthExport]) {
        self.bundleId = bundleId
        self.month = month
        self.exports =
            exports.count == 1
            ? exports
            : exports.filter { export in
                let found = export.reconciliation
                return export.rowCount > 0 || found.tokens.made > 0 || !found.differences.isEmpty
            }
    }

    /// The number of lines of sales, and of tokens that were created in the month.
    var counts: (sales: Int, tokens: Int) {
        (exports.map(\.rowCount).reduce(0, +), exports.map(\.reconciliation.tokens.made).reduce(0, +))
    }

    /// True if the month has neither a sale nor a token.
    package var isEmpty: Bool { counts == (0, 0) }

    /// The name of its file without extension: bundle id, programme if there is only one, month.
    package var name: String {
        let programme = exports.count == 1 ? exports.first.map { "-\($0.programme.id)" } ?? "" : ""
        return "\(bundleId)\(programme)-\(month)"
    }
}
