import ExternalPurchaseCore
import Ledger

/// The rows of an app in a time range, with the rows that they refer to.
struct ArchiveRecords {
    let scopeOf: BundleId
    let span: Range<Timestamp>
    private(set) var tokens: [StoredToken] = []
    private(set) var sales: [StoredSale] = []
    private(set) var reports: [StoredReport] = []
    private(set) var notifications: [StoredNotification] = []
    private var corrections: [StoredCorrection] = []
    private var exports: [ManualExport] = []
    private var invoices: [StoredInvoice] = []
    private var paymentEvents: [StoredPaymentEvent] = []
    private var taps: [LinkTap] = []
    private var customers: [StoredCustomer] = []
    private var pseudonyms: [CustomerId: String] = [:]
    /// All notifications of this app, regardless of their time.
    private var ownNotifications: Set<NotificationUUID> = []

    init(of bundleId: BundleId, in span: Range<Timestamp>, from ledger: LedgerQueries) throws(LedgerError) {
        scopeOf = bundleId
        self.span = span
        var wanted: Set<ExternalPurchaseId> = []
        var sales: [StoredSale] = []
        try ledger.eachSale { sale throws(LedgerError) in
            guard sale.sale.bundleId == bundleId, span.contains(sale.sale.occurredAt) else { return }
            sales.append(sale)
            if let id = sale.attribution.externalPurchaseId { wanted.insert(id) }
        }
        var reports: [StoredReport] = []
        try ledger.eachReport { report throws(LedgerError) in
            guard report.scope.bundleId == bundleId else { return }
            let moments = [report.writtenAt, report.changedAt] + (report.answer.map { [$0.receivedAt] } ?? [])
            if moments.contains(where: span.contains) { wanted.insert(report.externalPurchaseId) }
            reports.append(report)
        }
        var tokens: [StoredToken] = []
        try ledger.eachToken { token throws(LedgerError) in
            guard token.token.bundleId == bundleId else { return }
            if span.contains(token.token.tokenCreationDate) { wanted.insert(token.token.externalPurchaseId) }
            if wanted.contains(token.token.externalPurchaseId) { tokens.append(token) }
        }
        self.sales = sales
        self.tokens = tokens
        self.reports = reports.filter { wanted.contains($0.externalPurchaseId) }
        var (notifications, own): ([StoredNotification], Set<NotificationUUID>) = ([], [])
        try ledger.eachNotification { notification throws(LedgerError) in
            guard notification.bundleId == bundleId else { return }
            own.insert(notification.uuid)
            let isWanted = notification.externalPurchaseId.map { wanted.contains($0) } ?? false
            if isWanted || span.contains(notification.receivedAt) { notifications.append(notification) }
        }
        self.notifications = notifications
        ownNotifications = own
        var corrections: [StoredCorrection] = []
        try ledger.eachCorrection { correction throws(LedgerError) in
            if correction.bundleId == bundleId, span.contains(correction.requestedAt) { corrections.append(correction) }
        }
        self.corrections = corrections
        var exports: [ManualExport] = []
        try ledger.eachManualExport { export throws(LedgerError) in
            if export.bundleId == bundleId { exports.append(export) }
        }
        self.exports = exports
        var invoices: [StoredInvoice] = []
        try ledger.eachInvoice { invoice throws(LedgerError) in
            if invoice.bundleId == bundleId { invoices.append(invoice) }
        }
        self.invoices = invoices
        let saleIds = Set(sales.map(\.sale.saleId))
        var paymentEvents: [StoredPaymentEvent] = []
        try ledger.eachPaymentEvent { event throws(LedgerError) in
            guard event.reviewingApp == bundleId else { return }
            let isWanted = span.contains(event.createdAt) || !saleIds.isDisjoint(with: event.result.sales)
            if isWanted { paymentEvents.append(event) }
        }
        self.paymentEvents = paymentEvents
        var taps: [LinkTap] = []
        try ledger.eachTap { tap throws(LedgerError) in
            guard tap.bundleId == bundleId else { return }
            let isWanted = tap.externalPurchaseId.map { wanted.contains($0) } ?? false
            if isWanted || span.contains(tap.tappedAt) { taps.append(tap) }
        }
        self.taps = taps
        let named = Set(tokens.compactMap(\.customerId)).union(sales.compactMap(\.sale.customerId))
        var customers: [StoredCustomer] = []
        var pseudonyms: [CustomerId: String] = [:]
        try ledger.eachCustomer { customer throws(LedgerError) in
            guard customer.bundleId == bundleId else { return }
            pseudonyms[customer.customerId] = customer.pseudonym
            if named.contains(customer.customerId) { customers.append(customer) }
        }
        self.customers = customers
        self.pseudonyms = pseudonyms
    }

    // MARK: Tables

    var tokenTable: ArchiveTable { ArchiveTable(StoredToken.fields, of: tokens, naming: pseudonyms) }

    var customerTable: ArchiveTable { ArchiveTable(StoredCustomer.fields, of: customers, naming: pseudonyms) }

