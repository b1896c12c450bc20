/// Tables of one area of the ledger with their indexes, and the triggers that guard their rows.
///
/// Written once, in SQLite's dialect; the store in PostgreSQL translates it. Constraints and triggers refuse what no
/// ledger may hold, whatever defect of the program writes it.
///
/// The order of a table's indexes counts: of two that serve a query alike SQLite takes the later one.
package struct SchemaPart: Sendable {
    package let tables: String
    package let triggers: [SchemaTrigger]

    /// All parts; a table stands behind those that it references.
    package static let all: [SchemaPart] = [
        .customers, .tokens, .reports, .corrections, .exports, .sales, .payments, .notifications, .review, .alerts,
        .audit, .deadlines, .access, .servers, .webhooks,
    ]
}
