import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import NIOCore
import Reporting

/// The pages `GET /reports` and `GET /reports/{requestIdentifier}`, and the bytes sent and received.
struct ReportPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("reports", use: list)
        group.get("reports/:requestIdentifier", use: one)
        group.get("reports/:requestIdentifier/sent") { request, context in
            try await bytes(request, context, "sent") { $0.body }
        }
        group.get("reports/:requestIdentifier/received") { request, context in
            try await bytes(request, context, "received") { $0.answer?.body }
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.reports, of: request, in: system)
        let reports = try await system.lists.reports(matching: list.filter, list.page)
        let empty = list.given.isEmpty ? "No report was written yet." : "No report matches the filter."
        let html = list.html(
            "Reports",
            lead: "What was sent to Apple or waits to be sent, newest first.",
            RecordTable.reports(
                reports,
                try await system.lists.related(tokens: reports.map(\.externalPurchaseId)),
                empty: empty
            ),
            last: reports.last?.sequence
        )
        return await dashboard.page("Reports", at: .reports, html, request, context)
    }

    private func records(_ request: Request, _ context: ServerContext) async throws -> [ReportDetail] {
        let text = try context.decodedParameter("requestIdentifier")
        guard let id = RequestIdentifier(text) else {
            throw Problem.notFound("a report is named by its requestIdentifier, a UUID")
        }
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        let records = try await system.lists.reports(withId: id).filter {
            bundleId == nil || $0.report.scope.bundleId == bundleId
        }
        guard !records.isEmpty else { throw Problem.notFound("there is no report \(text.quoted)") }
        return records
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let records = try await records(request, context)
        guard let record = records.first else { throw Problem.notFound("there is no such report") }
        let report = record.report
        let path = PagePath.report(report.requestIdentifier)
        let apps = records.map(\.report.scope.bundleId)
        if Set(apps).count > 1 {
            let id = report.requestIdentifier.text
            return await dashboard.choice("report", id, at: .reports, path, apps, request, context)
        }
        // The app of a page is that of its files.
        func file(_ name: String) -> String {
            PagePath.query(path + name, system.apps.count > 1 ? [("bundleId", report.scope.bundleId.rawValue)] : [])
        }
        let named = Set(report.errors.compactMap(\.saleId).map { SaleName($0, of: report.scope.bundleId) })
        let related = try await system.lists.related(tokens: [report.externalPurchaseId], sales: named)
        var cards = [
            RecordView.Card(
                title: "Facts",
                note: records.count > 1 ? "the first of \(records.count) environments with this id" : nil,
                body: FactsView([
                    ("App", .text(report.scope.bundleId.rawValue)),
                    ("Token", .token(report.externalPurchaseId, in: related)),
                    ("Status", .text(report.status.rawValue)),
                    ("Written", .time(report.writtenAt, seconds: true)),
                    ("Attempts", .text(Shown.number(report.attempts))),
                    (
                        "Last answer",
                        .time(
                            report.answer?.receivedAt,
                            seconds: true,
                            sub: report.answer.map { answer in
                                (answer.status.map { "status \($0): " } ?? "") + answer.conclusion
                            }
                        )
                    ), ("State since", .time(report.changedAt, seconds: true)),
                ]).html
            )
        ]
        if !report.errors.isEmpty {
            cards.append(
                RecordView.Card(
                    title: "Errors",
                    note: report.errors.contains { $0.isLocal } ? "found before sending" : "as Apple gave them",
                    tone: .bad,
                    body: TableView(
                        caption: "Errors",
                        columns: [Column("Code"), Column("Field"), Column("Sale", .id), Column("Message", .wide)],
                        rows: report.errors.map { error in
                            [
                                .text("\(error.error.errorCode)"), .text(error.error.fieldName),
                                .sale(error.saleId.map { SaleName($0, of: report.scope.bundleId) }, in: related),
                                .text(error.error.errorMessage),
                            ]
                        },
                        empty: ""
                    ).html
                )
            )
        }
        if !record.review.isEmpty {
            cards.append(
                RecordView.Card(
                    title: "Review",
                    body: TimelineView(events: record.review.flatMap(TokenTimeline.events)).html
                )
            )
        }
        cards.append(
            RecordView.Card(
                title: "Sent",
                note: report.attempts == 0 ? "not yet" : nil,
                body: PayloadView(label: "JSON sent", bytes: report.body, download: file("/sent"), isOpen: true).html
            )
        )
        if let answer = report.answer {
            cards.append(
                RecordView.Card(
                    title: "Received",
                    note: answer.status.map { "status \($0)" } ?? "no response",
                    body: PayloadView(
                        label: "JSON received",
                        bytes: answer.body,
                        download: file("/received"),
                        isOpen: true
                    ).html
                )
            )
        }
        cards.append(
            RecordView.Card(
                title: "Sales",
                body: RecordTable.sales(record.sales, empty: "The report holds no sales.").html
            )
        )
        let html = RecordView(
            parent: Dashboard.Place.reports.link,
            title: report.title,
            id: report.requestIdentifier.text,
            chips: [report.state.chip, Chip(report.scope.environment.rawValue)]
                + (report.isImported ? [Chip("imported")] : []),
            cards: cards
        ).html
        return await dashboard.page(report.title, at: .reports, html, request, context)
    }

    private func bytes(
        _ request: Request,
        _ context: ServerContext,
        _ part: String,
        _ bytes: (StoredReport) -> [UInt8]?
    ) async throws -> Response {
        guard let record = try await records(request, context).first, let bytes = bytes(record.report) else {
            throw Problem.notFound("Apple has not answered this report")
        }
        // A file that is saved, never shown, whatever Apple's side or a test sent.
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/octet-stream",
                .contentDisposition:
                    "attachment; filename=\"\(record.report.requestIdentifier.key)-\(part).json\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// An error of a report in one line.
    static func words(of error: AttributedReportError) -> String {
        let place = [error.saleId.map { "sale \($0.rawValue)" }, error.error.fieldName].compactMap(\.self)
            .joined(separator: ", ")
        return "error \(error.error.errorCode): \(error.error.errorMessage)" + (place.isEmpty ? "" : " (\(place))")
    }
}
