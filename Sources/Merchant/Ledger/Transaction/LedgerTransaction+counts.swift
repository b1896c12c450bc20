import ExternalPurchaseCore

extension LedgerQueries {
    package func counts() throws(LedgerError) -> LedgerCounts {
        var counts = LedgerCounts()
        // Open reports are few and have an index. The number of accepted ones is the number of all, counted by an index
        // without reading the reports' bytes, minus the open ones.
        for row in try rows(Query.openReportCounts, []) {
            let scope = try row.scope()
            let state: ReportState = try row.known("state")
            counts.reports[.init(scope: scope, state: state)] = Int(clamping: try row.integer("count"))
            if state.isOpen { counts.note(unsentSince: try row.time("oldest"), in: scope) }
        }
        for row in try rows(Query.reportCounts, []) {
            let scope = try row.scope()
            let open = counts.reports.filter { $0.key.scope == scope }.values.reduce(0, +)
            let accepted = Int(clamping: try row.integer("count")) - open
            if accepted > 0 { counts.reports[.init(scope: scope, state: .accepted)] = accepted }
        }
        for row in try rows(Query.heldCounts, []) {
            let key = LedgerCounts.HeldKey(
                bundleId: BundleId(try row.text("bundle_id")),
                environment: try row.known("environment"),
                flag: try row.optionalText("flag").map { SaleFlag(rawValue: $0) }
            )
            counts.heldSales[key] = Int(clamping: try row.integer("count"))
        }
        for row in try rows(Query.plannedCounts, []) {
            let scope = try row.scope()
            counts.plannedSales[scope] = Int(clamping: try row.integer("count"))
            counts.note(unsentSince: try row.time("oldest"), in: scope)
        }
        for row in try rows(Query.reviewCounts, []) {
            let key = LedgerCounts.ReviewKey(
                bundleId: BundleId(try row.text("bundle_id")),
                kind: ReviewKind(rawValue: try row.text("kind"))
            )
            counts.review[key] = Int(clamping: try row.integer("count"))
        }
        for row in try rows(Query.alertCounts, []) {
            counts.undeliveredAlerts = Int(clamping: try row.integer("count"))
        }
        return counts
    }
}

extension SQLRow {
    fileprivate func scope() throws(LedgerError) -> ReportingScope {
        ReportingScope(bundleId: BundleId(try text("bundle_id")), environment: try known("environment"))
    }
}
