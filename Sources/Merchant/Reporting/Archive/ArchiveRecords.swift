import ExternalPurchaseCore
import Ledger

/// The rows of an app in a time range, with the rows that they refer to.
///
/// Memory holds their numbers, of 1 bit each, and a page of rows.
struct ArchiveRecords {
    /// The tables, in the order of their files.
    enum Table: String, CaseIterable {
        case tokens
        case customers
        case taps
        case sales
        case saleVersions = "sale-versions"
        case lineItems = "line-items"
        case reports
        case notifications
        case corrections
        case manualExports = "manual-exports"
        case invoices
        case paymentEvents = "payment-events"
    }

    let selection: RecordSelection
    private let bundleId: BundleId
    private let span: Range<Timestamp>
    private let ledger: LedgerQueries
    private let progress: AuditArchive.Progress

    /// The number of rows that are read together.
    private static let pageSize = 500
    /// The same of rows with what was sent or received.
    private static let smallPageSize = 50

    init(
        of bundleId: BundleId,
        in span: Range<Timestamp>,
        from ledger: LedgerQueries,
        progress: @escaping AuditArchive.Progress
    ) throws(LedgerError) {
        selection = try ledger.selection(of: bundleId, in: span)
        self.bundleId = bundleId
        self.span = span
        self.ledger = ledger
        self.progress = progress
    }

    // MARK: Tables

    /// Adds the rows of a table.
    func add(_ table: Table, to writer: inout ArchiveWriter) throws(LedgerError) {
        switch table {
        case .tokens:
            try add(table, StoredToken.fields, selection.tokens, to: &writer) { page throws(LedgerError) in
                try ledger.tokens(at: page)
            }
        case .customers:
            try add(table, StoredCustomer.fields, selection.customers, to: &writer) { page throws(LedgerError) in
                try ledger.customers(at: page)
            }
        case .taps:
            try add(table, LinkTap.fields, selection.taps, to: &writer) { page throws(LedgerError) in
                try ledger.taps(at: page)
            }
        case .sales:
            try add(table, StoredSale.fields, selection.sales, to: &writer) { page throws(LedgerError) in
                try ledger.sales(at: page)
            }
        case .saleVersions:
            try add(table, SaleVersion.fields, selection.sales, to: &writer) { page throws(LedgerError) in
                try ledger.versions(ofSalesAt: page)
            }
        case .lineItems: try addLineItems(to: &writer)
        case .reports:
            try add(table, StoredReport.fields, selection.reports, by: Self.smallPageSize, to: &writer) {
                page throws(LedgerError) in try ledger.reports(at: page)
            }
        case .notifications:
            try add(table, StoredNotification.fields, selection.notifications, by: Self.smallPageSize, to: &writer) {
                page throws(LedgerError) in try ledger.notifications(at: page)
            }
        case .corrections:
            put(StoredCorrection.fields.names(in: .archive), to: &writer)
            try ledger.eachCorrection { correction throws(LedgerError) in
                guard correction.bundleId == bundleId, span.contains(correction.requestedAt) else { return }
                try writer.put([correction], StoredCorrection.fields, of: bundleId, in: ledger)
            }
        case .manualExports: try addManualExports(to: &writer)
        case .invoices:
            put(StoredInvoice.fields.names(in: .archive), to: &writer)
            try ledger.eachInvoice { invoice throws(LedgerError) in
                guard invoice.bundleId == bundleId else { return }
                try writer.put([invoice], StoredInvoice.fields, of: bundleId, in: ledger)
            }
        case .paymentEvents:
            try add(table, StoredPaymentEvent.fields, selection.paymentEvents, by: Self.smallPageSize, to: &writer) {
                page throws(LedgerError) in try ledger.paymentEvents(at: page)
            }
        }
    }

    private func put(_ header: [String], to writer: inout ArchiveWriter) { writer.put(header.map { .text($0) }) }

    private func add<Record>(
        _ table: Table,
        _ fields: RecordFields<Record>,
        _ numbers: RowNumbers,
        by limit: Int = pageSize,
        to writer: inout ArchiveWriter,
        _ rows: ([Int64]) throws(LedgerError) -> [Record]
    ) throws(LedgerError) {
        put(fields.names(in: .archive), to: &writer)
        var done = 0
        for page in numbers.pages(of: limit) where writer.failure == nil {
            try writer.put(try rows(page), fields, of: bundleId, in: ledger)
            done += page.count
            progress("\(table.rawValue).csv", done, numbers.count)
        }
    }

