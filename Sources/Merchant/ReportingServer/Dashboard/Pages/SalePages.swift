import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /sales` and `GET /sales/{saleId}`, and the withdrawal `POST /sales/{saleId}/void`.
struct SalePages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("sales", use: list)
        group.get("sales/:saleId", use: one)
        group.post("sales/:saleId/void", use: void)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.sales, of: request, in: system)
        let sales = try await system.lists.sales(matching: list.filter, list.page)
        let table = TableView(
            caption: "Sales",
            columns: [
                Column("Sale", .id), Column("Type"), Column("Occurred"), Column("Amount", .number),
                Column("Product", .id),
                Column("Token", .id), Column("Standing"),
            ],
            rows: sales.map { listed in
                let sale = listed.receipt.sale.sale
                let flags = listed.receipt.flags.map(\.rawValue).sorted().map(Shown.words)
                return [
                    .link(
                        sale.saleId.rawValue,
                        path(of: sale.saleId, sale.bundleId),
                        sub: system.apps.count > 1 ? sale.bundleId.rawValue : nil
                    ),
                    .text(Shown.words(sale.typeName)), .time(sale.occurredAt), .text(sale.amountText),
                    .text(sale.productText), .token(listed.receipt.externalPurchaseId),
                    Cell(
                        chips: [listed.receipt.standing.chip],
                        sub: flags.joined(separator: ", ")
                    ),
                ]
            },
            empty: list.given.isEmpty ? "No sale has arrived yet." : "No sale matches the filter."
        )
        let html = list.html(
            "Sales",
            lead: "What the shop told the server, newest first.",
            table,
            last: sales.last?.place
        )
        return await dashboard.page("Sales", at: .sales, html, request, context)
    }

    /// The path of a sale; it names the app only where several apps are registered.
    private func path(of id: SaleId, _ bundleId: BundleId) -> String {
        let path = PagePath.sale(id.rawValue)
        return system.apps.count > 1 ? PagePath.query(path, [("bundleId", bundleId.rawValue)]) : path
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bundleId = try request.bundleId(among: system.apps.keys, by: context.caller)
        let id = SaleId(try context.decodedParameter("saleId"))
        if bundleId == nil {
            let apps = try await system.lists.apps(withSale: id)
            if apps.count > 1 { return await choice(of: id, apps, request, context) }
        }
        let detail = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.lists.sale(id, of: bundleId)
        }
        let receipt = detail.receipt
        let sale = receipt.sale.sale
        var cards = [
            RecordView.Card(title: "Facts", body: facts(detail).html),
            RecordView.Card(
                title: "Line items",
                note: "as they were or will be sent",
                body: items(detail)
            ),
        ]
        if detail.versions.count > 1 || detail.versions.contains(where: { $0.by != nil }) {
            cards.append(RecordView.Card(title: "Versions", note: "oldest first", body: versions(detail).html))
        }
        cards.append(
            RecordView.Card(
                title: "As given",
                body: PayloadView(label: "Sale", bytes: sale.asGiven.json.encoded()).html
            )
        )
        cards += actions(detail, context)
        let reasons = receipt.flags.sorted { $0.rawValue < $1.rawValue }.map(\.words)
        let html = RecordView(
            parent: Dashboard.Place.sales.link,
            kind: Shown.words(sale.typeName).capitalizedFirst,
            id: sale.saleId.rawValue,
            chips: [receipt.standing.chip],
            lead: reasons.isEmpty ? nil : reasons.joined(separator: "; ").capitalizedFirst + ".",
            cards: cards
        ).html
        return await dashboard.page("Sale \(sale.saleId.rawValue)", at: .sales, html, request, context)
    }

    /// The page of an id that several apps use.
    private func choice(
        of id: SaleId,
        _ apps: [BundleId],
        _ request: Request,
        _ context: ServerContext
    ) async -> Response {
        let rows = apps.map { app -> [Cell] in
            [.link(app.rawValue, PagePath.query(PagePath.sale(id.rawValue), [("bundleId", app.rawValue)]))]
        }
        let table = TableView(caption: "Apps", columns: [Column("App")], rows: rows, empty: "")
        let html = ListView(
            title: "Sale \(Shown.text(id.rawValue))",
            lead: "Several apps have a sale with this id.",
            content: CardView.html("Apps", table.html)
        ).html
        return await dashboard.page("Sale \(id.rawValue)", at: .sales, html, request, context)
    }

    private func facts(_ detail: SaleDetail) -> FactsView {
        let (receipt, sale) = (detail.receipt, detail.receipt.sale.sale)
        return FactsView([
            ("App", .text(sale.bundleId.rawValue)), ("Amount", .text(sale.amountText)),
            ("Product", .text(sale.productText)), ("Occurred", .time(sale.occurredAt, seconds: true)),
            ("Received", .time(receipt.sale.receivedAt, seconds: true)),
            ("Token", .token(receipt.externalPurchaseId)), ("Report", .report(receipt.requestIdentifier)),
            (
                "Customer",
                sale.customerId.map {
                    .link($0.rawValue, PagePath.query("/sales", [("customerId", $0.rawValue)]))
                } ?? .none
            ),
            (
                "Checkout",
                sale.checkoutId.map {
                    .link($0.rawValue, PagePath.query("/search", [("q", $0.rawValue)]))
                } ?? .none
            ),
            (
                "Refers to",
                sale.takenBack.map { .link($0.rawValue, path(of: $0, sale.bundleId)) }
                    ?? .text(sale.subscriptionId?.rawValue)
            ), ("Version", .text("\(receipt.sale.version)")),
        ])
    }

    private func items(_ detail: SaleDetail) -> String {
        let table = TableView(
            caption: "Line items",
            columns: [
                Column("Line item", .id), Column("Token", .id), Column("Report", .id), Column("Why there", .wide),
                Column("Standing"),
            ],
            rows: detail.items.map { item in
                [
                    .text(item.row.lineItemId.rawValue),
                    .token(item.sentIn?.externalPurchaseId ?? item.row.attribution.externalPurchaseId),
                    .report(item.sentIn?.requestIdentifier), .text(item.reason.capitalizedFirst),
                    Cell(chips: [item.row.standing.chip]),
                ]
            },
            empty: "Nothing of it is reported."
        )
        let payloads = detail.items.compactMap { item in
            item.figures.map { figures in
                PayloadView(
                    label: "Figures of \(Shown.text(item.row.lineItemId.rawValue))",
                    bytes: figures.json.encoded(),
                    isOpen: detail.items.count == 1
                ).html
            }
        }
        return table.html + payloads.joined()
    }

    private func versions(_ detail: SaleDetail) -> TableView {
        TableView(
            caption: "Versions",
            columns: [
                Column("Version", .number), Column("Change"), Column("At"), Column("By"), Column("Reason", .wide),
            ],
            rows: detail.versions.map { version in
                [
                    .text("\(version.version)"), .text(Shown.words(version.word)), .time(version.saidAt, seconds: true),
                    version.correctionId.map { .link("a correction", PagePath.of("corrections", $0.rawValue)) }
                        ?? .text(version.by), .text(version.reason),
                ]
            },
            empty: ""
        )
    }

    // MARK: Changes

    private func actions(_ detail: SaleDetail, _ context: ServerContext) -> [RecordView.Card] {
        let sale = detail.receipt.sale.sale
        switch detail.receipt.standing {
        case .planned, .held, .inReport:
            let form = FormView(
                action: PagePath.sale(sale.saleId.rawValue) + "/void",
                csrf: dashboard.csrf(context),
                intro: "Withdraws the sale: nothing of it is reported. Every version stays on record.",
                hidden: [("bundleId", sale.bundleId.rawValue)],
                fields: dashboard.authorField(context) + [
                    FormField(name: "reason", label: "Reason", kind: .long, limit: 1_000)
                ],
                buttons: [FormView.Button(label: "Void the sale", style: "danger")]
            )
            return [RecordView.Card(title: "Void", body: form.html)]
        case .reported, .retracted:
            return [
                RecordView.Card(
                    title: "Correct",
                    body: CorrectionPages.form(of: sale, dashboard, context).html
                )
            ]
        case .handedOver, .recorded, .void: return []
        }
    }

    @Sendable private func void(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = SaleId(try context.decodedParameter("saleId"))
        let form = try await dashboard.form(request, context)
        let bundleId = form.text("bundleId")
        let command = try VoidCommand(
            body: .form([
                ("bundleId", bundleId), ("reason", form.text("reason")), ("by", dashboard.author(form, context)),
            ]),
            saleId: id
        )
        let receipt: SaleReceipt
        do throws(RequestError) {
            receipt = try await system.sales.void(command)
        } catch {
            guard case .needsCorrection(_, let dryRuns) = error, let first = dryRuns.first else { throw error }
            return .seeOther(PagePath.of("corrections", first.correctionId.rawValue) + "?done=planned")
        }
        let notice: Dashboard.Notice = receipt.isWaiting ? .waiting : .voided
        let path = path(of: id, receipt.sale.sale.bundleId)
        return .seeOther(path + (path.contains("?") ? "&" : "?") + "done=\(notice.rawValue)")
    }
}
