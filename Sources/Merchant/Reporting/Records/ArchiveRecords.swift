import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// The rows of an app that belong to a span of time: what happened in it, and what that is about.
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
    private var taps: [LinkTap] = []
    private var customers: [StoredCustomer] = []
    private var pseudonyms: [CustomerId: String] = [:]
    /// Notifications of this app, whatever their time.
    private var ownNotifications: Set<NotificationUUID> = []

    init(of bundleId: BundleId, in span: Range<Timestamp>, from ledger: any LedgerQueries) throws(LedgerError) {
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

    var tokenTable: ArchiveTable {
        var table = ArchiveTable(
            "externalPurchaseId",
            "environment",
            "appAppleId",
            "tokenType",
            "creationDate",
            "expirationDate",
            "state",
            "source",
            "firstSeen",
            "checkoutId",
            "customer",
            "storefront",
            "flags",
            "reportedAt",
            "text"
        )
        for token in tokens {
            table.rows.append([
                .text(token.token.externalPurchaseId.rawValue), .text(token.token.environment.rawValue),
                .figure(String(token.token.appAppleId)), .optional(token.token.tokenType?.rawValue),
                .time(token.token.tokenCreationDate), .time(token.token.tokenExpirationDate),
                .text(token.state.rawValue), .text(token.firstSeen.source.rawValue), .time(token.firstSeen.time),
                .text(token.checkoutId.rawValue), customer(token.customerId), .optional(token.storefront?.alpha3),
                .text(token.flags.map(\.rawValue).sorted().joined(separator: " ")), .time(token.reportedAt),
                .optional(token.text),
            ])
        }
        return table
    }

    var customerTable: ArchiveTable {
        var table = ArchiveTable("customer", "firstSeen", "erasedAt")
        for customer in customers {
            table.rows.append([.text(customer.pseudonym), .time(customer.firstSeen), .time(customer.erasedAt)])
        }
        return table
    }

    var tapTable: ArchiveTable {
        var table = ArchiveTable("link", "tappedAt", "externalPurchaseId", "checkoutId")
        for tap in taps {
            table.rows.append([
                .text(tap.link), .time(tap.tappedAt), .optional(tap.externalPurchaseId?.rawValue),
                .optional(tap.checkoutId?.rawValue),
            ])
        }
        return table
    }

    var saleTable: ArchiveTable {
        var table = ArchiveTable(
            "saleId",
            "lineItemId",
            "partOf",
            "type",
            "occurredAt",
            "receivedAt",
            "customer",
            "standing",
            "flags",
            "externalPurchaseId",
            "requestIdentifier",
            "exportId",
            "version",
            "retracted"
        )
        for sale in sales {
            table.rows.append([
                .text(sale.sale.saleId.rawValue), .text(sale.lineItemId.rawValue),
                .optional(sale.partOf?.rawValue), .text(sale.sale.typeName), .time(sale.sale.occurredAt),
                .time(sale.receivedAt), customer(sale.sale.customerId),
                .text(sale.standing.rawValue),
                .text(sale.attribution.flags.map(\.rawValue).sorted().joined(separator: " ")),
                .optional(sale.attribution.externalPurchaseId?.rawValue), .optional(sale.requestIdentifier?.text),
                .optional(sale.exportId?.rawValue), .figure(String(sale.version)),
                .figure(sale.isRetracted ? "true" : "false"),
            ])
        }
        return table
    }

    func versionTable(_ ledger: any LedgerQueries) throws(LedgerError) -> ArchiveTable {
        var table = ArchiveTable(
            "saleId",
            "version",
            "change",
            "saidAt",
            "saidBy",
            "reason",
            "lineItemId",
            "correctionId",
            "content"
        )
        for sale in sales {
            for version in try ledger.versions(of: sale.sale.saleId, app: scopeOf) {
                table.rows.append([
                    .text(sale.sale.saleId.rawValue), .figure(String(version.version)), .text(version.word),
                    .time(version.saidAt), .optional(version.by), .optional(version.reason),
                    .text(version.lineItemId.rawValue),
                    .optional(version.correctionId?.rawValue), .text(content(of: version.sale)),
                ])
            }
        }
        return table
    }

    func lineItemTable(_ ledger: any LedgerQueries) throws(LedgerError) -> ArchiveTable {
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

    var reportTable: ArchiveTable {
        var table = ArchiveTable(
            "requestIdentifier",
            "environment",
            "externalPurchaseId",
            "status",
            "state",
            "writtenAt",
            "changedAt",
            "attempts",
            "imported",
            "answerStatus",
            "answeredAt",
            "conclusion",
            "errors"
        )
        for report in reports {
            table.rows.append([
                .text(report.requestIdentifier.text), .text(report.scope.environment.rawValue),
                .text(report.externalPurchaseId.rawValue), .text(report.status.rawValue), .text(report.state.rawValue),
                .time(report.writtenAt), .time(report.changedAt), .figure(String(report.attempts)),
                .figure(report.isImported ? "true" : "false"),
                report.answer?.status.map { .figure(String($0)) } ?? .empty, .time(report.answer?.receivedAt),
                .optional(report.answer?.conclusion),
                .text(
                    report.errors.isEmpty
                        ? "" : String(decoding: JSONValue.array(report.errors.map(\.json)).encoded(), as: UTF8.self)
                ),
            ])
        }
        return table
    }

    var notificationTable: ArchiveTable {
        var table = ArchiveTable(
            "sequence",
            "notificationUUID",
            "type",
            "subtype",
            "environment",
            "externalPurchaseId",
            "signedDate",
            "arrival",
            "receivedAt",
            "doneAt",
            "effect"
        )
        for notification in notifications {
            table.rows.append([
                .figure(String(notification.sequence)), .text(notification.uuid.rawValue),
                .text(notification.type.rawValue), .optional(notification.subtype?.rawValue),
                .optional(notification.environment?.rawValue), .optional(notification.externalPurchaseId?.rawValue),
                .time(notification.signedDate), .text(notification.arrival.rawValue), .time(notification.receivedAt),
                .time(notification.effect?.doneAt), .optional(notification.effect?.detail),
            ])
        }
        return table
    }

    var correctionTable: ArchiveTable {
        var table = ArchiveTable(
            "correctionId",
            "requestedBy",
            "reason",
            "requestedAt",
            "request",
            "confirmedAt",
            "confirmedBy",
            "closedAt",
            "closedBy",
            "note",
            "reports"
        )
        for correction in corrections {
            table.rows.append([
                .text(correction.correctionId.rawValue), .text(correction.requestedBy), .text(correction.reason),
                .time(correction.requestedAt),
                .text(String(decoding: correction.request.encoded(), as: UTF8.self)),
                .time(correction.confirmation?.at), .optional(correction.confirmation?.by),
                .time(correction.closing?.at), .optional(correction.closing?.by), .optional(correction.closing?.note),
                .text(correction.reports.map(\.requestIdentifier.text).joined(separator: " ")),
            ])
        }
        return table
    }

    func exportTable(_ ledger: any LedgerQueries) throws(LedgerError) -> ArchiveTable {
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
                .time(export.handedIn?.at), .optional(export.handedIn?.by), .optional(export.handedIn?.reference),
                .time(export.withdrawal?.at), .optional(export.withdrawal?.by), .optional(export.withdrawal?.reason),
                .text(String(decoding: names.encoded(), as: UTF8.self)),
            ])
        }
        return table
    }

    var invoiceTable: ArchiveTable {
        var table = ArchiveTable(
            "invoiceId",
            "programme",
            "month",
            "issuedOn",
            "currency",
            "amount",
            "enteredAt",
            "enteredBy"
        )
        for invoice in invoices {
            table.rows.append([
                .text(invoice.invoiceId), .text(invoice.programme), .text(invoice.month), .figure(invoice.issuedOn),
                .text(invoice.currency), .figure(invoice.amountText), .time(invoice.enteredAt),
                .text(invoice.enteredBy),
            ])
        }
        return table
    }

    // MARK: The chain

    /// The audit log, one entry a line; entries that are about other apps without their content.
    func chain(
        _ ledger: any LedgerQueries
    ) throws(LedgerError) -> (text: String, count: Int, head: AuditHead?) {
        var (text, count) = ("", 0)
        var head: AuditHead?
        try ledger.eachAuditEntry { entry throws(LedgerError) in
            let content: JSONValue = isOurs(entry) ? .string(entry.content) : .null
            let line = JSONValue.object(
                JSONObject([
                    .init("sequence", .integer(entry.sequence)),
                    .init("milliseconds", .integer(entry.time.milliseconds)),
                    .init("kind", .string(entry.kind)), .init("content", content),
                    .init("hash", .string(entry.hash.hexadecimal)),
                ])
            )
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
        // These name no app: purges, decisions of the review, alerts (their number and the digest of the message).
        return ["records-purged", "attention-resolved", "escalated", "escalation-delivered"].contains(entry.kind)
    }

    private func customer(_ id: CustomerId?) -> CSVText.Cell { .optional(id.flatMap { pseudonyms[$0] }) }

    /// The members of a sale, with the pseudonym where the caller's id stands.
    private func content(of sale: Sale) -> String {
        guard case .object(var object) = sale.json else { return "" }
        object.members.removeAll { $0.key == "customerId" }
        if let pseudonym = sale.customerId.flatMap({ pseudonyms[$0] }) {
            object.members.append(.init("customer", .string(pseudonym)))
        }
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }
}

extension CSVText.Cell {
    fileprivate static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .empty }
    fileprivate static func time(_ moment: Timestamp?) -> Self { moment.map { .figure($0.description) } ?? .empty }
}
