import ExternalPurchaseCore
import Ledger

/// A change that an entry of the audit log tells of, without the data of its subject.
struct ToldChange: Hashable, Sendable {
    let type: ChangeType
    let bundleId: BundleId?
    let subject: ChangeSubject
    /// What only the entry knows; nil where the subject's row has the data.
    var data: JSONValue?
    /// The environment of a report, whose identifier may occur in each.
    var environment: AppStoreEnvironment?
}

extension LedgerQueries {
    /// Returns the changes that an entry of the audit log tells of, in an order that stays; most entries tell of one or
    /// of none.
    ///
    /// A report also changes its sales, which its bytes name.
    func changes(toldBy entry: AuditEntry) throws(LedgerError) -> [ToldChange] {
        guard let content = try? JSONReader().read(entry.content).objectValue else {
            throw .corrupt("entry \(entry.sequence) of the audit log is no JSON object")
        }
        let bundleId = content.text("bundleId").map { BundleId($0) }
        switch entry.kind {
        case "token-stored": return token(.tokenStored, content["token"]?.objectValue)
        case "token-changed", "token-completed": return token(.tokenChanged, content["token"]?.objectValue)
        case "customer-settled": return token(.tokenChanged, content)
        case "sale-stored", "sale-attributed":
            let sale = content["sale"]?.objectValue ?? content
            guard let id = sale.text("saleId"), let app = sale.text("bundleId").map({ BundleId($0) }) else { return [] }
            let state = content["attribution"]?.objectValue?.text("state").flatMap(SaleState.init(rawValue:))
            return try [wholeSale(SaleId(id), of: app, state.map { ChangeType($0) } ?? .saleChanged)]
        case "sale-corrected":
            guard let sale = content["sale"]?.objectValue, let id = sale.text("saleId"), let app = sale.text("bundleId")
            else { return [] }
            return try [wholeSale(SaleId(id), of: BundleId(app), .saleCorrected)]
        case "sale-change-asked", "sale-change-closed":
            guard let bundleId, let id = content.text("saleId") else { return [] }
            return try [wholeSale(SaleId(id), of: bundleId, .saleChanged)]
        case "report-written", "report-imported", "report-changed": return try report(entry.kind, content)
        case "correction-requested", "correction-changed", "correction-reported":
            guard let bundleId, let id = content.text("correctionId") else { return [] }
            let type: ChangeType =
                if entry.kind == "correction-reported" {
                    .correctionReported
                } else if content["closing"] != nil {
                    .correctionClosed
                } else {
                    content["confirmation"] == nil ? .correctionRequested : .correctionConfirmed
                }
            return [ToldChange(type: type, bundleId: bundleId, subject: .init(kind: .correction, id: id))]
        case "attention-opened": return try openedReview(content, at: entry.time)
        case "attention-resolved":
            guard let item = content["item"]?.int64Value else { return [] }
            let stored = try reviewItem(item)
            let subject = ChangeSubject(kind: .review, id: String(item))
            return [ToldChange(type: .reviewClosed, bundleId: stored?.bundleId, subject: subject)]
        case "escalated": return try deadlines(content)
        case "payment-event-changed":
            guard content.text("state") == PaymentEventResult.State.waiting.rawValue, let id = content.text("eventId")
            else { return [] }
            return [ToldChange(type: .paymentWaiting, bundleId: bundleId, subject: .init(kind: .payment, id: id))]
        case "export-made", "export-handed-in", "export-withdrawn": return try export(entry.kind, content)
        case "customer-erased":
            guard let bundleId, let pseudonym = content.text("customer") else { return [] }
            let subject = ChangeSubject(kind: .customer, id: pseudonym)
            return [ToldChange(type: .customerErased, bundleId: bundleId, subject: subject)]
        case "records-purged":
            let before = content["before"]?.int64Value.map { Timestamp(milliseconds: $0) }
            let data: JSONValue = ["before": before.map { .string($0.description) } ?? .null]
            let subject = ChangeSubject(kind: .ledger, id: "")
            return [ToldChange(type: .ledgerPurged, bundleId: nil, subject: subject, data: data)]
        default: return []
        }
    }

