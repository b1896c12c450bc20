import ExternalPurchaseCore

/// The columns of an audit entry.
enum AuditEntryRow {
    typealias Column<Value> = RowColumn<AuditEntry, Value>

    static let sequence = Column("sequence", .integer, written: .once) { $0.sequence }
    static let time = Column("time", .time, written: .once) { $0.time }
    static let kind = Column("kind", .text, written: .once) { $0.kind }
    static let content = Column("content", .text, written: .once) { $0.content }
    static let hash = Column("hash", .bytes, written: .once) { $0.hash }

    static let table = RowTable<AuditEntry>("audit_log", [sequence, time, kind, content, hash])

    static func head(_ row: any SQLRow) throws(LedgerError) -> AuditHead {
        AuditHead(sequence: try sequence.read(from: row), hash: try hash.read(from: row))
    }

    static func record(_ row: any SQLRow) throws(LedgerError) -> AuditEntry {
        AuditEntry(
            stored: try sequence.read(from: row),
            time: try time.read(from: row),
            kind: try kind.read(from: row),
            content: try content.read(from: row),
            hash: try hash.read(from: row)
        )
    }
}
