import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func tally() throws(LedgerError) -> LedgerTally {
        var tally = LedgerTally()
        // Open reports are few and have an index; the accepted ones are what remains of all, which an index counts
        // without touching the reports' bytes.
        for row in try rows(Query.openReportTally, []) {
            let scope = try row.scope()
            let state: ReportState = try row.known("state")
            tally.reports[.init(scope: scope, state: state)] = Int(clamping: try row.integer("count"))
            if state.isOpen { tally.note(unsentSince: try row.time("oldest"), in: scope) }
        }
        for row in try rows(Query.reportTally, []) {
            let scope = try row.scope()
            let open = tally.reports.filter { $0.key.scope == scope }.values.reduce(0, +)
            let accepted = Int(clamping: try row.integer("count")) - open
            if accepted > 0 { tally.reports[.init(scope: scope, state: .accepted)] = accepted }
        }
        for row in try rows(Query.heldTally, []) {
            let key = LedgerTally.HeldKey(
                bundleId: BundleId(try row.text("bundle_id")),
                environment: try row.optionalText("environment").flatMap(AppStoreEnvironment.init(rawValue:)),
                flag: try row.optionalText("flag").map { SaleFlag(rawValue: $0) }
            )
            tally.heldSales[key] = Int(clamping: try row.integer("count"))
        }
        for row in try rows(Query.plannedTally, []) {
            let scope = try row.scope()
            tally.plannedSales[scope] = Int(clamping: try row.integer("count"))
            tally.note(unsentSince: try row.time("oldest"), in: scope)
        }
        for row in try rows(Query.attentionTally, []) {
            let key = LedgerTally.AttentionKey(
                bundleId: BundleId(try row.text("bundle_id")),
                kind: AttentionKind(rawValue: try row.text("kind"))
            )
            tally.attention[key] = Int(clamping: try row.integer("count"))
        }
        for row in try rows(Query.escalationTally, []) {
            tally.undeliveredEscalations = Int(clamping: try row.integer("count"))
        }
        return tally
    }
}

extension Row {
    fileprivate func scope() throws(LedgerError) -> ReportingScope {
        ReportingScope(bundleId: BundleId(try text("bundle_id")), environment: try known("environment"))
    }
}
