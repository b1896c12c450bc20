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
        let related = try await system.lists.related(tokens: sales.compactMap(\.receipt.externalPurchaseId))
        let table = TableView(
            caption: "Sales",
            columns: [
                Column("Sale", .wide), Column("Date of sale"), Column("Received", sorted: .descending),
                Column("Amount", .number), Column("Token"), Column("Standing"),
            ],
            rows: sales.map { listed in
                let sale = listed.receipt.sale.sale
                let flags = listed.receipt.flags.sorted { $0.rawValue < $1.rawValue }.map(\.label)
                return [
                    .link(
                        sale.name,
                        path(of: sale.saleId, sale.bundleId),
                        sub: [sale.saleId.rawValue, system.apps.count > 1 ? sale.bundleId.rawValue : nil]
                            .compactMap(\.self).joined(separator: " · ")
                    ),
                    .time(sale.occurredAt), .time(listed.receipt.sale.receivedAt), .text(sale.amountText),
                    .token(listed.receipt.externalPurchaseId, in: related),
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
            lead: "What the shop told the server, the last received first.",
            table,
            last: sales.last?.place
        )
        return await dashboard.page("Sales", at: .sales, html, request, context)
    }

    /// The largest number of other sales that a page links.
    private static let limit = 20

    /// The path of a sale; it names the app only where several apps are registered.
    private func path(of id: SaleId, _ bundleId: BundleId) -> String {
        let path = PagePath.sale(id.rawValue)
        return system.apps.count > 1 ? PagePath.query(path, [("bundleId", bundleId.rawValue)]) : path
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        let id = SaleId(try context.decodedParameter("saleId"))
        if bundleId == nil {
            let apps = try await system.lists.apps(withSale: id)
            if apps.count > 1 {
                return await dashboard.choice(
                    "sale",
                    id.rawValue,
                    at: .sales,
                    PagePath.sale(id.rawValue),
                    apps,
                    request,
                    context
                )
            }
        }
        let detail = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.lists.sale(id, of: bundleId)
        }
        let receipt = detail.receipt
        let sale = receipt.sale.sale
        let change = try await system.lists.change(of: receipt)
        let related = try await system.lists.related(
            tokens: Set(
                detail.items.compactMap { $0.sentIn?.externalPurchaseId ?? $0.row.attribution.externalPurchaseId }
                    + [receipt.externalPurchaseId].compactMap(\.self)
            ),
            sales: (change.others.prefix(Self.limit) + [sale.takenBack].compactMap(\.self))
                .map { SaleName($0, of: sale.bundleId) }
        )
        var cards = [
            RecordView.Card(title: "Facts", body: facts(detail, related).html),
            RecordView.Card(
                title: "Line items",
                note: "as they were or will be sent",
                body: items(detail, related)
            ),
        ]
        if detail.versions.count > 1 || detail.versions.contains(where: { $0.by != nil }) {
            cards.append(RecordView.Card(title: "Versions", note: "oldest first", body: versions(detail).html))
        }
        if !detail.requests.isEmpty {
            let note = "what touched the sale; the log has these ids"
            cards.append(RecordView.Card(title: "Requests", note: note, body: requests(detail).html))
        }
        cards.append(
            RecordView.Card(
                title: "As given",
                body: PayloadView(label: "Sale", bytes: sale.asGiven.json.encoded()).html
            )
        )
        cards += actions(detail, change, related, context)
        let reasons = receipt.flags.sorted { $0.rawValue < $1.rawValue }.compactMap(\.sentence)
        let html = RecordView(
            parent: Dashboard.Place.sales.link,
            title: sale.title,
            id: sale.saleId.rawValue,
            chips: [receipt.standing.chip],
            lead: reasons.isEmpty ? nil : reasons.joined(separator: " "),
            cards: cards
        ).html
        return await dashboard.page(sale.title, at: .sales, html, request, context)
    }

    private func facts(_ detail: SaleDetail, _ related: RelatedRecords) -> FactsView {
        let (receipt, sale) = (detail.receipt, detail.receipt.sale.sale)
        return FactsView([
            ("App", .text(sale.bundleId.rawValue)), ("Amount", .text(sale.amountText)),
            ("Product", .text(sale.productText)), ("Date of sale", .time(sale.occurredAt, seconds: true)),
            ("Received", .time(receipt.sale.receivedAt, seconds: true)),
            ("Token", .token(receipt.externalPurchaseId, in: related)),
            ("Report", Self.report(receipt.requestIdentifier)),
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
                sale.takenBack.map { .sale(SaleName($0, of: sale.bundleId), in: related) }
                    ?? .text(sale.subscriptionId.map { "subscription \($0.rawValue)" })
            ), ("Version", .text("\(receipt.sale.version)")),
        ])
    }

    private static func report(_ id: RequestIdentifier?) -> Cell {
        id.map { .link("The report", PagePath.report($0), sub: $0.text) } ?? .none
    }

    private func items(_ detail: SaleDetail, _ related: RelatedRecords) -> String {
        let table = TableView(
            caption: "Line items",
            columns: [
                Column("Line item", .wide), Column("Token"), Column("Report"), Column("Why there", .wide),
                Column("Standing"),
            ],
            rows: detail.items.map { item in
                [
                    .text(item.row.sale.name, sub: item.row.lineItemId.rawValue),
                    .token(item.sentIn?.externalPurchaseId ?? item.row.attribution.externalPurchaseId, in: related),
                    Self.report(item.sentIn?.requestIdentifier), .text(item.reason.capitalizedFirst),
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
                Column("Version", .number, sorted: .ascending), Column("Change"), Column("At"), Column("By"),
                Column("Reason", .wide),
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

    private func requests(_ detail: SaleDetail) -> TableView {
        TableView(
            caption: "Requests",
            columns: [
                Column("At", sorted: .ascending), Column("Request"), Column("Report"), Column("Changes", .wide),
            ],
            rows: detail.requests.map { request in
                [
                    .time(request.at, seconds: true), .text(request.requestId ?? "the server itself"),
                    Self.report(request.report),
                    .text(request.changes.map(Shown.words).joined(separator: ", ").capitalizedFirst),
                ]
            },
            empty: ""
        )
    }

    // MARK: Changes

    /// The forms of the changes that the sale takes, or what comes first.
    private func actions(
        _ detail: SaleDetail,
        _ change: PossibleChange,
        _ related: RelatedRecords,
        _ context: ServerContext
    ) -> [RecordView.Card] {
        let sale = detail.receipt.sale.sale
        func links(_ title: String, _ text: String) -> [RecordView.Card] {
            let links = change.others.prefix(Self.limit).map { id in
                let name = related.sales[SaleName(id, of: sale.bundleId)]?.sale.name ?? "Sale \(id.rawValue)"
                return PageLink(name, path(of: id, sale.bundleId))
            }
            return [RecordView.Card(title: title, body: FactsView([(text, Cell(links: Array(links)))]).html)]
        }
        switch change {
        case .void:
            guard dashboard.allows(.post, "/sales/{saleId}/void", context) else { return [] }
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
        case .correction(let actions):
            if actions.isEmpty {
                let text = "Apple takes no correction of this sale any more."
                return [RecordView.Card(title: "Correct", body: CardText.html(text))]
            }
            guard dashboard.allows(.post, "/corrections", context) else { return [] }
            let form = CorrectionPages.form(of: sale, actions, dashboard, context)
            return [RecordView.Card(title: "Correct", body: form.html)]
        case .correctionOfLines: return links("Correct", "Each line by itself")
        case .takenBack: return links("Void", "Withdraw first what takes the sale back")
        case .lineOf: return links("Void", "It is a line of this sale, with which it is changed")
        case .reportedAlready(let other):
            if let other, other != sale.saleId { return links("Change", "Apple has it already: decide that first") }
            let text = "Apple says that it has it already. Decide first about the report that was refused."
            return [RecordView.Card(title: "Change", body: CardText.html(text))]
        case .submittedByHand:
            let text =
                "It was submitted by hand. Withdraw the submission on the page of its month before you change it."
            return [RecordView.Card(title: "Void", body: CardText.html(text))]
        case .none: return []
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
            saleId: id,
            caller: context.caller
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

extension PossibleChange {
    /// The sales that are changed instead or first.
    fileprivate var others: [SaleId] {
        switch self {
        case .correctionOfLines(let ids), .takenBack(let ids): ids
        case .lineOf(let id): [id]
        case .reportedAlready(let id): [id].compactMap(\.self)
        case .void, .correction, .submittedByHand, .none: []
        }
    }
}
