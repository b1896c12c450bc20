import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The page `GET /audit`, which lists the audit log, newest first.
struct AuditPages {
    let dashboard: Dashboard

    func add(to group: RouterGroup<ServerContext>) {
        group.get("audit", use: list)
        group.get("audit/:sequence", use: one)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let system = dashboard.system
        let list = try ListPage(.audit, of: request, in: system)
        let entries = try await system.lists.audit(matching: list.filter, list.page)
        let table = TableView(
            caption: "Audit log",
            columns: [
                Column("Change"), Column("Entry", .number, sorted: .descending), Column("Time"),
                Column("Content", .wide),
            ],
            rows: entries.map { entry in
                [
                    .link(Shown.words(entry.kind).capitalizedFirst, "/audit/\(entry.sequence)"),
                    .text("\(entry.sequence)"), .time(entry.time, seconds: true), .text(Self.summary(of: entry)),
                ]
            },
            empty: list.given.isEmpty ? "The audit log is empty." : "No entry matches the filter."
        )
        let html = list.html(
            "Audit log",
            lead: "Every change of the ledger, chained by hashes, the last entry first. The command ledger verify "
                + "checks the chain.",
            table,
            last: entries.last?.sequence
        )
        return await dashboard.page("Audit log", at: .audit, html, request, context)
    }

    /// The ids and the state that an entry names.
    private static func summary(of entry: AuditEntry) -> String {
        let content = (try? JSONReader().read(entry.content))?.objectValue
        let names = [
            "saleId", "externalPurchaseId", "requestIdentifier", "notificationUUID", "correctionId", "exportId",
            "invoiceId",
            "checkoutId", "link", "state", "by", "about", "id",
        ]
        var parts = names.compactMap { name in
            content?[name]?.stringValue.map { "\(Shown.words(name)) \($0)" }
        }
        for name in ["sale", "token"] {
            guard let inner = content?[name]?.objectValue else { continue }
            let id = inner["saleId"]?.stringValue ?? inner["externalPurchaseId"]?.stringValue
            if let id { parts.insert("\(name) \(id)", at: 0) }
        }
        return parts.prefix(4).joined(separator: " · ")
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let text = try context.parameters.require("sequence")
        guard let sequence = Int64(text), sequence > 0,
            let entry = try await dashboard.system.lists.audit(LedgerPage(after: sequence - 1, limit: 1)).first,
            entry.sequence == sequence
        else { throw Problem.notFound("there is no audit entry \(text.quoted)") }
        let html = RecordView(
            parent: Dashboard.Place.audit.link,
            title: "\(Shown.words(entry.kind).capitalizedFirst), \(Shown.time(entry.time))",
            cards: [
                RecordView.Card(
                    title: "Facts",
                    body: FactsView([
                        ("Entry", .text("\(sequence)")), ("Change", .text(Shown.words(entry.kind))),
                        ("Time", .time(entry.time, seconds: true)),
                        ("Hash", .text(entry.hash.hexadecimal)),
                    ]).html
                ),
                RecordView.Card(
                    title: "Content",
                    body: PayloadView(label: "Content", bytes: Array(entry.content.utf8), isOpen: true).html
                ),
            ]
        ).html
        return await dashboard.page("Audit entry \(sequence)", at: .audit, html, request, context)
    }
}
