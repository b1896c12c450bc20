import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /exports` and `GET /exports/{month}`, the files of a month, and its submission by hand.
struct ExportPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("exports", use: list)
        group.get("exports/:month", use: one)
        group.get("exports/:month/csv") { request, context in try await file(request, context, "csv") }
        group.get("exports/:month/json") { request, context in try await file(request, context, "json") }
        group.post("exports/:month/submitted", use: submit)
        group.post("exports/:month/withdrawn", use: withdraw)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = system.due.rules
        var seen: Set<String> = []
        var months: [ReportingMonth] = []
        for programme in rules.catalog.programmes {
            guard let table = rules.table(of: programme), let index = table.index(of: system.now) else { continue }
            for place in stride(from: index, through: max(0, index - 12), by: -1) {
                if seen.insert(table.months[place].id).inserted { months.append(table.months[place]) }
            }
        }
        let apps = system.apps.keys.sorted()
        let rows = months.sorted { $0.id > $1.id }.prefix(13).map { month -> [Cell] in
            [
                .text(month.id),
                Cell(
                    links: apps.map {
                        PageLink($0.rawValue, PagePath.query("/exports/\(month.id)", [("bundleId", $0.rawValue)]))
                    }
                ),
            ]
        }
        let table = TableView(
            caption: "Months",
            columns: [Column("Month"), Column("Sales and reconciliation of", .wide)],
            rows: Array(rows),
            empty: "No programme asks for reports by month."
        )
        let list = try ListPage(.exports, of: request, in: system)
        let submissions = try await system.lists.manualExports(matching: list.filter, list.page)
        let html = ListView(
            title: "Month exports",
            lead: "The sales of a month as a file and as figures, and what was submitted by hand.",
            content: CardView.html("Months", table.html, isTitled: true)
                + CardView.html("Submitted by hand", Self.submissions(submissions.map(\.export)).html, isTitled: true)
        ).html
        return await dashboard.page("Month exports", at: .exports, html, request, context)
    }

    private static func submissions(_ exports: [ManualExport]) -> TableView {
        TableView(
            caption: "Submitted by hand",
            columns: [
                Column("Export", .wide), Column("Recorded", sorted: .descending), Column("Submitted"), Column("State"),
            ],
            rows: exports.map { export in
                [
                    .link(
                        "\(export.month), programme \(export.programme)",
                        PagePath.query(
                            "/exports/\(PagePath.escaped(export.month))",
                            [("bundleId", export.bundleId.rawValue), ("programme", export.programme)]
                        ),
                        sub: "\(export.exportId.rawValue) · \(export.bundleId.rawValue)"
                    ), .time(export.madeAt),
                    .day(export.submission?.at, sub: export.submission.map { "by \($0.by), \($0.reference)" }),
                    export.withdrawal != nil
                        ? .chip("withdrawn")
                        : export.submission == nil ? .chip("made", .wait) : .chip("submitted", .good),
                ]
            },
            empty: "Nothing was submitted by hand."
        )
    }

    private func choice(
        _ request: Request,
        _ context: ServerContext
    ) async throws -> (choice: MonthChoice, environment: AppStoreEnvironment) {
        let month = try context.decodedParameter("month")
        let query = request.uri.queryParameters
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        let programme = query["programme"].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
        let environment = query["environment"].flatMap { AppStoreEnvironment.named($0) } ?? .production
        if bundleId == nil, context.caller.apps != nil {
            throw Problem.invalid("?bundleId", "is missing: name one of your apps")
        }
        return (MonthChoice(month, of: bundleId ?? onlyApp, programme: programme), environment)
    }

    /// The same file as below `/v1/exports`, for a signed-in user.
    private func file(_ request: Request, _ context: ServerContext, _ suffix: String) async throws -> Response {
        let (choice, environment) = try await choice(request, context)
        let format: ExportFormat = suffix == "json" ? .json : .csv
        let file = try await FieldPlaces.queryOfMonth.naming { () throws(RequestError) in
            try await system.exports.file(format, choice, environment: environment)
        }
        return Response(file, format)
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (choice, environment) = try await choice(request, context)
        let exports = try await FieldPlaces.queryOfMonth.naming { () throws(RequestError) in
            try await system.exports.make(choice, environment: environment)
        }
        let other = try await system.exports.otherEnvironment(ifEmpty: exports, choice, environment)
        let month = exports.month
        var cards: [RecordView.Card] = []
        if let other {
            let href = PagePath.query(
                "/exports/\(month)",
                [("bundleId", exports.bundleId.rawValue), ("environment", other.environment.rawValue)]
                    + (request.uri.queryParameters["programme"].map { [("programme", String($0))] } ?? [])
            )
            let facts = FactsView([
                ("Records", .text(other.sentence)),
                (
                    "Show them",
                    Cell(links: [PageLink("\(other.environment.rawValue.capitalizedFirst) of \(month)", href)])
                ),
            ])
            cards.append(
                RecordView.Card(title: "Nothing in \(environment.rawValue)", tone: .wait, body: facts.html)
            )
        }
        for export in exports.exports { cards += try await self.cards(export, exports, environment, context) }
        if exports.exports.isEmpty {
            let text = "No programme has a sale or token in the month."
            cards.append(RecordView.Card(title: "Nothing to export", body: CardText.html(text)))
        }
        let html = RecordView(
            parent: Dashboard.Place.exports.link,
            title: "Month \(month)",
            chips: [Chip(exports.bundleId.rawValue), Chip(environment.rawValue)],
            cards: cards
        ).html
        return await dashboard.page("Month \(month)", at: .exports, html, request, context)
    }

    private var onlyApp: BundleId? { system.apps.count == 1 ? system.apps.keys.first : nil }

    private func cards(
        _ export: MonthExport,
        _ all: MonthExports,
        _ environment: AppStoreEnvironment,
        _ context: ServerContext
    ) async throws -> [RecordView.Card] {
        let account = export.reconciliation
        let programme = export.programme
        var cards: [RecordView.Card] = []
        let file = { (suffix: String) in
            PagePath.query(
                "/exports/\(all.month)/\(suffix)",
                [
                    ("bundleId", all.bundleId.rawValue), ("programme", programme.id),
                    ("environment", environment.rawValue),
                ]
            )
        }
        let counts = ExportRow.State.allCases.compactMap { state in
            account.sales.count[state].flatMap { $0 > 0 ? "\($0) \(Shown.words(state.rawValue))" : nil }
        }
        var facts: [(String, Cell)] = [
            ("Programme", .text(programme.title, sub: programme.id)),
            ("Month", .text(export.month.description, sub: export.month.days)),
            ("Sales", .text(counts.isEmpty ? "none" : counts.joined(separator: ", "))),
            ("Tokens", .text("\(account.tokens.made) made, \(account.tokens.notReported) not reported")),
            ("Accepted reports", .text(Shown.number(account.reports))), ("Reports due", .day(account.deadline)),
            ("Payment", .text(account.payment.due.map { Shown.day($0.description) }, sub: account.payment.reason)),
        ]
        if dashboard.allows(.get, "/exports/{month}/csv", context) {
            facts.append(("Files", Cell(links: [PageLink("CSV", file("csv")), PageLink("JSON", file("json"))])))
        }
        cards.append(RecordView.Card(title: programme.title, body: FactsView(facts).html))
        let figures = MonthFigures.Programme(
            bundleId: export.bundleId,
            title: programme.title,
            months: [MonthFigures.Month(month: export.month, programme: programme.id, reconciliation: account)]
        )
        cards.append(
            RecordView.Card(title: "Amounts", note: "without tax", body: HomePage.table(figures, in: environment))
        )
        if !account.differences.isEmpty {
            cards.append(
                RecordView.Card(
                    title: "Differences",
                    note: "between what was sold, reported and submitted",
                    tone: .bad,
                    body: TableView(
                        caption: "Differences",
                        columns: [Column("Sale", .id), Column("Kind"), Column("Difference", .wide)],
                        rows: account.differences.map {
                            [
                                .link($0.name, PagePath.query("/search", [("q", $0.name)])),
                                .text(Shown.words($0.kind.rawValue)), .text($0.message),
                            ]
                        },
                        empty: ""
                    ).html
                )
            )
        }
        guard environment == .production else { return cards }
        let rows = export.manualRowCount
        if rows > 0, dashboard.allows(.post, "/exports/{month}/submitted", context) {
            let form = FormView(
                action: "/exports/\(all.month)/submitted",
                csrf: dashboard.csrf(context),
                isInline: true,
                intro:
                    "\(Shown.count(rows, "line")) cannot go through the report API. Submit the file at Apple, then record it here.",
                hidden: [("bundleId", all.bundleId.rawValue), ("programme", programme.id)],
                fields: [
                    FormField(
                        name: "on",
                        label: "Day of submission",
                        kind: .text(placeholder: "2026-11-20"),
                        limit: 10
                    ),
                    FormField(name: "reference", label: "Apple's reference", limit: 255),
                ] + dashboard.authorField(context),
                buttons: [FormView.Button(label: "Record the submission")]
            )
            cards.append(RecordView.Card(title: "Submit by hand", body: form.html))
        }
        let filter = ListFilter([
            .bundleId: all.bundleId.rawValue, .programme: programme.id, .month: all.month, .state: "handedIn",
        ])
        for outcome in try await system.lists.manualExports(matching: filter, LedgerPage(limit: 20)) {
            let form = FormView(
                action: "/exports/\(all.month)/withdrawn",
                csrf: dashboard.csrf(context),
                intro: "Only if the file was not submitted after all: its sales are then reported again.",
                hidden: [
                    ("bundleId", all.bundleId.rawValue), ("exportId", outcome.export.exportId.rawValue),
                    ("programme", programme.id),
                ],
                fields: dashboard.authorField(context) + [
                    FormField(name: "reason", label: "Reason", kind: .long, limit: 1_000)
                ],
                buttons: [FormView.Button(label: "Withdraw the submission", style: "danger")]
            )
            cards.append(
                RecordView.Card(
                    title: "Submitted by hand",
                    note: Shown.count(outcome.sales.count, "sale"),
                    body: Self.submissions([outcome.export]).html
                        + (dashboard.allows(.post, "/exports/{month}/withdrawn", context) ? form.html : "")
                )
            )
        }
        return cards
    }

    /// The page of the month that a form came from.
    private func page(_ month: String, _ form: FormBody, _ notice: Dashboard.Notice) -> Response {
        let names = ["bundleId", "programme"]
        let query = names.compactMap { name in form.text(name).map { (name, $0) } } + [("done", notice.rawValue)]
        return .seeOther(PagePath.query("/exports/\(PagePath.escaped(month))", query))
    }

    @Sendable private func submit(_ request: Request, _ context: ServerContext) async throws -> Response {
        let month = try context.decodedParameter("month")
        let form = try await dashboard.form(request, context)
        let command = try SubmissionCommand(
            body: .form([
                ("bundleId", form.text("bundleId")), ("programme", form.text("programme")), ("on", form.text("on")),
                ("by", dashboard.author(form, context)), ("reference", form.text("reference")),
            ]),
            month: month,
            caller: context.caller
        )
        _ = try await FieldPlaces.monthInPath.naming { () throws(RequestError) in
            try await system.submissions.submit(command)
        }
        return page(month, form, .submitted)
    }

    @Sendable private func withdraw(_ request: Request, _ context: ServerContext) async throws -> Response {
        let month = try context.decodedParameter("month")
        let form = try await dashboard.form(request, context)
        let command = try WithdrawalCommand(
            body: .form([
                ("bundleId", form.text("bundleId")), ("exportId", form.text("exportId")),
                ("by", dashboard.author(form, context)), ("reason", form.text("reason")),
            ]),
            month: month,
            caller: context.caller
        )
        _ = try await system.submissions.withdraw(command)
        return page(month, form, .withdrawn)
    }
}

/// A sentence in a card.
enum CardText {
    static func html(_ text: String) -> String {
        TableView(caption: "", columns: [], rows: [], empty: text).html
    }
}