    private func addLineItems(to writer: inout ArchiveWriter) throws(LedgerError) {
        let header = [
            "lineItemId", "environment", "creationDate", "externalPurchaseId", "requestIdentifier", "reportState",
            "writtenAt", "content",
        ]
        put(header, to: &writer)
        var done = 0
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            try ledger.eachLineItem(in: scope, createdFrom: span.lowerBound, until: span.upperBound) {
                version throws(LedgerError) in
                writer.put([
                    .optional(version.item.lineItemId?.rawValue), .text(environment.rawValue),
                    .time(version.item.creationDate.map { Timestamp(milliseconds: $0) }),
                    .text(version.externalPurchaseId.rawValue), .text(version.requestIdentifier.text),
                    .text(version.reportState.rawValue), .time(version.writtenAt),
                    .text(version.item.json.text),
                ])
                done += 1
                progress("line-items.csv", done, nil)
            }
        }
    }

    private func addManualExports(to writer: inout ArchiveWriter) throws(LedgerError) {
        let header = [
            "exportId", "programme", "month", "madeAt", "handedInOn", "handedInBy", "reference", "withdrawnAt",
            "withdrawnBy", "withdrawnBecause", "sales",
        ]
        put(header, to: &writer)
        try ledger.eachManualExport { export throws(LedgerError) in
            guard export.bundleId == bundleId else { return }
            let sales = try ledger.saleIds(in: export.exportId, of: bundleId)
            writer.put([
                .text(export.exportId.rawValue), .text(export.programme), .text(export.month), .time(export.madeAt),
                .time(export.submission?.at), .optional(export.submission?.by), .optional(export.submission?.reference),
                .time(export.withdrawal?.at), .optional(export.withdrawal?.by), .optional(export.withdrawal?.reason),
                .text(JSONValue.array(sales.map { .string($0.rawValue) }).text),
            ])
        }
    }

    // MARK: Bytes as sent and received

    /// Adds the bytes of every report and every answer, and the text of every notification.
    func addBodies(to writer: inout ArchiveWriter) throws(LedgerError) {
        var done = 0
        for page in selection.reports.pages(of: Self.smallPageSize) where writer.failure == nil {
            for report in try ledger.reports(at: page) {
                let name = "reports/\(report.scope.environment.rawValue)/\(report.requestIdentifier.key)"
                writer.add("\(name).json", report.body)
                if let answer = report.answer { writer.add("\(name).answer", answer.body) }
            }
            done += page.count
            progress("reports/", done, selection.reports.count)
        }
        done = 0
        for page in selection.notifications.pages(of: Self.smallPageSize) where writer.failure == nil {
            for notification in try ledger.notifications(at: page) {
                guard let payload = notification.payload else { continue }
                writer.add("notifications/\(notification.sequence).jws", payload.utf8)
            }
            done += page.count
            progress("notifications/", done, selection.notifications.count)
        }
    }

    // MARK: Audit log

    /// Adds the audit log, one entry per line; entries about other apps have no content.
    ///
    /// - Returns: the number of entries and the newest one.
    func addChain(to writer: inout ArchiveWriter) throws(LedgerError) -> (count: Int, head: AuditHead?) {
        var (count, head): (Int, AuditHead?) = (0, nil)
        let total = try ledger.auditHead().map { Int($0.sequence) }
        var page = LedgerPage(limit: Self.pageSize)
        while writer.failure == nil {
            let entries = try ledger.auditEntries(page)
            guard let last = entries.last else { break }
            for (entry, isOurs) in zip(entries, try areOurs(entries)) {
                let line =
                    JSONValue.object([
                        "sequence": .integer(entry.sequence),
                        "milliseconds": .integer(entry.time.milliseconds),
                        "kind": .string(entry.kind), "content": isOurs ? .string(entry.content) : .null,
                        "hash": .string(entry.hash.hexadecimal),
                    ])
                writer.put(line.encoded() + [0x0A])
            }
            count += entries.count
            head = AuditHead(sequence: last.sequence, hash: last.hash)
            page.after = last.sequence
            progress("audit-log.jsonl", count, total)
        }
        return (count, head)
    }

    /// Whether each of some entries is about the app.
    private func areOurs(_ entries: [AuditEntry]) throws(LedgerError) -> [Bool] {
        let subjects = entries.map(subject)
        let own = try ledger.notifications(Set(subjects.compactMap(\.notification)), of: bundleId)
        return subjects.map { $0.isOurs || $0.notification.map { own.contains($0) } ?? false }
    }

    /// Whether an entry is about the app, as far as it says so, or the notification on which that depends.
    private func subject(of entry: AuditEntry) -> (isOurs: Bool, notification: NotificationUUID?) {
        guard let object = (try? JSONReader().read(entry.content))?.objectValue else { return (false, nil) }
        let named = [object, object["sale"]?.objectValue, object["token"]?.objectValue]
            .compactMap { $0?["bundleId"]?.stringValue }
        if let app = named.first { return (app == bundleId.rawValue, nil) }
        if let uuid = object["notificationUUID"]?.stringValue { return (false, NotificationUUID(uuid)) }
        // Entries of these kinds name no app: purges, review decisions and alerts, which contain a number and a digest.
        let isOfNoApp = ["records-purged", "attention-resolved", "escalated", "escalation-delivered"]
            .contains(entry.kind)
        return (isOfNoApp, nil)
    }
}
