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
        if hits.count == 1, let only = hits.first, !only.href.hasPrefix("/search") { return .seeOther(only.href) }
        let table = TableView(
            caption: "Found",
            columns: [Column("Found", .wide), Column("Id", .id)],
            rows: hits.map { [.link($0.title, $0.href), .text($0.id)] },
            empty: text.isEmpty
                ? "Enter an id of a token, sale, line item, report, notification, customer, checkout or correction, "
                    + "of a payment event or a payment, invoice or charge of a provider, or a token as text."
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

    /// A record that was found: what it is, its page and its id.
    private struct Hit {
        let title: String
        let href: String
        let id: String
    }

    private func hits(of text: String) async throws -> [Hit] {
        var hits: [Hit] = []
        func found(_ title: String, _ href: String, _ id: String = "") {
            hits.append(Hit(title: title, href: href, id: id.isEmpty ? text : id))
        }
        var tokens = try await system.lists.tokens(withId: ExternalPurchaseId(text))
        if tokens.isEmpty, let token = try? ExternalPurchaseToken.decode(text).token {
            tokens = try await system.lists.tokens(withId: token.externalPurchaseId)
        }
        if let token = tokens.first {
            let id = token.token.externalPurchaseId
            found(token.title, PagePath.token(id), id.rawValue)
        }
        if let app = try await system.lists.apps(withSale: SaleId(text)).first {
            found(try await title(ofSale: SaleId(text), app), PagePath.sale(text))
        } else if let sale = try await system.lists.sale(ofLineItem: LineItemId(text)) {
            let id = sale.saleId.rawValue
            found(try await title(ofSale: sale.saleId, sale.bundleId), PagePath.sale(id), id)
        }
        if let id = RequestIdentifier(text), let detail = try await system.lists.reports(withId: id).first {
            found(detail.report.title, PagePath.report(id))
        }
        if let notification = try await system.lists.notification(NotificationUUID(text)) {
            found("Notification: \(notification.title)", PagePath.of("notifications", text))
        }
        if let correction = try await system.lists.corrections(withId: CorrectionId(text)).first {
            found(correction.title(nil), PagePath.of("corrections", text))
        }
        if let event = try await system.lists.paymentEvent(PaymentEventId(text)) {
            found("Payment event: \(event.title)", PagePath.event(event.eventId))
        }
        for event in try await system.lists.paymentEvents(about: [PaymentObjectName(text)]).suffix(Self.limit)
            .reversed()
        {
            found("Payment event: \(event.title)", PagePath.event(event.eventId), event.eventId.rawValue)
        }
        if let checkout = try await system.lists.checkout(CheckoutId(text)) {
            if let token = checkout.externalPurchaseId {
                found("Token of the checkout", PagePath.token(token), token.rawValue)
            }
            found("Sales of the checkout", PagePath.query("/sales", [("checkoutId", text)]))
        }
        if try await system.lists.knowsCustomer(CustomerId(text)) {
            found("Tokens of the customer", PagePath.query("/tokens", [("customerId", text)]))
            found("Sales of the customer", PagePath.query("/sales", [("customerId", text)]))
        }
        return hits
    }

    private func title(ofSale id: SaleId, _ app: BundleId) async throws -> String {
        let name = SaleName(id, of: app)
        return try await system.lists.related(sales: [name]).sales[name]?.sale.title ?? "Sale"
    }
}
