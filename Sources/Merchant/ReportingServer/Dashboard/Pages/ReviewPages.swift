import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /review` and `GET /review/{sequence}`, the decision `POST /review/{sequence}`, and the decision about
/// several items `POST /review`.
struct ReviewPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("review", use: list)
        group.post("review", use: decideSeveral)
        group.get("review/:sequence", use: one)
        group.post("review/:sequence", use: decide)
    }

    // MARK: Items

    private static let template = HTMLTemplate(WebFiles.reviewHTML)
    private static let batch = HTMLTemplate(WebFiles.batchHTML)

    /// The items, each with its way out.
    ///
    /// - Parameters:
    ///   - entries: the items.
    ///   - empty: the sentence in place of no items.
    ///   - isTicked: whether each item has a box for a decision about several.
    static func html(_ entries: [ReviewEntry], empty: String = "", isTicked: Bool = false) -> String {
        template.filled(with: [
            "empty": .text(empty),
            "items": .list(
                entries.map { entry in
                    let item = entry.item
                    let metas = [item.bundleId.rawValue, entry.customer.map { "customer \($0)" }].compactMap(\.self)
                    return [
                        "anchor": .text("item-\(item.sequence)"), "href": .text("/review/\(item.sequence)"),
                        "boxes": .list(isTicked ? [["name": .text(boxPrefix + "\(item.sequence)")]] : []),
                        "title": .text(Shown.text(entry.title)),
                        "metas": .list(metas.map { ["text": .text(Shown.text($0) + " ·")] }),
                        "machine": .text(item.openedAt.description),
                        "opened": .text("opened \(Shown.time(item.openedAt))"),
                        "problem": .text(Shown.text(entry.problem)), "way": .text(entry.wayOut),
                        "links": .list(
                            (entry.link.map { [$0] } ?? []).map(\.values)
                                + [RunbookPages.link(entry.runbook).values]
                        ),
                    ]
                }
            ),
        ])
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.review, of: request, in: system)
        let items = try await system.lists.review(matching: list.filter, list.page)
        let entries = try await system.review.entries(of: items)
        let given = list.given.map { ($0.name, $0.value) }
        let content =
            entries.isEmpty
            ? CardView.html("Review items", Self.html([], empty: "Nothing waits for a person."))
            : Self.groups(entries).map { group($0, context) }.joined()
        let html = ListView(
            title: "Review",
            lead: "What the server does not decide by itself. Of each kind, what was opened last comes first.",
            action: "/review",
            filter: list.fields,
            isFiltered: !list.given.isEmpty,
            content: content,
            first: list.page.after > 0 ? PagePath.query("/review", given) : nil,
            next: items.count == ListPage.limit
                ? items.last.map {
                    PageLink("Older", PagePath.query("/review", given + [("after", String($0.sequence))]))
                } : nil
        ).html
        return await dashboard.page("Review", at: .review, html, request, context)
    }

    /// The entries by kind and by the decisions that they take, so that a button fits every item of its group.
    private static func groups(_ entries: [ReviewEntry]) -> [[ReviewEntry]] {
        var groups: [[ReviewEntry]] = []
        for entry in entries {
            let place = groups.firstIndex {
                $0.first?.item.kind == entry.item.kind && $0.first?.choices == entry.choices
            }
            if let place { groups[place].append(entry) } else { groups.append([entry]) }
        }
        return groups
    }

    private func group(_ entries: [ReviewEntry], _ context: ServerContext) -> String {
        guard let first = entries.first else { return "" }
        let title = "\(first.words.title) (\(Shown.number(entries.count)))"
        guard !choices(of: first, context).isEmpty else {
            return CardView.html(title, Self.html(entries), isTitled: true)
        }
        var form = form(of: first, "/review", context)
        form.content = Self.batch.filled(with: ["items": .markup(Self.html(entries, isTicked: true))])
        form.intro = "One decision about all that are ticked."
        return CardView.html(title, form.html, isTitled: true)
    }

    private static let acceptedReport = FormField(
        name: "requestIdentifier",
        label: "Report at Apple",
        limit: 100,
        isOptional: true,
        hint: "The identifier of the report with which Apple accepted it, if it is known."
    )

    /// The decisions that an item takes from the request's user.
    private func choices(of entry: ReviewEntry, _ context: ServerContext) -> [ReviewDecision.Action] {
        let role = dashboard.role(context)
        return entry.choices.filter { role >= entry.item.role(for: $0) }
    }

    /// The form with the decisions that an item takes.
    private func form(of entry: ReviewEntry, _ action: String, _ context: ServerContext) -> FormView {
        let choices = choices(of: entry, context)
        let isNoteNeeded = choices.allSatisfy(\.needsNote)
        return FormView(
            action: action,
            csrf: dashboard.csrf(context),
            fields: dashboard.authorField(context) + [
                FormField(
                    name: "note",
                    label: "Reason",
                    kind: .long,
                    limit: 1_000,
                    isOptional: !isNoteNeeded,
                    hint: "For whoever reads the audit log."
                        + (isNoteNeeded ? "" : " “\(entry.words.label(of: .resolve))” needs one.")
                )
            ] + (choices.contains(.accepted) ? [Self.acceptedReport] : []),
            buttons: choices.enumerated().map { place, choice in
                FormView.Button(
                    label: entry.words.label(of: choice),
                    style: place == 0 ? "primary" : "",
                    name: "action",
                    value: choice.rawValue
                )
            }
        )
    }

    // MARK: One item

    private func item(_ context: ServerContext) async throws -> ReviewItem {
        let text = try context.parameters.require("sequence")
        guard let sequence = Int64(text), let item = try await system.lists.reviewItem(sequence) else {
            throw Problem.notFound("there is no review item \(text.quoted)")
        }
        return item
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let item = try await item(context)
        guard let entry = try await system.review.entries(of: [item]).first else {
            throw Problem.notFound("there is no review item \(item.sequence)")
        }
        var cards: [RecordView.Card] = []
        let runbook = FactsView([("Step by step", Cell(links: [RunbookPages.link(entry.runbook)]))]).html
        if item.resolution == nil {
            var form = form(of: entry, "/review/\(item.sequence)", context)
            form.intro = entry.wayOut
            cards.append(
                RecordView.Card(
                    title: "Way out",
                    body: (choices(of: entry, context).isEmpty ? CardText.html(entry.wayOut) : form.html) + runbook
                )
            )
        }
        cards.append(RecordView.Card(title: "Facts", body: facts(entry).html))
        if !entry.sales.isEmpty {
            cards.append(
                RecordView.Card(
                    title: entry.saleCount == 1 ? "Sale" : "Sales",
                    note: entry.saleCount > entry.sales.count
                        ? "the first \(entry.sales.count) of \(Shown.number(entry.saleCount))" : nil,
                    body: RecordTable.sales(entry.sales, empty: "").html
                )
            )
        }
        cards.append(
            RecordView.Card(
                title: "For whoever runs the server",
                note: "as the audit log has it",
                body: PayloadView(label: "Record", bytes: Array(item.detail.utf8)).html
                    + (item.resolution == nil ? "" : runbook)
            )
        )
        let html = RecordView(
            parent: Dashboard.Place.review.link,
            title: entry.title,
            chips: [item.resolution == nil ? Chip("open", .wait) : Chip("closed", .good)],
            lead: entry.problem,
            cards: cards
        ).html
        return await dashboard.page(entry.title, at: .review, html, request, context)
    }

    private func facts(_ entry: ReviewEntry) -> FactsView {
        let item = entry.item
        var facts: [(String, Cell)] = [
            ("App", .text(item.bundleId.rawValue)),
            (
                "Customer",
                entry.customer.map { .link($0, PagePath.query("/sales", [("customerId", $0)])) } ?? .none
            ),
        ]
        if let link = entry.link { facts.append(("About", Cell(links: [link]))) }
        if entry.report != nil, let token = entry.token {
            facts.append(("Token", .link(token.title, PagePath.token(token.token.externalPurchaseId))))
        }
        if let id = item.correctionId {
            facts.append(
                ("Correction", .link("What would change at Apple", PagePath.of("corrections", id.rawValue)))
            )
        }
        facts.append(("Opened", .time(item.openedAt, seconds: true)))
        if let resolution = item.resolution {
            facts.append(("Closed", .time(resolution.resolvedAt, seconds: true, sub: "by \(resolution.by)")))
            facts.append(("Reason", .text(resolution.note)))
        }
        facts.append(("Item", .text("\(item.sequence)")))
        return FactsView(facts)
    }

    // MARK: Decisions

    private func decision(_ form: FormBody, _ context: ServerContext) throws -> ReviewDecision {
        try ReviewDecision(
            body: .form([
                ("action", form.text("action")), ("by", dashboard.author(form, context)), ("note", form.text("note")),
                ("requestIdentifier", form.text("requestIdentifier")),
            ]),
            caller: context.caller
        )
    }

    @Sendable private func decide(_ request: Request, _ context: ServerContext) async throws -> Response {
        let item = try await item(context)
        let form = try await dashboard.form(request, context)
        let decision = try decision(form, context)
        if let problem = missingRole(for: decision, on: item, context) { throw problem }
        _ = try await system.review.decide(decision, on: item.sequence)
        let notice: Dashboard.Notice =
            switch decision.action {
            case .accepted: .accepted
            case .retry: .retried
            case .resolve: .closed
            }
        return .seeOther("/review/\(item.sequence)?done=\(notice.rawValue)")
    }

    /// The 403 response to a decision that the request's user may not make; nil if the user may.
    private func missingRole(
        for decision: ReviewDecision,
        on item: ReviewItem,
        _ context: ServerContext
    ) -> Problem? {
        let (needed, role) = (item.role(for: decision.action), dashboard.role(context))
        if role >= needed { return nil }
        return Problem(missing: needed, of: role, for: "“\(decision.action.label)” of a \(item.kind.rawValue) item")
    }

    /// The names of the boxes begin with this, followed by the item's number.
    private static let boxPrefix = "item."

    /// What became of one item of a decision about several.
    private struct Result {
        let sequence: Int64
        let chip: Chip
        let words: String
        var isDone = false
    }

    @Sendable private func decideSeveral(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await dashboard.form(request, context)
        let decision = try decision(form, context)
        let sequences = form.names.filter { $0.hasPrefix(Self.boxPrefix) }
            .compactMap { Int64($0.dropFirst(Self.boxPrefix.count)) }
        guard !sequences.isEmpty, sequences.count <= ListPage.limit else {
            throw Problem.invalid("/items", "tick at least one item, and at most \(ListPage.limit)")
        }
        var results: [Result] = []
        // Without Apple or the ledger the rest would fail alike, each after its time limit.
        var (isStopped, isForbidden) = (false, false)
        for sequence in sequences {
            if isStopped {
                results.append(
                    Result(
                        sequence: sequence,
                        chip: Chip("not tried", .wait),
                        words: "an item before it could not be decided"
                    )
                )
                continue
            }
            guard let item = try await system.lists.reviewItem(sequence) else {
                results.append(await refusal(.unknown("there is no review item \(sequence)"), sequence))
                continue
            }
            if let problem = missingRole(for: decision, on: item, context) {
                results.append(
                    Result(sequence: sequence, chip: Chip("not allowed", .bad), words: problem.detail)
                )
                isForbidden = true
                continue
            }
            do throws(RequestError) {
                let outcome = try await system.review.decide(decision, on: sequence)
                results.append(
                    Result(sequence: sequence, chip: Chip("done", .good), words: outcome.detail, isDone: true)
                )
            } catch {
                switch error {
                case .unanswered, .notStored: isStopped = true
                default: break
                }
                results.append(await refusal(error, sequence))
            }
        }
        let titles = try await titles(sequences)
        let done = results.count(where: \.isDone)
        let table = TableView(
            caption: "Results",
            columns: [Column("Item", .wide), Column("Result"), Column("What came of it", .wide)],
            rows: results.map { result in
                let title = titles[result.sequence] ?? "Item \(result.sequence)"
                return [
                    .link(title, "/review/\(result.sequence)"), Cell(chips: [result.chip]),
                    .text(result.words.capitalizedFirst),
                ]
            },
            empty: ""
        )
        let html = RecordView(
            parent: Dashboard.Place.review.link,
            title: "\(Shown.count(done, "item")) decided, \(Shown.number(results.count - done)) not",
            lead: "\(decision.action.label), by \(decision.by)" + (decision.note.isEmpty ? "." : ": \(decision.note)"),
            cards: [RecordView.Card(title: "Each item", body: table.html)]
        ).html
        return await dashboard.page(
            "Review",
            at: .review,
            html,
            request,
            context,
            status: done > 0 ? .ok : isForbidden ? .forbidden : .conflict
        )
    }

    /// The refusal of one item; an item that closed meanwhile, perhaps with another of the same decision, is no fault.
    private func refusal(_ error: RequestError, _ sequence: Int64) async -> Result {
        if let item = try? await system.lists.reviewItem(sequence), let resolution = item.resolution {
            return Result(
                sequence: sequence,
                chip: Chip("closed already"),
                words: "by \(resolution.by): \(resolution.note)"
            )
        }
        let words = if case .notStored = error { Problem(error).detail } else { error.description }
        return Result(sequence: sequence, chip: Chip("not possible", .bad), words: words)
    }

    private func titles(_ sequences: [Int64]) async throws -> [Int64: String] {
        var items: [ReviewItem] = []
        for sequence in sequences {
            if let item = try await system.lists.reviewItem(sequence) { items.append(item) }
        }
        let entries = try await system.review.entries(of: items)
        return Dictionary(entries.map { ($0.item.sequence, $0.title) }) { first, _ in first }
    }
}

extension JSONValue {
    /// The object that a form stands for; fields without a value are left out.
    static func form(_ fields: [(String, String?)]) -> JSONValue {
        .object(JSONObject(fields.compactMap { name, value in value.map { .init(name, .string($0)) } }))
    }
}

extension ReviewEntry {
    /// The page of what the item is about, with what it is; nil for an app.
    var link: PageLink? {
        if item.kind == .webhookParked {
            return PageLink("Parked deliveries", PagePath.query("/deliveries", [("state", "parked")]))
        }
        if item.kind == .paymentEvent {
            return PageLink("Held payment events", PagePath.query("/events", [("state", "held")]))
        }
        return switch item.subject {
        case .app: nil
        case .token(let id): PageLink(token?.title ?? id.rawValue, PagePath.token(id))
        case .sale(let id): PageLink(sales.first?.sale.title ?? id.rawValue, PagePath.sale(id.rawValue))
        case .report(let id): PageLink(report?.title ?? id.text, PagePath.report(id))
        case .notification(let id): PageLink("Notification of Apple", PagePath.of("notifications", id.rawValue))
        }
    }
}

extension ReviewItem {
    /// The role that a decision about the item needs.
    ///
    /// A decision that confirms a correction is one about the correction.
    func role(for action: ReviewDecision.Action) -> UserRole {
        if action == .retry, correctionId != nil { return .operator }
        return switch kind {
        case .saleHeld, .saleChanged, .subscriptionFigures, .paymentEvent, .paymentWaiting, .paymentsUnreferenced:
            .finance
        default: .operator
        }
    }
}
