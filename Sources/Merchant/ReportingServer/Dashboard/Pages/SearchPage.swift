import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The page `GET /search?q=`, which finds a record by any of its ids.
struct SearchPage {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("search", use: search)
    }

    @Sendable private func search(_ request: Request, _ context: ServerContext) async throws -> Response {
        let text = (try request.formQuery().first { $0.name == "q" }?.value ?? "").trimmed
        // No id contains U+0000, up to which SQLite would compare.
        let isId = !text.isEmpty && text.unicodeScalars.count <= 1_024 && !text.utf8.contains(0)
        let hits = isId ? try await hits(of: text) : []
        if hits.count == 1, let only = hits.first, !only.link.href.hasPrefix("/search") {
            return .seeOther(only.link.href)
        }
        let table = TableView(
            caption: "Found",
            columns: [Column("Kind"), Column("Id", .id)],
            rows: hits.map { [.text($0.kind), Cell(links: [$0.link])] },
            empty: text.isEmpty
                ? "Enter an id of a token, sale, line item, report, notification, customer, checkout or correction, "
                    + "of a payment event or a payment, invoice or charge of Stripe, or a token as text."
                : "No record has exactly this id."
        )
        let html = ListView(
            title: "Search",
            lead: text.isEmpty ? "By any id." : "Records with the id \(Shown.text(text))",
            content: CardView.html("Found", table.html)
        ).html
        return await dashboard.page("Search", at: nil, html, request, context, query: text)
    }

    /// The largest number of payment events about one payment that are shown.
    private static let limit = 50

    private func hits(of text: String) async throws -> [(kind: String, link: PageLink)] {
        var hits: [(kind: String, link: PageLink)] = []
        let tokenId = ExternalPurchaseId(text)
        if try await !system.lists.tokens(withId: tokenId).isEmpty {
            hits.append(("Token", PageLink(text, PagePath.token(tokenId))))
        } else if let token = try? ExternalPurchaseToken.decode(text).token,
            try await !system.lists.tokens(withId: token.externalPurchaseId).isEmpty
        {
            hits.append(
                ("Token", PageLink(token.externalPurchaseId.rawValue, PagePath.token(token.externalPurchaseId)))
            )
        }
        let isSale = try await !system.lists.apps(withSale: SaleId(text)).isEmpty
        if isSale {
            hits.append(("Sale", PageLink(text, PagePath.sale(text))))
        } else if let sale = try await system.lists.sale(ofLineItem: LineItemId(text)) {
            hits.append(("Sale of the line item", PageLink(sale.saleId.rawValue, PagePath.sale(sale.saleId.rawValue))))
        }
        if let id = RequestIdentifier(text), try await !system.lists.reports(withId: id).isEmpty {
            hits.append(("Report", PageLink(text, PagePath.report(id))))
        }
        if try await system.lists.notification(NotificationUUID(text)) != nil {
            hits.append(("Notification", PageLink(text, PagePath.of("notifications", text))))
        }
        if try await !system.lists.corrections(withId: CorrectionId(text)).isEmpty {
            hits.append(("Correction", PageLink(text, PagePath.of("corrections", text))))
        }
        if let event = try await system.lists.paymentEvent(PaymentEventId(text)) {
            hits.append(("Payment event", PageLink(text, PagePath.event(event.eventId))))
        }
        for event in try await system.lists.paymentEvents(about: [text]).suffix(Self.limit).reversed() {
            hits.append(
                ("Payment event \(event.type)", PageLink(event.eventId.rawValue, PagePath.event(event.eventId)))
            )
        }
        if let checkout = try await system.lists.checkout(CheckoutId(text)) {
            if let token = checkout.externalPurchaseId {
                hits.append(("Token of the checkout", PageLink(token.rawValue, PagePath.token(token))))
            }
            hits.append(("Sales of the checkout", PageLink(text, PagePath.query("/sales", [("checkoutId", text)]))))
        }
        if try await system.lists.knowsCustomer(CustomerId(text)) {
            hits.append(("Tokens of the customer", PageLink(text, PagePath.query("/tokens", [("customerId", text)]))))
            hits.append(("Sales of the customer", PageLink(text, PagePath.query("/sales", [("customerId", text)]))))
        }
        return hits
    }
}
