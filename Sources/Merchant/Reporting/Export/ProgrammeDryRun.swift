package import ExternalPurchaseCore
package import Ledger

/// Computes what another programme file would change in stored months, without storing anything (OB-95).
package struct ProgrammeDryRun: Sendable {
    private let current: DeadlineRules
    private let proposed: DeadlineRules
    private let settings: ReportingSettings

    package init(from current: DeadlineRules, to proposed: DeadlineRules, settings: ReportingSettings) {
        self.current = current
        self.proposed = proposed
        self.settings = settings
    }

    /// A sale whose estimate would change.
    package struct EstimateChange: Hashable, Sendable {
        package let bundleId: BundleId
        package let saleId: String
        /// The programme and estimate under the current rules; nil if the sale has none.
        package let before: String?
        package let after: String?
    }

    /// The due dates and estimates that would change.
    package struct Changes: Sendable {
        package var due: [DeadlineChange] = []
        package var estimates: [EstimateChange] = []

        package var isEmpty: Bool { due.isEmpty && estimates.isEmpty }
    }

    /// Compares every open due date, and the estimates of sales since a day.
    ///
    /// - Parameters:
    ///   - apps: the apps to compare.
    ///   - since: months that end before this day are skipped.
    ///   - now: the time of the exports.
    ///   - ledger: one consistent state of the ledger.
    package func changes(
        of apps: [BundleId],
        since: CalendarDate,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Changes {
        var changes = Changes()
        for app in apps {
            let subjects = try DeadlineCalculator(rules: current).subjects(of: app, at: now, in: ledger)
            changes.due += DeadlineChange.changes(of: subjects, from: current, to: proposed)
                .filter { $0.before?.moment != $0.after?.moment }
            let before = try estimates(of: app, under: current, since: since, now: now, in: ledger)
            let after = try estimates(of: app, under: proposed, since: since, now: now, in: ledger)
            for sale in Set(before.keys).union(after.keys).sorted() where before[sale] != after[sale] {
                changes.estimates.append(
                    EstimateChange(bundleId: app, saleId: sale, before: before[sale], after: after[sale])
                )
            }
        }
        return changes
    }

    /// Returns programme and estimate of every sale as text, by sale id.
    private func estimates(
        of app: BundleId,
        under rules: DeadlineRules,
        since: CalendarDate,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [String: String] {
        let exporter = LedgerExport(rules: rules, settings: settings)
        let today = CalendarDate(inUTC: now)
        let tables = rules.catalog.programmes.compactMap(rules.table)
        let months = tables.flatMap(\.months).filter { $0.lastDay >= since && $0.firstDay <= today }
        var found: [String: String] = [:]
        for month in Set(months.map(\.id)).sorted() {
            var texts: [String: [(sale: String, text: String)]] = [:]
            let exports = try exporter.exports(ofMonth: month, of: app, now: now, in: ledger) { row in
                if let text = row.estimateText { texts[row.programme, default: []].append((row.name, text)) }
            }
            for export in exports where export.month.lastDay >= since && export.month.firstDay <= today {
                for (sale, text) in texts[export.programme.id] ?? [] { found[sale] = text }
            }
        }
        return found
    }
}
