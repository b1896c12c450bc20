import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /events` and `GET /events/{eventId}`, and the forms `POST /events/{eventId}/apply` and `…/dismiss`.
struct PaymentEventPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("events", use: list)
        group.get("events/:eventId", use: one)
        group.post("events/:eventId/apply", use: apply)
        group.post("events/:eventId/dismiss", use: dismiss)
    }

    /// The largest number of connected events that a page lists.
    private static let limit = 50

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.events, of: request, in: system)
        let events = try await system.lists.paymentEvents(matching: list.filter, list.page)
        let empty =
            system.payments == nil
            ? "No payment provider is configured: the members stripe and payments of the configuration file name accounts."
            : list.given.isEmpty ? "No payment event has arrived yet." : "No payment event matches the filter."
        let html = list.html(
            "Payment events",
            lead: "What payment providers told the server and what became of it, the last received first.",
            table(events, caption: "Payment events", empty: empty),
            last: events.last?.sequence
        )
        return await dashboard.page("Payment events", at: .events, html, request, context)
    }

    private func table(_ events: [StoredPaymentEvent], caption: String, empty: String) -> TableView {
        TableView(
            caption: caption,
            columns: [
                Column("Event", .id), Column("About", .id), Column("Received", sorted: .descending), Column("State"),
                Column("Why", .wide),
            ],
            rows: events.map { event in
                [
                    .link(
                        event.title,
                        PagePath.event(event.eventId),
                        sub: [
                            event.eventId.rawValue, system.apps.count > 1 ? event.bundleId?.rawValue : nil,
                            event.isLive ? nil : "test mode",
                        ].compactMap(\.self).joined(separator: " · ")
                    ), .text(event.objectId),
                    .time(event.receivedAt), Cell(chips: [event.result.state.chip]), .text(event.result.detail),
                ]
            },
            empty: empty
        )
    }

    // MARK: One event

    private func event(_ context: ServerContext) async throws -> StoredPaymentEvent {
        let id = PaymentEventId(try context.decodedParameter("eventId"))
        guard let event = try await system.lists.paymentEvent(id) else {
            throw Problem.notFound("there is no payment event \(id.rawValue.quoted)")
        }
        return event
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let event = try await event(context)
        var cards = [RecordView.Card(title: "Facts", body: facts(of: event).html)]
        if event.result.state != .applied, dashboard.allows(.post, "/events/{eventId}/apply", context) {
            cards.append(RecordView.Card(title: "Apply again", body: application(of: event, context)))
        }
        let dismissal = dismissal(of: event, context)
        if !dismissal.isEmpty { cards.append(RecordView.Card(title: "Set aside", body: dismissal)) }
        cards.append(RecordView.Card(title: "Sales", body: try await sales(of: event).html))
        let connected = try await system.lists.paymentEvents(about: event.paymentObjects)
            .filter { $0.eventId != event.eventId && $0.provider == event.provider }
            .filter { !Set($0.apps).isDisjoint(with: event.apps) }.suffix(Self.limit).reversed()
        if !connected.isEmpty {
            cards.append(
                RecordView.Card(
                    title: "Connected events",
                    note: "they name the same payment and are applied together",
                    body: table(Array(connected), caption: "Connected events", empty: "").html
                )
            )
        }
        cards.append(
            RecordView.Card(
                title: "As stored",
                note: "without names, addresses and card data",
                body: PayloadView(label: "Content", bytes: event.content.encoded(), isOpen: true).html
            )
        )
        let html = RecordView(
            parent: Dashboard.Place.events.link,
            title: event.title,
            id: event.eventId.rawValue,
            chips: [event.result.state.chip],
            lead: event.result.detail.map { "\($0.capitalizedFirst)." },
            cards: cards
        ).html
        return await dashboard.page(event.title, at: .events, html, request, context)
    }

    private func facts(of event: StoredPaymentEvent) -> FactsView {
        FactsView([
            ("Type", .text(event.type)),
            ("App", .text(event.bundleId?.rawValue ?? event.apps.map { "\($0.rawValue)?" }.joined(separator: ", "))),
            ("Mode", .text(event.isLive ? "live, reported to production" : "test, reported to the sandbox")),
            (
                "Date at the provider",
                .time(
                    event.createdAt,
                    seconds: true,
                    sub: "as \(event.provider == .custom ? "the shop" : event.provider.title) states"
                )
            ),
            (
                "Received",
                .time(
                    event.receivedAt,
                    seconds: true,
                    sub: event.arrival == .delivered ? "delivered to the webhook" : "fetched from Stripe's list"
                )
            ),
            ("Decided", event.result.decidedAt.map { .time($0, seconds: true) } ?? .text("not yet")),
            (
                "About",
                Cell(
                    links: event.paymentObjects.sorted().map(\.rawValue).map {
                        PageLink($0, PagePath.query("/search", [("q", $0)]))
                    },
                    text: event.paymentObjects.isEmpty ? "no payment" : nil
                )
            ), ("Customer", .text(event.customerId?.rawValue)),
        ])
    }

    private func sales(of event: StoredPaymentEvent) async throws -> TableView {
        var rows: [[Cell]] = []
        for id in event.result.sales.prefix(Self.limit) {
            let path = PagePath.sale(id.rawValue)
            let link = event.bundleId.map { PagePath.query(path, [("bundleId", $0.rawValue)]) } ?? path
            var receipt: SaleReceipt?
            do throws(RequestError) {
                receipt = try await system.lists.sale(id, of: event.bundleId).receipt
            } catch {
                guard case .unknown = error else { throw error }
            }
            rows.append([
                .link(
                    receipt?.sale.sale.title ?? id.rawValue,
                    system.apps.count > 1 ? link : path,
                    sub: id.rawValue
                ), .text(receipt?.sale.sale.amountText),
                receipt.map { Cell(chips: [$0.standing.chip]) } ?? .text("not stored"),
            ])
        }
        return TableView(
            caption: "Sales",
            columns: [Column("Sale", .wide), Column("Amount", .number), Column("Standing")],
            rows: rows,
            empty: "The event gave no sale."
        )
    }

    // MARK: Application

    private func application(of event: StoredPaymentEvent, _ context: ServerContext) -> String {
        let isConfigured = system.payments?.receives(event.provider) ?? false
        return FormView(
            action: PagePath.event(event.eventId) + "/apply",
            csrf: dashboard.csrf(context),
            intro: isConfigured
                ? event.result.state.wayOut
                : "No account of \(event.provider.title) is configured any more; the configuration file names accounts.",
            buttons: isConfigured ? [FormView.Button(label: "Apply again")] : []
        ).html
    }

    /// The form that sets an event aside; empty for one that is decided.
    private func dismissal(of event: StoredPaymentEvent, _ context: ServerContext) -> String {
        guard dashboard.allows(.post, "/events/{eventId}/dismiss", context),
            system.payments?.receives(event.provider) ?? false,
            [.received, .waiting, .held].contains(event.result.state)
        else { return "" }
        return FormView(
            action: PagePath.event(event.eventId) + "/dismiss",
            csrf: dashboard.csrf(context),
            intro:
                "If the event is not about a sale of the app, set it aside: it counts nowhere until it is applied again.",
            fields: dashboard.authorField(context) + [
                FormField(name: "reason", label: "Reason", kind: .long, limit: 500)
            ],
            buttons: [FormView.Button(label: "Set aside", style: "")]
        ).html
    }

    @Sendable private func dismiss(_ request: Request, _ context: ServerContext) async throws -> Response {
        let event = try await event(context)
        let form = try await dashboard.form(request, context)
        guard let payments = system.payments else { throw Problem.notFound("no payment provider is configured") }
        guard let reason = form.text("reason"), reason.unicodeScalars.count <= 500 else {
            throw Problem.invalid("/reason", "is missing, or has more than 500 characters")
        }
        let author = dashboard.author(form, context)
        _ = try await payments.dismiss(event.eventId, reason: reason, by: author)
        return .seeOther(PagePath.event(event.eventId) + "?done=\(Dashboard.Notice.dismissed.rawValue)")
    }

    @Sendable private func apply(_ request: Request, _ context: ServerContext) async throws -> Response {
        let event = try await event(context)
        _ = try await dashboard.form(request, context)
        guard let payments = system.payments else { throw Problem.notFound("no payment provider is configured") }
        _ = try await payments.applyAgain(event.eventId)
        return .seeOther(PagePath.event(event.eventId) + "?done=\(Dashboard.Notice.applied.rawValue)")
    }
}

extension PagePath {
    static func event(_ id: PaymentEventId) -> String { of("events", id.rawValue) }
}

extension StoredPaymentEvent {
    /// The id of the provider's object that the event is about.
    fileprivate var objectId: String? {
        let object = content.objectValue
        return switch provider {
        case .stripe: object?["data"]?.objectValue?["object"]?.objectValue?["id"]?.stringValue
        case .paddle: object?["data"]?.objectValue?["id"]?.stringValue
        case .custom: object?["id"]?.stringValue
        }
    }
}

extension PaymentEventResult.State {
    fileprivate var chip: Chip {
        switch self {
        case .received: Chip("received", .info)
        case .applied: Chip("applied", .good)
        case .waiting: Chip("waiting", .wait)
        case .notUsed: Chip("not used")
        case .held: Chip("held", .bad)
        case .dismissed: Chip("set aside")
        }
    }

    /// What a person can do, in a sentence.
    fileprivate var wayOut: String {
        switch self {
        case .received: "The server applies the event by itself. You can do it now."
        case .waiting:
            "The server applies the event by itself when what it waits for arrives. Apply it again if it has arrived."
        case .held:
            "Repair what the reason names, then apply the event again. A restart of the server applies all held events."
        case .notUsed: "Nothing has to be done. After a change of the configuration, apply the event again."
        case .applied: "The event is applied."
        case .dismissed: "A person set the event aside. If it counts after all, apply it again."
        }
    }
}
