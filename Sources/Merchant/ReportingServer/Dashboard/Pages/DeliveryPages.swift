import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /deliveries` and `GET /deliveries/{id}`, and the form `POST /deliveries/{id}/redeliver`.
struct DeliveryPages {
    let dashboard: Dashboard

    private var deliveries: WebhookDeliveries { dashboard.system.deliveries }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("deliveries", use: list)
        group.get("deliveries/:id", use: one)
        group.post("deliveries/:id/redeliver", use: redeliver)
    }

    private static let path = Dashboard.Place.deliveries.rawValue
    private static let limit = 50

    // MARK: The list

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = try request.formQuery().map { (name: $0.name, value: $0.value.trimmed) }
        func given(_ name: String) -> String? { query.first { $0.name == name && !$0.value.isEmpty }?.value }
        let state = try given("state").map { try WebhookDelivery.State(named: $0) }
        let webhook = given("webhook")
        let after = max(0, given("after").flatMap { Int64($0) } ?? 0)
        let page = LedgerPage(after: after, limit: Self.limit, isNewestFirst: true)
        let listed = try await deliveries.list(to: webhook, in: state, of: AppLimit.apps, page)
        let names = try await deliveries.webhooks(of: AppLimit.apps)
        let filter = [("webhook", webhook), ("state", state?.rawValue)].compactMap { name, value in
            value.map { (name, $0) }
        }
        let empty =
            !filter.isEmpty
            ? "No delivery matches the filter."
            : names.isEmpty
                ? "No webhook is configured: the member webhooks of the configuration file names receivers."
                : "Nothing has happened since the webhooks started."
        let html = ListView(
            title: "Deliveries",
            lead: "Events that are sent to webhooks, with what became of each, the newest first.",
            action: Self.path,
            filter: [
                FormField(
                    name: "webhook",
                    label: "Webhook",
                    kind: .choice([("", "Any")] + Set(names + [webhook].compactMap(\.self)).sorted().map { ($0, $0) }),
                    value: webhook ?? ""
                ),
                FormField(
                    name: "state",
                    label: "State",
                    kind: .choice(
                        [("", "Any")]
                            + WebhookDelivery.State.allCases.map { ($0.rawValue, $0.rawValue.capitalizedFirst) }
                    ),
                    value: state?.rawValue ?? ""
                ),
            ],
            isFiltered: !filter.isEmpty,
            content: CardView.html("Deliveries", Self.table(listed, empty: empty).html),
            first: page.after > 0 ? PagePath.query(Self.path, filter) : nil,
            next: listed.count == Self.limit
                ? listed.last.map { last in
                    PageLink(
                        "Older",
                        PagePath.query(Self.path, filter + [("after", String(last.delivery.sequence))])
                    )
                } : nil
        ).html
        return await dashboard.page("Deliveries", at: .deliveries, html, request, context)
    }

    private static func table(_ listed: [WebhookDeliveries.Listed], empty: String) -> TableView {
        TableView(
            caption: "Deliveries",
            columns: [
                Column("Event", .id), Column("About", .id), Column("Made", sorted: .descending), Column("State"),
                Column("Last answer", .wide),
            ],
            rows: listed.map { listed in
                let (delivery, chip) = (listed.delivery, listed.delivery.chip)
                let attempts = delivery.attempts == 0 ? nil : Shown.count(delivery.attempts, "attempt")
                return [
                    .link(delivery.type, path(of: delivery.sequence), sub: "to \(delivery.webhook)"), about(delivery),
                    .time(delivery.madeAt, seconds: true), Cell(chips: [chip], sub: attempts),
                    .text(listed.attempts.last.map(\.answer)),
                ]
            },
            empty: empty
        )
    }

    private static func path(of sequence: Int64) -> String { PagePath.of("deliveries", String(sequence)) }

    /// The record that an event is about, with a link where it has a page.
    private static func about(_ delivery: WebhookDelivery) -> Cell {
        let subject = delivery.subject
        let list: String? =
            switch subject.kind {
            case "token": "tokens"
            case "sale": "sales"
            case "report": "reports"
            case "correction": "corrections"
            case "review": "review"
            case "payment": "events"
            default: nil
            }
        let name = subject.id.isEmpty ? subject.kind : subject.id
        let sub = subject.id.isEmpty ? nil : subject.kind
        guard let list, !subject.id.isEmpty else { return .text(name, sub: sub) }
        let path = PagePath.of(list, subject.id)
        let isOfApps = list == "sales"
        let link = isOfApps ? subject.bundleId.map { PagePath.query(path, [("bundleId", $0.rawValue)]) } : nil
        return .link(name, link ?? path, sub: sub)
    }

    // MARK: One delivery

    private func sequence(_ context: ServerContext) throws -> Int64 {
        let text = try context.parameters.require("id")
        guard let sequence = Int64(text) else { throw Problem.notFound("there is no delivery \(text.quoted)") }
        return sequence
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let listed = try await deliveries.one(try sequence(context), of: AppLimit.apps)
        let delivery = listed.delivery
        var cards = [
            RecordView.Card(
                title: "Facts",
                body: FactsView([
                    ("Webhook", .text(delivery.webhook)), ("Event", .text(delivery.type)),
                    ("App", .text(delivery.subject.bundleId?.rawValue ?? "all")), ("About", Self.about(delivery)),
                    ("Made", .time(delivery.madeAt, seconds: true)), ("Next attempt", next(delivery)),
                    ("Settled", .time(delivery.settledAt, seconds: true)),
                ]).html
            ),
            RecordView.Card(title: "Attempts", body: attempts(listed.attempts).html),
        ]
        if dashboard.allows(.post, "/deliveries/{id}/redeliver", context) {
            cards.append(
                RecordView.Card(
                    title: "Send again",
                    body: FormView(
                        action: Self.path(of: delivery.sequence) + "/redeliver",
                        csrf: dashboard.csrf(context),
                        intro:
                            "The event goes out at once, under its id and with its bytes. A receiver that knows the id drops it.",
                        buttons: [FormView.Button(label: "Send again")]
                    ).html
                )
            )
        }
        cards.append(
            RecordView.Card(
                title: "As sent",
                note: "the same bytes at each attempt",
                body: PayloadView(label: "Body", bytes: delivery.body, isOpen: true).html
            )
        )
        let title = "\(delivery.type) to \(delivery.webhook)"
        let html = RecordView(
            parent: Dashboard.Place.deliveries.link,
            title: title,
            id: delivery.eventId,
            chips: [delivery.chip],
            lead: delivery.isBehind ? "An earlier event of the same record is not delivered yet." : nil,
            cards: cards
        ).html
        return await dashboard.page(title, at: .deliveries, html, request, context)
    }

    private func next(_ delivery: WebhookDelivery) -> Cell {
        delivery.isBehind ? .text("after the earlier events of the record") : .time(delivery.nextAt, seconds: true)
    }

    private func attempts(_ attempts: [WebhookAttempt]) -> TableView {
        TableView(
            caption: "Attempts",
            columns: [Column("Time", sorted: .ascending), Column("Status", .number), Column("Answer", .wide)],
            rows: attempts.map { attempt in
                [
                    .time(attempt.at, seconds: true), .text(attempt.status.map { String($0) }),
                    attempt.error.map { .text($0) } ?? .chip("accepted", .good),
                ]
            },
            empty: "Nothing was sent yet."
        )
    }

    // MARK: Send again

    @Sendable private func redeliver(_ request: Request, _ context: ServerContext) async throws -> Response {
        let sequence = try sequence(context)
        _ = try await dashboard.form(request, context)
        _ = try await deliveries.redeliver(sequence, of: AppLimit.apps, by: context.caller.author)
        return .seeOther(Self.path(of: sequence) + "?done=\(Dashboard.Notice.redelivered.rawValue)")
    }
}

extension WebhookDelivery {
    /// Whether it waits for an earlier event of its record.
    fileprivate var isBehind: Bool { state == .waiting && nextAt == nil }

    fileprivate var chip: Chip {
        switch state {
        case .waiting: attempts == 0 ? Chip("waiting", .info) : Chip("tried again", .wait)
        case .delivered: Chip("delivered", .good)
        case .parked: Chip("parked", .bad)
        }
    }
}

extension WebhookAttempt {
    /// The answer in a clause.
    fileprivate var answer: String { error ?? "accepted with status \(status ?? 0)" }
}
