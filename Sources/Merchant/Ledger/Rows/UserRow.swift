import ExternalPurchaseCore

/// The columns of a user.
enum UserRow {
    typealias Column<Value> = RowColumn<StoredUser, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let name = Column("name", .text, written: .once) { $0.name }
    static let passwordHash = Column("password_hash", .optional(.text), written: .always) { $0.passwordHash }
    static let updatedAt = Column("updated_at", .time, written: .always) { $0.updatedAt }
    static let role = Column("role", .rawValue, written: .always) { $0.role }
    static let apps = Column("apps", .optional(.json), written: .always) { user in
        user.apps.map { .array($0.map(\.rawValue).sorted().map(JSONValue.string)) }
    }

    static let table = RowTable<StoredUser>(
        "users",
        [sequence, name, passwordHash, updatedAt, role, apps]
    )
    static let replacement = table.replacement(on: "name")

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredUser {
        StoredUser(
            sequence: try sequence.read(from: row),
            name: try name.read(from: row),
            passwordHash: try passwordHash.read(from: row),
            updatedAt: try updatedAt.read(from: row),
            role: try role.read(from: row),
            apps: try apps.read(from: row).map { list in
                Set((list.arrayValue ?? []).compactMap(\.stringValue).map { BundleId($0) })
            }
        )
    }
}
