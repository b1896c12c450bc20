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

    /// Writes the archive.
    ///
    /// - Parameters:
    ///   - ledger: one consistent state of the ledger.
    ///   - write: receives the bytes in order.
    /// - Throws: ``LedgerError``; an ``ArchiveFailure`` of `write` is part of the result.
    package func write(
        _ ledger: LedgerQueries,
        to write: @escaping ([UInt8]) throws(ArchiveFailure) -> Void
    ) throws(LedgerError) -> Result<Summary, ArchiveFailure> {
        var writer = ArchiveWriter(tar: TarFile(write: write))
        let records = try ArchiveRecords(of: bundleId, in: span, from: ledger)
        writer.add("README.txt", text: introduction)
        writer.add("tokens.csv", records.tokenTable)
        writer.add("customers.csv", records.customerTable)
        writer.add("taps.csv", records.tapTable)
        writer.add("sales.csv", records.saleTable)
        writer.add("sale-versions.csv", try records.versionTable(ledger))
        writer.add("line-items.csv", try records.lineItemTable(ledger))
        writer.add("reports.csv", records.reportTable)
        writer.add("notifications.csv", records.notificationTable)
        writer.add("corrections.csv", records.correctionTable)
        writer.add("manual-exports.csv", try records.exportTable(ledger))
        writer.add("invoices.csv", records.invoiceTable)
        writer.add("payment-events.csv", records.paymentEventTable)
        for report in records.reports {
            let name = "reports/\(report.scope.environment.rawValue)/\(report.requestIdentifier.key)"
            writer.add("\(name).json", report.body)
            if let answer = report.answer { writer.add("\(name).answer", answer.body) }
        }
        for notification in records.notifications {
            guard let payload = notification.payload else { continue }
            writer.add("notifications/\(notification.sequence).jws", Array(payload.utf8))
        }
        // The time comes from the ledger instead of the clock, so that the same ledger gives the same archive.
        try addMonths(to: &writer, ledger, try ledger.lastAuditEntry()?.time ?? span.upperBound)
        let chain = try records.chain(ledger)
        writer.add("audit-log.jsonl", Array(chain.text.utf8))
        writer.finish()
        if let failure = writer.failure { return .failure(failure) }
        return .success(
            Summary(
                files: writer.files,
                bytes: writer.tar.bytesWritten,
                tokens: records.tokens.count,
                sales: records.sales.count,
                reports: records.reports.count,
                notifications: records.notifications.count,
                auditEntries: chain.count,
                head: chain.head
            )
        )
    }

    /// Adds the month exports with rows of every programme for the months that begin in the range.
    private func addMonths(
        to writer: inout ArchiveWriter,
        _ ledger: LedgerQueries,
        _ now: Timestamp
    ) throws(LedgerError) {
        let exporter = LedgerExport(rules: rules, settings: settings)
        let zone = rules.settings.timeZone
        let tables = (rules.catalog.programmes + [.noProgramme]).compactMap(rules.table)
        let months = tables.flatMap(\.months).filter { span.contains(zone.start(of: $0.firstDay)) }
        for month in Set(months.map(\.id)).sorted() {
            var spool = ExportSpool(.csv, layout: settings.exportLayout)
            let exports = try exporter.exports(ofMonth: month, of: bundleId, now: now, in: ledger) {
                row throws(LedgerError) in try spool.append(row)
            }
            for export in exports where export.rowCount > 0 && span.contains(zone.start(of: export.month.firstDay)) {
                let file = try spool.file(of: MonthExports(bundleId: bundleId, month: month, exports: [export]))
                var blocks = file.blocks
                writer.add("exports/\(export.programme.id)-\(export.month.id).csv", try blocks.rest())
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

/// Adds files to an archive and skips the rest after the first failure.
struct ArchiveWriter {
    private(set) var tar: TarFile
    private(set) var files = 0
    private(set) var failure: ArchiveFailure?

    init(tar: TarFile) {
        self.tar = tar
    }

    mutating func add(_ name: String, _ content: [UInt8]) {
        guard failure == nil else { return }
        do throws(ArchiveFailure) {
            try tar.append(name, content)
            files += 1
        } catch {
            failure = error
        }
    }

    mutating func add(_ name: String, text: String) { add(name, Array(text.utf8)) }

    mutating func add(_ name: String, _ table: ArchiveTable) {
        add(name, Array(CSVText.document(header: table.header, rows: table.rows).utf8))
    }

    mutating func finish() {
        guard failure == nil else { return }
        do throws(ArchiveFailure) {
            try tar.finish()
        } catch {
            failure = error
        }
    }
}

/// A table that becomes a file of comma-separated values.
struct ArchiveTable {
    let header: [String]
    var rows: [[CSVText.Cell]] = []

    init(_ header: String...) {
        self.header = header
    }

    /// Creates a table with one row per record.
    init<Record>(_ fields: RecordFields<Record>, of records: [Record], naming pseudonyms: [CustomerId: String]) {
        header = fields.names(in: .archive)
        rows = records.map { record in
            fields.values(of: record, in: .archive).map { CSVText.Cell($0, naming: pseudonyms) }
        }
    }
}

extension CSVText.Cell {
    fileprivate init(_ value: RecordValue, naming pseudonyms: [CustomerId: String]) {
        self =
            switch value {
            case .text(let text): text.map { .text($0) } ?? .empty
            case .figure(let text): text.map { .figure($0) } ?? .empty
            case .integer(let integer): integer.map { .figure(String($0)) } ?? .empty
            case .flag(let flag): .figure(flag ? "true" : "false")
            case .time(let time): time.map { .figure($0.description) } ?? .empty
            case .texts(let texts): .text(texts.sorted().joined(separator: " "))
            case .customer(let customer): customer.flatMap { pseudonyms[$0] }.map { .text($0) } ?? .empty
            case .sale(let sale): sale.map { .text($0.json(naming: pseudonyms).text) } ?? .empty
            case .json(let json): json.map { .text($0.text) } ?? .empty
            }
    }
}

extension JSONValue {
    fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
