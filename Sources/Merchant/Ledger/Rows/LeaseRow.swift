import ExternalPurchaseCore

/// A row of the table `leases`.
enum LeaseRow {
    /// Decodes a row; nil for a name of a later version.
    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredLease? {
        guard let name = LeaseName(rawValue: try row.text("name")) else { return nil }
        return StoredLease(
            name: name,
            holder: try row.optionalText("holder").map(ServerId.init(rawValue:)),
            epoch: try row.integer("epoch"),
            expiresAt: try row.time("expires_at"),
            detail: try row.optionalJSON("detail")
        )
    }
}