    var tapTable: ArchiveTable { ArchiveTable(LinkTap.fields, of: taps, naming: pseudonyms) }

    var saleTable: ArchiveTable { ArchiveTable(StoredSale.fields, of: sales, naming: pseudonyms) }

    func versionTable(_ ledger: LedgerQueries) throws(LedgerError) -> ArchiveTable {
        var versions: [SaleVersion] = []
        for sale in sales { versions += try ledger.versions(of: sale.sale.saleId, app: scopeOf) }
        return ArchiveTable(SaleVersion.fields, of: versions, naming: pseudonyms)
    }

    func lineItemTable(_ ledger: LedgerQueries) throws(LedgerError) -> ArchiveTable {
        var table = ArchiveTable(
            "lineItemId",
            "environment",
            "creationDate",
            "externalPurchaseId",
            "requestIdentifier",
            "reportState",
            "writtenAt",
            "content"
        )
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: scopeOf, environment: environment)
            try ledger.eachLineItem(in: scope, createdFrom: span.lowerBound, until: span.upperBound) {
                version throws(LedgerError) in
                table.rows.append([
                    .optional(version.item.lineItemId?.rawValue), .text(environment.rawValue),
                    .time(version.item.creationDate.map { Timestamp(milliseconds: $0) }),
                    .text(version.externalPurchaseId.rawValue), .text(version.requestIdentifier.text),
                    .text(version.reportState.rawValue), .time(version.writtenAt),
                    .text(String(decoding: version.item.json.encoded(), as: UTF8.self)),
                ])
            }
        }
        return table
    }

    var reportTable: ArchiveTable { ArchiveTable(StoredReport.fields, of: reports, naming: pseudonyms) }

    var notificationTable: ArchiveTable {
        ArchiveTable(StoredNotification.fields, of: notifications, naming: pseudonyms)
    }

    var correctionTable: ArchiveTable { ArchiveTable(StoredCorrection.fields, of: corrections, naming: pseudonyms) }

    func exportTable(_ ledger: LedgerQueries) throws(LedgerError) -> ArchiveTable {
        var table = ArchiveTable(
            "exportId",
            "programme",
            "month",
            "madeAt",
            "handedInOn",
            "handedInBy",
            "reference",
            "withdrawnAt",
            "withdrawnBy",
            "withdrawnBecause",
            "sales"
        )
        for export in exports {
            let sales = try ledger.sales(in: export.exportId, of: scopeOf).map(\.sale.saleId.rawValue)
            let names = JSONValue.array(sales.map { .string($0) })
            table.rows.append([
                .text(export.exportId.rawValue), .text(export.programme), .text(export.month), .time(export.madeAt),
                .time(export.submission?.at), .optional(export.submission?.by), .optional(export.submission?.reference),
                .time(export.withdrawal?.at), .optional(export.withdrawal?.by), .optional(export.withdrawal?.reason),
                .text(String(decoding: names.encoded(), as: UTF8.self)),
            ])
        }
        return table
    }

    var invoiceTable: ArchiveTable { ArchiveTable(StoredInvoice.fields, of: invoices, naming: pseudonyms) }

    var paymentEventTable: ArchiveTable {
        ArchiveTable(StoredPaymentEvent.fields, of: paymentEvents, naming: pseudonyms)
    }

    // MARK: Audit log

    /// Returns the audit log, one entry per line; entries about other apps have no content.
    func chain(
        _ ledger: LedgerQueries
    ) throws(LedgerError) -> (text: String, count: Int, head: AuditHead?) {
        var (text, count) = ("", 0)
        var head: AuditHead?
        try ledger.eachAuditEntry { entry throws(LedgerError) in
            let content: JSONValue = isOurs(entry) ? .string(entry.content) : .null
            let line =
                JSONValue.object([
                    "sequence": .integer(entry.sequence),
                    "milliseconds": .integer(entry.time.milliseconds),
                    "kind": .string(entry.kind), "content": content,
                    "hash": .string(entry.hash.hexadecimal),
                ])
            text += String(decoding: line.encoded(), as: UTF8.self) + "\n"
            count += 1
            head = AuditHead(sequence: entry.sequence, hash: entry.hash)
        }
        return (text, count, head)
    }

    private func isOurs(_ entry: AuditEntry) -> Bool {
        guard let object = (try? JSONReader().read(entry.content))?.objectValue else { return false }
        let named = [object, object["sale"]?.objectValue, object["token"]?.objectValue]
            .compactMap { $0?["bundleId"]?.stringValue }
        if let app = named.first { return app == scopeOf.rawValue }
        if let uuid = object["notificationUUID"]?.stringValue {
            return ownNotifications.contains(NotificationUUID(uuid))
        }
        // Entries of these kinds name no app: purges, review decisions and alerts, which contain a number and a digest.
        return ["records-purged", "attention-resolved", "escalated", "escalation-delivered"].contains(entry.kind)
    }
}

extension CSVText.Cell {
    fileprivate static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .empty }
    fileprivate static func time(_ moment: Timestamp?) -> Self { moment.map { .figure($0.description) } ?? .empty }
}
