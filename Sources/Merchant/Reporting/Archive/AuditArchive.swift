package import ExternalPurchaseCore
package import Ledger

/// Writes all records of an app and a range of months as one archive for an audit (OB-93).
///
/// Customers are named by pseudonym. The archive contains no keys, because the ledger has none (OB-92, OB-94). The same
/// ledger always gives the same bytes.
package struct AuditArchive: Sendable {
    private let bundleId: BundleId
    private let first: String
    private let last: String
    private let span: Range<Timestamp>
    private let rules: DeadlineRules
    private let settings: ReportingSettings

    /// Creates an archive.
    ///
    /// - Parameters:
    ///   - bundleId: the app.
    ///   - first: the first calendar month, such as `2026-01`.
    ///   - last: the last calendar month, included.
    ///   - rules: the calendars and programmes.
    ///   - settings: the layout and money settings of the month exports in the archive.
    /// - Returns: nil if a month is invalid or the months are in the wrong order.
    package init?(
        of bundleId: BundleId,
        from first: String,
        through last: String,
        rules: DeadlineRules,
        settings: ReportingSettings
    ) {
        guard let start = CalendarDate("\(first)-01"), let end = CalendarDate("\(last)-01"), start <= end else {
            return nil
        }
        let zone = rules.settings.timeZone
        span = zone.start(of: start)..<zone.start(of: end.adding(months: 1))
        self.bundleId = bundleId
        self.first = first
        self.last = last
        self.rules = rules
        self.settings = settings
    }

    /// The numbers of files, bytes and rows in an archive.
    package struct Summary: Hashable, Sendable {
        package var files = 0
        package var bytes = 0
        package var tokens = 0
        package var sales = 0
        package var reports = 0
        package var notifications = 0
        package var auditEntries = 0
        /// The newest entry of the audit log in the archive.
        package var head: AuditHead?
    }

    /// Called with the name of a part, the number of its rows that are done, and the number of all where it is known.
    package typealias Progress = (_ part: String, _ done: Int, _ total: Int?) -> Void

    /// Writes the archive.
    ///
    /// Memory holds a page of rows, because the header of a file, which has its size, is written after it.
    ///
    /// - Parameters:
    ///   - ledger: one consistent state of the ledger.
    ///   - write: receives bytes and the offset at which they belong; every byte is written once.
    ///   - progress: called after each page.
    /// - Throws: ``LedgerError``; an ``ArchiveFailure`` of `write` is part of the result.
    package func write(
        _ ledger: LedgerQueries,
        to write: @escaping (_ bytes: [UInt8], _ offset: Int) throws(ArchiveFailure) -> Void,
        progress: @escaping Progress = { _, _, _ in }
    ) throws(LedgerError) -> Result<Summary, ArchiveFailure> {
        var writer = ArchiveWriter(tar: TarFile(write: write))
        writer.add("README.txt", introduction.utf8)
        let records = try ArchiveRecords(of: bundleId, in: span, from: ledger, progress: progress)
        for table in ArchiveRecords.Table.allCases where writer.failure == nil {
            try writer.add("\(table.rawValue).csv") { writer throws(LedgerError) in
                try records.add(table, to: &writer)
            }
        }
        try records.addBodies(to: &writer)
        // The time comes from the ledger instead of the clock, so that the same ledger gives the same archive.
        try addMonths(to: &writer, ledger, try ledger.lastAuditEntry()?.time ?? span.upperBound, progress)
        var chain: (count: Int, head: AuditHead?) = (0, nil)
        try writer.add("audit-log.jsonl") { writer throws(LedgerError) in chain = try records.addChain(to: &writer) }
        writer.finish()
        if let failure = writer.failure { return .failure(failure) }
        return .success(
            Summary(
                files: writer.files,
                bytes: writer.tar.size,
                tokens: records.selection.tokens.count,
                sales: records.selection.sales.count,
                reports: records.selection.reports.count,
                notifications: records.selection.notifications.count,
                auditEntries: chain.count,
                head: chain.head
            )
        )
    }

    /// Adds the month exports with rows of every programme for the months that begin in the range.
    private func addMonths(
        to writer: inout ArchiveWriter,
        _ ledger: LedgerQueries,
        _ now: Timestamp,
        _ progress: Progress
    ) throws(LedgerError) {
        let exporter = LedgerExport(rules: rules, settings: settings)
        let zone = rules.settings.timeZone
        let tables = (rules.catalog.programmes + [.noProgramme]).compactMap(rules.table)
        let months = tables.flatMap(\.months).filter { span.contains(zone.start(of: $0.firstDay)) }
        for month in Set(months.map(\.id)).sorted() where writer.failure == nil {
            var spool = ExportSpool(.csv, layout: settings.exportLayout)
            var rows = 0
            let exports = try exporter.exports(ofMonth: month, of: bundleId, now: now, in: ledger) {
                row throws(LedgerError) in
                try spool.append(row)
                rows += 1
                progress("exports/ of \(month)", rows, nil)
            }
            for export in exports where export.rowCount > 0 && span.contains(zone.start(of: export.month.firstDay)) {
                let file = try spool.file(of: MonthExports(bundleId: bundleId, month: month, exports: [export]))
                var blocks = file.blocks
                try writer.add("exports/\(export.programme.id)-\(export.month.id).csv") {
                    writer throws(LedgerError) in
                    while let block = try blocks.next() { writer.put(block) }
                }
            }
        }
    }

    private var introduction: String {
        """
        Records of \(bundleId), \(first) through \(last).

        tokens.csv          tokens made in these months, and those that a sale or report of them is about
        customers.csv       their customers, by pseudonym
        taps.csv            visits of landing links with such a token
        sales.csv           sales that occurred in these months, as they stand
        sale-versions.csv   every version of them
        line-items.csv      every version of every line item created in these months
        reports.csv         reports written or answered in these months, and those on the tokens above
        reports/            of each the exact bytes sent (.json) and the answer received (.answer)
        notifications.csv   notifications received in these months, and those about the tokens above
        notifications/      their signed text as received, named by sequence
        corrections.csv     corrections asked for in these months
        manual-exports.csv  what was handed in by hand, and what was taken back
        invoices.csv        Apple's invoices as they were entered
        payment-events.csv  events of the payment provider, their result and their sales
        exports/            the month exports
        audit-log.jsonl     the audit log from its first entry to its last

        Each entry's hash is SHA-256 over the hash before it (32 zero bytes before the first) and the text
        "sequence LF milliseconds LF kind LF content". Entries about other apps have no content here; their hashes keep
        the chain together. Times are UTC. Customers stand here by pseudonym only.

        """
    }
}
