import ExternalPurchaseCore

/// The columns of an API key.
enum APIKeyRow {
    typealias Column<Value> = RowColumn<StoredAPIKey, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let keyId = Column("key_id", .rawValue, written: .once) { $0.keyId }
    static let scope = Column("scope", .rawValue, written: .once) { $0.scope }
    static let bundleId = Column("bundle_id", .optional(.rawValue), written: .once) { $0.bundleId }
    static let name = Column("name", .optional(.text), written: .once) { $0.name }
    static let digest = Column("digest", .bytes, written: .once) { $0.digest }
    static let createdAt = Column("created_at", .time, written: .once) { $0.createdAt }
    static let createdBy = Column("created_by", .text, written: .once) { $0.createdBy }
    static let expiresAt = Column("expires_at", .optional(.time), written: .once) { $0.expiresAt }
    static let revokedAt = Column("revoked_at", .optional(.time), written: .always) { $0.revocation?.at }
    static let revokedBy = Column("revoked_by", .optional(.text), written: .always) { $0.revocation?.by }

    static let table = RowTable<StoredAPIKey>(
        "api_keys",
        [
            sequence, keyId, scope, bundleId, name, digest, createdAt, createdBy, expiresAt, revokedAt, revokedBy,
        ]
    )
    static let revocation = table.update(where: "key_id = ? AND revoked_at IS NULL")

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredAPIKey {
        var revocation: StoredAPIKey.Revocation?
        if let at = try revokedAt.read(from: row), let by = try revokedBy.read(from: row) {
            revocation = StoredAPIKey.Revocation(at: at, by: by)
        }
        return StoredAPIKey(
            sequence: try sequence.read(from: row),
            keyId: try keyId.read(from: row),
            scope: try scope.read(from: row),
            bundleId: try bundleId.read(from: row),
            name: try name.read(from: row),
            digest: try digest.read(from: row),
            createdAt: try createdAt.read(from: row),
            createdBy: try createdBy.read(from: row),
            expiresAt: try expiresAt.read(from: row),
            revocation: revocation
        )
    }
}
