package import ExternalPurchaseCore
import Ledger

/// A request that touched a sale, to this server or to Apple's, as the audit log tells.
package struct RequestOfSale: Hashable, Sendable {
    /// The id of the request to this server, which the log line of the request has; nil for work of the server's own.
    package let requestId: String?
    /// The report that it wrote, sent or changed, which the log lines about the report have as `report`.
    package let report: RequestIdentifier?
    /// The time of the first change.
    package let at: Timestamp
    /// The kinds of the entries, each once, in the order of the log.
    package fileprivate(set) var changes: [String]
}

extension LedgerQueries {
    /// Returns the requests that touched the rows of a sale, oldest first, at most the last ``RequestOfSale/limit``.
    ///
    /// These are the requests of the sale's own entries, such as its arrival and its corrections, of the payment events that
    /// tell of it, of its reports, of the decisions about it and about its reports, and of its exports.
    ///
    /// - Parameter rows: the sale, and the lines of an order.
    func requests(touching rows: [StoredSale]) throws(LedgerError) -> [RequestOfSale] {
        guard let bundleId = rows.first?.sale.bundleId else { return [] }
        var told: [Int64: ReadEntry] = [:]
        func add(_ found: [ReadEntry]) { for read in found { told[read.entry.sequence] = read } }
        var tokens: Set<ExternalPurchaseId> = []
        var reports: Set<RequestIdentifier> = []
        var decided: [ReviewItem] = []
        for row in rows {
            let id = row.sale.saleId
            let own = try entries([.saleId: id.rawValue, .bundleId: bundleId.rawValue])
            add(own)
            tokens.formUnion(own.compactMap(\.attributedToken))
            for environment in AppStoreEnvironment.allCases {
                let scope = ReportingScope(bundleId: bundleId, environment: environment)
                for version in try lineItemVersions(row.lineItemId, in: scope) {
                    tokens.insert(version.externalPurchaseId)
                    reports.insert(version.requestIdentifier)
                }
            }
            for event in try paymentEvents(tellingOf: id) where event.bundleId == bundleId || event.bundleId == nil {
                add(
                    try entries(ofRecord: event.eventId.rawValue).filter {
                        $0.entry.kind == "payment-event-stored" && $0.text("provider") == event.provider.rawValue
                    }
                )
            }
            if let export = row.exportId {
                add(
                    try entries(ofRecord: export.rawValue).filter {
                        $0.entry.kind.hasPrefix("export-") && $0.text("bundleId") == bundleId.rawValue
                    }
                )
            }
            decided += try reviewItems(about: .sale(id), app: bundleId)
        }
        let ids = Set(rows.map(\.sale.saleId.rawValue))
        for token in tokens {
            var ofReports: [ReadEntry] = []
            for kind in ["report-written", "report-imported", "report-changed"] {
                ofReports += try entries([
                    .externalPurchaseId: token.rawValue, .bundleId: bundleId.rawValue, .kind: kind,
                ])
            }
            // A report that was withdrawn has lost its sales; its first entry names them.
            for read in ofReports where !ids.isDisjoint(with: read.texts("sales")) {
                if let report = read.report { reports.insert(report) }
            }
            add(ofReports.filter { $0.report.map(reports.contains) ?? false })
        }
        for report in reports { decided += try reviewItems(about: .report(report), app: bundleId) }
        for item in decided where item.resolution != nil {
            add(try entries(ofRecord: String(item.sequence)).filter { $0.entry.kind == "attention-resolved" })
        }
        let ordered = told.values.sorted { $0.entry.sequence < $1.entry.sequence }
        return RequestOfSale.list(of: ordered, spelling: reports).suffix(RequestOfSale.limit)
    }

    private func entries(_ values: [ListFilter.Parameter: String]) throws(LedgerError) -> [ReadEntry] {
        try whole { page throws(LedgerError) in
            let entries = try auditEntries(matching: ListFilter(values), page)
            return (entries.map { ReadEntry($0) }, entries.last?.sequence)
        }
    }

    private func entries(ofRecord id: String) throws(LedgerError) -> [ReadEntry] {
        try auditEntries(ofRecord: id).map { ReadEntry($0) }
    }

    private func paymentEvents(tellingOf sale: SaleId) throws(LedgerError) -> [StoredPaymentEvent] {
        try whole { page throws(LedgerError) in
            let events = try paymentEvents(matching: ListFilter([.saleId: sale.rawValue]), page)
            return (events, events.last?.sequence)
        }
    }

    /// Reads all pages of a list.
    private func whole<Row>(
        _ read: (LedgerPage) throws(LedgerError) -> (rows: [Row], last: Int64?)
    ) throws(LedgerError) -> [Row] {
        var (rows, page) = ([Row](), LedgerPage(limit: 500))
        while true {
            let (found, last) = try read(page)
            rows += found
            guard found.count == page.limit, let last else { return rows }
            page.after = last
        }
    }
}

extension RequestOfSale {
    /// The largest number of requests of a sale.
    static let limit = 500

    private struct Key: Hashable {
        let requestId: String?
        let report: RequestIdentifier?
    }

    /// - Parameter reports: the reports as they were sent; an entry has their ids in lower case.
    fileprivate static func list(of entries: [ReadEntry], spelling reports: Set<RequestIdentifier>) -> [RequestOfSale] {
        var (requests, places) = ([RequestOfSale](), [Key: Int]())
        for read in entries {
            let report = read.report.map { id in reports.firstIndex(of: id).map { reports[$0] } ?? id }
            let (key, kind) = (Key(requestId: read.text("requestId"), report: report), read.entry.kind)
            // Work of the server's own, which no request waited for, and entries from before they named one.
            if key.requestId == nil, key.report == nil { continue }
            if let place = places[key] {
                if !requests[place].changes.contains(kind) { requests[place].changes.append(kind) }
                continue
            }
            places[key] = requests.count
            requests.append(
                RequestOfSale(requestId: key.requestId, report: report, at: read.entry.time, changes: [kind])
            )
        }
        return requests
    }
}

/// An entry of the audit log with its members.
private struct ReadEntry {
    let entry: AuditEntry
    private let members: JSONObject?

    init(_ entry: AuditEntry) {
        self.entry = entry
        members = (try? JSONReader().read(entry.content))?.objectValue
    }

    func text(_ name: String) -> String? { members?[name]?.stringValue }

    func texts(_ name: String) -> [String] { members?[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    var report: RequestIdentifier? { text("requestIdentifier").flatMap { RequestIdentifier($0) } }

    /// The token to which an entry of a sale attributes it.
    var attributedToken: ExternalPurchaseId? {
        members?["attribution"]?.objectValue?["externalPurchaseId"]?.stringValue.map { ExternalPurchaseId($0) }
    }
}
