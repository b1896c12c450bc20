package import ExternalPurchaseCore

extension LedgerQueries {
    /// Computes what a purge of everything completed before a moment would remove; changes nothing.
    package func purgePlan(before cut: Timestamp) throws(LedgerError) -> PurgePlan {
        try connection.run(PurgeQuery.keepTable, [])
        try connection.run("DELETE FROM purge_keep", [])
        for seed in PurgeQuery.seeds { try bound(seed, cut) }
        while true {
            var added = 0
            for step in PurgeQuery.steps {
                added += try connection.run(step, [])
            }
            if added == 0 { break }
        }
        var removals: [PurgePlan.Removal] = []
        for (table, time, condition) in PurgeQuery.removals {
            let column = time ?? "NULL"
            let sql = """
                SELECT count(*) AS count, min(\(column)) AS oldest, max(\(column)) AS newest FROM \(table)
                WHERE \(condition)
                """
            guard let row = try rows(sql, Self.arguments(condition, cut)).first else { continue }
            let removal = PurgePlan.Removal(
                kind: PurgeQuery.kind(of: table),
                count: try row.integer("count"),
                oldest: try row.optionalTime("oldest"),
                newest: try row.optionalTime("newest")
            )
            if removal.count > 0 { removals.append(removal) }
        }
        return PurgePlan(cut: cut, removals: removals)
    }

    private func bound(_ sql: String, _ cut: Timestamp) throws(LedgerError) {
        try connection.run(sql, Self.arguments(sql, cut))
    }

    fileprivate static func arguments(_ sql: String, _ cut: Timestamp) -> SQLArguments {
        sql.contains("?1") ? [cut.milliseconds] : []
    }
}

extension LedgerTransaction {
    /// Deletes the rows of a plan made in this transaction.
    func deleteRows(of purge: Purge) throws(LedgerError) -> Int64 {
        let cut = purge.plan.cut
        let head = purge.head
        let sequence = try insert(
            """
            INSERT INTO purges (cut, purged_at, purged_by, head_sequence, head_hash, removed) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                cut.milliseconds, purge.at.milliseconds, purge.by, head?.sequence ?? 0,
                head?.hash ?? AuditEntry.beginning, purge.plan.json.text,
            ]
        )
        let counts = Dictionary(purge.plan.removals.map { ($0.kind, $0.count) }) { first, _ in first }
        for (table, _, condition) in PurgeQuery.removals {
            let deleted = try run("DELETE FROM \(table) WHERE \(condition)", Self.arguments(condition, cut))
            guard Int64(deleted) == counts[PurgeQuery.kind(of: table)] ?? 0 else {
                throw .conflict("the ledger holds other rows of \(table) than the plan of the purge says")
            }
        }
        try releaseDeliveries(at: purge.at)
        try run("UPDATE purges SET finished = 1 WHERE sequence = ?", [sequence])
        try run("DELETE FROM purge_keep", [])
        return sequence
    }
}
