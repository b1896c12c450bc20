import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /review` and `GET /review/{sequence}`, and the decision `POST /review/{sequence}`.
struct ReviewPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("review", use: list)
        group.get("review/:sequence", use: one)
        group.post("review/:sequence", use: decide)
    }

    private static let template = HTMLTemplate(WebFiles.reviewHTML)

    /// The items, each with its way out.
    static func html(_ items: [ReviewItem], empty: String) -> String {
        template.filled(with: [
            "empty": .text(empty),
            "items": .list(
                items.map { item in
                    [
                        "anchor": .text("item-\(item.sequence)"), "href": .text("/review/\(item.sequence)"),
                        "title": .text(title(of: item)),
                        "meta": .text(
                            Shown.text("\(item.bundleId.rawValue) · opened \(Shown.time(item.openedAt))")
                        ),
                        "detail": .text(Shown.text(item.detail)), "way": .text(item.wayOut),
                        "links": .list(item.link.map { [$0.values] } ?? []),
                    ]
                }
            ),
        ])
    }

    private static func title(of item: ReviewItem) -> String { Shown.words(item.kind.rawValue).capitalizedFirst }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.review, of: request, in: system)
        let items = try await system.lists.review(matching: list.filter, list.page)
        let given = list.given.map { ($0.name, $0.value) }
        let html = ListView(
            title: "Review",
            lead: "What the server does not decide by itself, newest first.",
            action: "/review",
            filter: list.fields,
            isFiltered: !list.given.isEmpty,
            content: CardView.html("Review items", Self.html(items, empty: "Nothing waits for a person.")),
            first: list.page.after > 0 ? PagePath.query("/review", given) : nil,
            next: items.count == ListPage.limit
                ? items.last.map {
                    PageLink("Older", PagePath.query("/review", given + [("after", String($0.sequence))]))
                } : nil
        ).html
        return await dashboard.page("Review", at: .review, html, request, context)
    }

    private func item(_ context: ServerContext) async throws -> ReviewItem {
        let text = try context.parameters.require("sequence")
        guard let sequence = Int64(text), let item = try await system.lists.reviewItem(sequence) else {
            throw Problem.notFound("there is no review item \(Shown.text(text))")
        }
        return item
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let item = try await item(context)
        var facts: [(String, Cell)] = [
            ("App", .text(item.bundleId.rawValue)),
            ("About", item.link.map { Cell(links: [$0]) } ?? .text("the app")),
            ("Opened", .time(item.openedAt, seconds: true)),
        ]
        if let resolution = item.resolution {
            facts.append(("Closed", .time(resolution.resolvedAt, seconds: true, sub: "by \(resolution.by)")))
            facts.append(("Note", .text(resolution.note)))
        }
        var cards = [RecordView.Card(title: "Facts", body: FactsView(facts).html)]
        if item.resolution == nil {
            var buttons: [FormView.Button] = []
            if item.allowsRetry {
                buttons.append(FormView.Button(label: item.retryLabel, name: "action", value: "retry"))
            }
            buttons.append(
                FormView.Button(
                    label: "Close the item",
                    style: item.allowsRetry ? "" : "primary",
                    name: "action",
                    value: "resolve"
                )
            )
            let form = FormView(
                action: "/review/\(item.sequence)",
                csrf: dashboard.csrf(context),
                intro: item.wayOut,
                fields: dashboard.authorField(context) + [
                    FormField(
                        name: "note",
                        label: "Note",
                        kind: .long,
                        limit: 1_000,
                        isOptional: item.allowsRetry,
                        hint: "The reason, for whoever reads the audit log. Closing needs one."
                    )
                ],
                buttons: buttons
            )
            cards.append(RecordView.Card(title: "Way out", body: form.html))
        }
        if let id = item.correctionId {
            cards.append(
                RecordView.Card(
                    title: "Correction",
                    body: FactsView([
                        ("Planned", .link(id.rawValue, PagePath.of("corrections", id.rawValue)))
                    ]).html
                )
            )
        }
        let html = RecordView(
            parent: Dashboard.Place.review.link,
            kind: "Item \(item.sequence)",
            id: Self.title(of: item),
            isId: false,
            chips: [item.resolution == nil ? Chip("open", .wait) : Chip("closed", .good)],
            lead: item.detail,
            cards: cards
        ).html
        return await dashboard.page("Review item \(item.sequence)", at: .review, html, request, context)
    }

    @Sendable private func decide(_ request: Request, _ context: ServerContext) async throws -> Response {
        let item = try await item(context)
        let form = try await dashboard.form(request, context)
        let decision = try ReviewDecision(
            body: .form([
                ("action", form.text("action")), ("by", dashboard.author(form, context)), ("note", form.text("note")),
            ])
        )
        _ = try await system.review.decide(decision, on: item.sequence)
        let notice: Dashboard.Notice = decision.action == .retry ? .retried : .closed
        return .seeOther("/review/\(item.sequence)?done=\(notice.rawValue)")
    }
}

extension JSONValue {
    /// The object that a form stands for; fields without a value are left out.
    static func form(_ fields: [(String, String?)]) -> JSONValue {
        .object(JSONObject(fields.compactMap { name, value in value.map { .init(name, .string($0)) } }))
    }
}

extension ReviewSubject {
    /// The page of the subject; nil for an app.
    var link: PageLink? {
        switch self {
        case .app: nil
        case .token(let id): PageLink(id.rawValue, PagePath.token(id))
        case .sale(let id): PageLink(id.rawValue, PagePath.sale(id.rawValue))
        case .report(let id): PageLink(id.text, PagePath.report(id))
        case .notification(let id): PageLink(id.rawValue, PagePath.of("notifications", id.rawValue))
        }
    }
}

extension ReviewItem {
    /// The page of what the item is about; nil for an app.
    var link: PageLink? {
        if kind == .paymentEvent {
            return PageLink("Held payment events", PagePath.query("/events", [("state", "held")]))
        }
        return subject.link
    }

    /// Whether the decision to try again exists for the item.
    fileprivate var allowsRetry: Bool {
        [.reportRefused, .saleHeld, .keyRefused, .subscriptionFigures].contains(kind)
    }

    fileprivate var retryLabel: String {
        switch kind {
        case .keyRefused: "Send again with the new key"
        case .subscriptionFigures: "Plan the correction again"
        default: "Release: plan and send again"
        }
    }

    /// What a person can do, in a sentence.
    var wayOut: String {
        switch kind {
        case .reportRefused:
            "Amend or void the sale that the errors name, then release the item: the report is planned, checked and sent again. "
                + "Close the item only if nothing of it has to be reported."
        case .saleHeld:
            "Send the sale again with what is missing; the item then closes by itself. Release it to plan it again, or "
                + "close the item to leave the sale out of the reports."
        case .keyRefused:
            "Put a valid key into the configuration and start the server again, or release the item once the key is valid at Apple."
        case .contradiction: "Find out which of the two is right, correct it in the shop, then close the item."
        case .unreportedButAccepted:
            "Apple calls a token unreported although it accepted the report: ask Apple with the report's identifier, then close the item."
        case .subscriptionFigures:
            "Confirm the planned correction, or close the item to leave the accepted figures as they are."
        case .paymentEvent:
            "Repair what the reasons of the held events name, then apply each again on its page, or restart the server. "
                + "The item closes by itself when no event is held."
        default: "Settle the matter, then close the item with a note."
        }
    }
}
