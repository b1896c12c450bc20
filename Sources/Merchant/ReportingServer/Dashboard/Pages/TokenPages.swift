import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /tokens` and `GET /tokens/{externalPurchaseId}`.
struct TokenPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("tokens", use: list)
        group.get("tokens/:externalPurchaseId", use: one)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.tokens, of: request, in: system)
        let tokens = try await system.lists.tokens(matching: list.filter, list.page)
        let table = TableView(
            caption: "Tokens",
            columns: [
                Column("Token", .id), Column("First seen", sorted: .descending), Column("Customer", .id),
                Column("State"), Column("Reported"),
            ],
            rows: tokens.map { token in
                [
                    .link(
                        token.title,
                        PagePath.token(token.token.externalPurchaseId),
                        sub: [
                            token.token.externalPurchaseId.rawValue,
                            system.apps.count > 1 ? token.token.bundleId.rawValue : nil,
                        ].compactMap(\.self).joined(separator: " · ")
                    ),
                    .time(token.firstSeen.time, sub: Shown.words(token.firstSeen.source.rawValue)),
                    .text(token.customerId?.rawValue), Cell(chips: [token.state.chip]),
                    token.reportedAt.map { .time($0) } ?? .chip("not yet"),
                ]
            },
            empty: list.given.isEmpty ? "No token has arrived yet." : "No token matches the filter."
        )
        let html = list.html(
            "Tokens",
            lead: "Every token that an app, a visit or Apple named, the last one seen first.",
            table,
            last: tokens.last?.sequence
        )
        return await dashboard.page("Tokens", at: .tokens, html, request, context)
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = ExternalPurchaseId(try context.decodedParameter("externalPurchaseId"))
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        if bundleId == nil {
            let apps = try await system.lists.tokens(withId: id).map(\.token.bundleId)
            if apps.count > 1 {
                return await dashboard.choice(
                    "token",
                    id.rawValue,
                    at: .tokens,
                    PagePath.token(id),
                    apps,
                    request,
                    context
                )
            }
        }
        let record = try await system.lists.token(id, of: bundleId)
        let filter = ListFilter([.externalPurchaseId: id.rawValue, .bundleId: record.token.token.bundleId.rawValue])
        let due = try await system.deadlines(matching: filter, limit: 20)
        let token = record.token
        var cards = [RecordView.Card(title: "Facts", body: facts(of: token, due).html)]
        cards.append(
            RecordView.Card(
                title: "Timeline",
                note: "from the tap to Apple's answer",
                body: TokenTimeline(record: record, now: system.now).view.html
            )
        )
        cards.append(
            RecordView.Card(
                title: "Sales",
                note: record.sales.count == TokenDetail.limit ? "the first \(TokenDetail.limit)" : nil,
                body: RecordTable.sales(record.sales, empty: "No sale is on this token.").html
            )
        )
        if let text = token.text {
            cards.append(
                RecordView.Card(
                    title: "Token as received",
                    note: "kept as evidence",
                    body: PayloadView(label: "Text", bytes: Array(text.utf8)).html
                        + PayloadView(label: "Decoded", bytes: Self.decoded(token.token), isOpen: true).html
                )
            )
        }
        let html = RecordView(
            parent: Dashboard.Place.tokens.link,
            title: token.title,
            id: id.rawValue,
            chips: [token.state.chip, Chip(token.token.environment.rawValue)]
                + token.flags.sorted { $0.rawValue < $1.rawValue }.map { Chip(Shown.words($0.rawValue), .wait) },
            lead: lead(of: record, due),
            cards: cards
        ).html
        return await dashboard.page(token.title, at: .tokens, html, request, context)
    }

    /// Where the token is, in one sentence.
    private func lead(of record: TokenDetail, _ due: DeadlinePage) -> String {
        let open = record.review.count { $0.resolution == nil }
        let waits =
            open > 0 ? " \(Shown.count(open, "item")) about it \(open == 1 ? "waits" : "wait") for a person." : ""
        if record.token.state == .unknownToApple { return "Apple does not know this token." + waits }
        let pending = due.counts.total
        if let at = record.token.reportedAt {
            let rest = pending > 0 ? ", and \(Shown.count(pending, "sale")) still to report." : "."
            return "First reported and accepted at \(Shown.time(at))\(rest)" + waits
        }
        guard let first = due.entries.first?.entry, let moment = first.due?.moment else {
            return "Not reported yet." + waits
        }
        let due = moment < system.now ? "it was due at" : "due at"
        return "Not reported yet; \(due) \(Shown.time(moment))." + waits
    }

    private func facts(of token: StoredToken, _ due: DeadlinePage) -> FactsView {
        let values = token.token
        var facts: [(String, Cell)] = [
            ("App", .text(values.bundleId.rawValue, sub: "Apple id \(values.appAppleId)")),
            ("Type", .text(values.tokenType?.rawValue ?? "none", sub: Shown.words(values.family.rawValue))),
            ("Date of creation", .time(values.tokenCreationDate, seconds: true)),
            (
                values.tokenExpirationDate.map { $0 <= system.now } == true ? "Expired" : "Expires",
                values.tokenExpirationDate.map { .time($0, seconds: true) } ?? .text("never")
            ),
            (
                "First seen",
                .time(token.firstSeen.time, seconds: true, sub: Shown.words(token.firstSeen.source.rawValue))
            ),
            ("Storefront", .text(token.storefront?.alpha3)),
            (
                "Customer",
                token.customerId.map {
                    .link($0.rawValue, PagePath.query("/sales", [("customerId", $0.rawValue)]))
                } ?? .none
            ), ("Checkout", .text(token.checkoutId.rawValue)),
            ("Accepted by Apple", .time(token.reportedAt, seconds: true)),
        ]
        if let entry = due.entries.first?.entry {
            let isPast = entry.due.map { $0.moment < system.now } == true
            facts.append((isPast ? "Was due" : "Due", .time(entry.due?.moment, sub: entry.due?.reason)))
            facts.append(("Will be sent", DuePage.sending(entry, due, nil)))
        }
        return FactsView(facts)
    }

    private static func decoded(_ token: ExternalPurchaseToken) -> [UInt8] { token.json.encoded() }
}