    private func token(_ type: ChangeType, _ token: JSONObject?) -> [ToldChange] {
        guard let id = token?.text("externalPurchaseId"), let app = token?.text("bundleId") else { return [] }
        return [ToldChange(type: type, bundleId: BundleId(app), subject: .init(kind: .token, id: id))]
    }

    /// Returns the change of a sale as its caller submitted it: of the order, where a row is one of its lines.
    private func wholeSale(
        _ id: SaleId,
        of bundleId: BundleId,
        _ type: ChangeType
    ) throws(LedgerError) -> ToldChange {
        let row = try sale(id, of: bundleId)
        let isAttributed = [.salePlanned, .saleHeld, .saleRecorded].contains(type)
        return ToldChange(
            // The state of an order is that of its lines, which have entries of their own.
            type: isAttributed && row?.sale.lines != nil ? .saleChanged : type,
            bundleId: bundleId,
            subject: .init(kind: .sale, id: (row?.partOf ?? id).rawValue)
        )
    }

    private func report(_ kind: String, _ content: JSONObject) throws(LedgerError) -> [ToldChange] {
        guard let app = content.text("bundleId").map({ BundleId($0) }),
            let environment = content.text("environment").flatMap(AppStoreEnvironment.init(rawValue:)),
            let key = content.text("requestIdentifier"), let identifier = RequestIdentifier(key),
            let state = content.text("state").flatMap(ReportState.init(rawValue:))
        else { return [] }
        let stored = try report(identifier, in: ReportingScope(bundleId: app, environment: environment))
        let id = stored?.requestIdentifier.text ?? identifier.text
        let report = ToldChange(
            // The first attempt may begin in the same transaction.
            type: kind == "report-written" ? .reportWritten : ChangeType(state),
            bundleId: app,
            subject: .init(kind: .report, id: id),
            environment: environment
        )
        let ofSales: ChangeType? =
            switch state {
            case .accepted: .saleReported
            case .withdrawn: .saleChanged
            default: kind == "report-written" ? .saleChanged : nil
            }
        guard let ofSales, let stored else { return [report] }
        // What it holds, which is less than its line items after a correction, and more with a chargeback that was won back.
        var sales = (content["sales"]?.arrayValue ?? []).compactMap(\.stringValue).map { SaleId($0) }
        if sales.isEmpty { sales = try self.sales(in: identifier, of: stored.scope).map(\.sale.saleId) }
        if state == .withdrawn { sales = try salesNamed(by: stored) }
        for item in (try? ReceivedReport.read(stored.body).lineItems) ?? [] {
            guard let line = item.lineItemId, let id = try sale(ofLineItem: line, of: app) else { continue }
            sales.append(id)
        }
        var changes = [report]
        for id in sales {
            let change = try wholeSale(id, of: app, ofSales)
            if !changes.contains(change) { changes.append(change) }
        }
        return changes
    }

    /// The sales with which a report was written; it loses them when it is withdrawn.
    private func salesNamed(by report: StoredReport) throws(LedgerError) -> [SaleId] {
        let filter = ListFilter([.kind: "report-written", .externalPurchaseId: report.externalPurchaseId.rawValue])
        var page = LedgerPage(limit: 500)
        while true {
            let entries = try auditEntries(matching: filter, page)
            for entry in entries {
                let content = try? JSONReader().read(entry.content).objectValue
                guard content?.text("requestIdentifier") == report.requestIdentifier.key else { continue }
                return (content?["sales"]?.arrayValue ?? []).compactMap(\.stringValue).map { SaleId($0) }
            }
            guard entries.count == page.limit, let last = entries.last else { return [] }
            page.after = last.sequence
        }
    }

