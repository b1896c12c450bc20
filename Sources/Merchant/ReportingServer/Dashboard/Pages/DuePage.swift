import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The page `GET /due`: what is not reported yet, sorted by urgency.
struct DuePage {
    let dashboard: Dashboard

    func add(to group: RouterGroup<ServerContext>) {
        group.get("due", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let system = dashboard.system
        let list = try ListPage(.due, of: request, in: system)
        let after = request.uri.queryParameters["after"].flatMap { DeadlinePosition(text: String($0)) }
        let page = try await system.deadlines(matching: list.filter, after: after, limit: ListPage.limit)
        let ways = try await system.lists.ways(ofTokensIn: page)
        let related = try await Self.related(page, in: system)
        let counts = page.counts
        let parts = [
            (counts.overdue, "overdue"), (counts.warned.values.reduce(0, +), "due soon"), (counts.open, "open"),
            (counts.unconfirmed, "unconfirmed"), (counts.withoutDueDate, "without a due date"),
        ]
        let told = parts.filter { $0.0 > 0 }.map { "\(Shown.number($0.0)) \($0.1)" }
        let given = list.given.map { ($0.name, $0.value) }
        let html = ListView(
            title: "Due",
            lead: told.isEmpty
                ? "Everything is reported."
                : told.joined(separator: " · ")
                    + "; what waits for a person first, then by due date.",
            action: "/due",
            filter: list.fields,
            isFiltered: !list.given.isEmpty,
            content: CardView.html("Due", Self.table(page, ways, related).html),
            first: after == nil ? nil : PagePath.query("/due", given),
            next: page.isCut
                ? page.entries.last.map { last in
                    PageLink("Later", PagePath.query("/due", given + [("after", last.position.text)]))
                } : nil
        ).html
        return await dashboard.page("Due", at: .due, html, request, context)
    }

    /// Returns a page of the due list as a table.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - ways: how tokens that are not without a sale leave the list.
    ///   - related: the records that the page names.
    ///   - isShort: leaves out the programme and the rule of the deadline.
    static func table(
        _ page: DeadlinePage,
        _ ways: [ExternalPurchaseId: TokenWay],
        _ related: RelatedRecords,
        isShort: Bool = false
    ) -> TableView {
        let columns = [
            Column("What", .wide), Column("Due"), Column("Time left"), Column("Will be sent"),
            Column("Programme and rule", .wide),
        ]
        return TableView(
            caption: "What is due",
            columns: isShort ? columns.dropLast() : columns,
            rows: page.entries.map { _, entry in row(entry, page, ways, related) },
            empty: "Nothing is due."
        )
    }

    private static func row(
        _ entry: DeadlineEntry,
        _ page: DeadlinePage,
        _ ways: [ExternalPurchaseId: TokenWay],
        _ related: RelatedRecords
    ) -> [Cell] {
        var way: TokenWay?
        if case .token(let token) = entry.subject.row { way = ways[token.externalPurchaseId] }
        let what: Cell =
            switch entry.subject.row {
            case .token(let token):
                switch way {
                case .onTheWay?: .token(token.externalPurchaseId, in: related, sub: "its report is on the way to Apple")
                case .withItsSale?: .token(token.externalPurchaseId, in: related, sub: "reported with its sale")
                case nil: .token(token.externalPurchaseId, in: related, sub: "token without a sale")
                }
            case .sale(let sale):
                .link(
                    related.salesOfItems[sale.lineItemId]?.sale.title ?? "Sale",
                    PagePath.query("/search", [("q", sale.lineItemId.rawValue)]),
                    sub: sale.lineItemId.rawValue + (sale.token == nil ? " · without a token" : "")
                )
            }
        let now = page.classifier.now
        let left: Cell
        switch entry.state(page.classifier) {
        case .unconfirmed?: left = .chip("unconfirmed", sub: "only visits named it")
        case nil: left = .chip("no due date")
        case .overdue?: left = .chip("\(late(entry, now)) late", .bad)
        case .warned?: left = .chip("\(timeLeft(entry, now)) left", .wait)
        case .open?: left = .text("\(timeLeft(entry, now))")
        }
        return [
            what, .time(entry.due?.moment), left, sending(entry, page, way),
            .text(programme(entry.selection), sub: entry.due.map(\.reason) ?? entry.selection.reason),
        ]
    }

    /// When an entry will be sent, or what it waits for.
    static func sending(_ entry: DeadlineEntry, _ page: DeadlinePage, _ way: TokenWay?) -> Cell {
        if let reason = entry.subject.heldFor {
            return .chip(
                entry.subject.needsReview ? "needs review" : "waits",
                entry.subject.needsReview ? .bad : .wait,
                // The reason is a sentence, or the flags of the sale.
                sub: reason.split(separator: ", ").map { SaleFlag(rawValue: String($0)).label }.joined(separator: ", ")
            )
        }
        if way == .onTheWay { return .chip("on the way", .info) }
        guard let moment = entry.sendMoment(page.settings) else { return .none }
        if moment > page.classifier.now { return .time(moment) }
        return .text("at once", sub: "planned for \(Shown.time(moment))")
    }

    /// The records that a page of the list names.
    static func related(_ page: DeadlinePage, in system: ReportingSystem) async throws(RequestError) -> RelatedRecords {
        var (tokens, items): ([ExternalPurchaseId], [(id: LineItemId, app: BundleId)]) = ([], [])
        for (_, entry) in page.entries {
            switch entry.subject.row {
            case .token(let token): tokens.append(token.externalPurchaseId)
            case .sale(let sale): items.append((sale.lineItemId, sale.bundleId))
            }
        }
        return try await system.lists.related(tokens: tokens, items: items)
    }

    private static func programme(_ selection: ProgrammeSelection) -> String {
        switch selection.programmes.count {
        case 0: "No programme"
        case 1: selection.programmes[0].title
        default: "One of " + selection.programmes.map(\.id).joined(separator: ", ")
        }
    }

    private static func timeLeft(_ entry: DeadlineEntry, _ now: Timestamp) -> String {
        entry.due.map { Shown.duration(now.duration(to: $0.moment)) } ?? "–"
    }

    /// The time since the deadline; in days, it is the `daysLeft` of the due list without its sign.
    private static func late(_ entry: DeadlineEntry, _ now: Timestamp) -> String {
        guard let due = entry.due else { return "–" }
        let late = due.moment.duration(to: now)
        return late < .days(2) ? Shown.duration(late) : Shown.count(-due.daysLeft(at: now), "day")
    }
}