    /// The entry has no number of the item: one item of a kind and subject is open at a time.
    private func openedReview(_ content: JSONObject, at time: Timestamp) throws(LedgerError) -> [ToldChange] {
        guard let app = content.text("bundleId").map({ BundleId($0) }), let kind = content.text("kind"),
            let subject = ReviewSubject(kind: content.text("about") ?? "", id: content.text("id") ?? "")
        else { return [] }
        let items = try reviewItems(about: subject, app: app).filter { $0.kind.rawValue == kind }
        let item = items.last { $0.openedAt <= time } ?? items.first
        let id = item.map { String($0.sequence) } ?? ""
        return [ToldChange(type: .reviewOpened, bundleId: app, subject: .init(kind: .review, id: id))]
    }

    private func deadlines(_ content: JSONObject) throws(LedgerError) -> [ToldChange] {
        var changes: [ToldChange] = []
        for element in content["due"]?.arrayValue ?? [] {
            guard let due = element.objectValue, let app = due.text("bundleId").map({ BundleId($0) }),
                let id = due.text("id"), let step = due.text("step")
            else { continue }
            let isToken = due.text("about") == "token"
            let sale = isToken ? nil : try sale(ofLineItem: LineItemId(id), of: app)
            let subject = try sale.map { id throws(LedgerError) in
                try wholeSale(id, of: app, .saleChanged).subject
            }
            let at = due["dueAt"]?.int64Value.map { Timestamp(milliseconds: $0) }
            changes.append(
                ToldChange(
                    type: step == DeadlineState.overdue.alertName ? .deadlineMissed : .deadlineNear,
                    bundleId: app,
                    subject: subject ?? .init(kind: isToken ? .token : .sale, id: id),
                    data: ["dueAt": at.map { .string($0.description) } ?? .null, "step": .string(step)]
                )
            )
        }
        return changes
    }

    private func export(_ kind: String, _ content: JSONObject) throws(LedgerError) -> [ToldChange] {
        guard let app = content.text("bundleId").map({ BundleId($0) }), let id = content.text("exportId") else {
            return []
        }
        let type: ChangeType =
            switch kind {
            case "export-made": .exportReady
            case "export-withdrawn": .exportWithdrawn
            default: .exportSubmitted
            }
        var changes = [ToldChange(type: type, bundleId: app, subject: .init(kind: .export, id: id))]
        // The rows of its sales lose the export when it is withdrawn.
        let sales = kind == "export-withdrawn" ? try salesNamed(by: id, of: app) : content["sales"]?.arrayValue ?? []
        for sale in sales.compactMap(\.stringValue) {
            let change = try wholeSale(SaleId(sale), of: app, .saleChanged)
            if !changes.contains(change) { changes.append(change) }
        }
        return changes
    }

    private func salesNamed(by export: String, of bundleId: BundleId) throws(LedgerError) -> [JSONValue] {
        let filter = ListFilter([.kind: "export-made", .bundleId: bundleId.rawValue])
        var page = LedgerPage(limit: 500)
        while true {
            let entries = try auditEntries(matching: filter, page)
            for entry in entries {
                let content = try? JSONReader().read(entry.content).objectValue
                if content?.text("exportId") == export { return content?["sales"]?.arrayValue ?? [] }
            }
            guard entries.count == page.limit, let last = entries.last else { return [] }
            page.after = last.sequence
        }
    }

    /// Returns a review item, open or closed; nil if it is unknown.
    func reviewItem(_ sequence: Int64) throws(LedgerError) -> ReviewItem? {
        try reviewItems(LedgerPage(after: sequence - 1, limit: 1)).first { $0.sequence == sequence }
    }
}

extension ChangeType {
    fileprivate init(_ state: SaleState) {
        self =
            switch state {
            case .planned: .salePlanned
            case .held: .saleHeld
            case .recorded: .saleRecorded
            }
    }

    fileprivate init(_ state: ReportState) {
        self =
            switch state {
            case .written: .reportWritten
            case .sending: .reportSending
            case .unknown: .reportUnknown
            case .accepted: .reportAccepted
            case .needsAttention: .reportRefused
            case .withdrawn: .reportWithdrawn
            }
    }
}

extension JSONObject {
    fileprivate func text(_ name: String) -> String? { self[name]?.stringValue }
}
