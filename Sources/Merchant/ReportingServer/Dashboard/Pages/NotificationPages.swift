import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /notifications` and `GET /notifications/{uuid}`.
struct NotificationPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("notifications", use: list)
        group.get("notifications/:uuid", use: one)
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.notifications, of: request, in: system)
        let notifications = try await system.lists.notifications(matching: list.filter, list.page)
        let html = list.html(
            "Notifications",
            lead: "Signed notifications of the App Store, the last received first.",
            RecordTable.notifications(
                notifications,
                try await system.lists.related(tokens: notifications.compactMap(\.externalPurchaseId))
            ),
            last: notifications.last?.sequence
        )
        return await dashboard.page("Notifications", at: .notifications, html, request, context)
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let uuid = NotificationUUID(try context.decodedParameter("uuid"))
        guard let notification = try await system.lists.notification(uuid) else {
            throw Problem.notFound("there is no notification \(uuid.rawValue.quoted)")
        }
        let related = try await system.lists.related(tokens: [notification.externalPurchaseId].compactMap(\.self))
        var cards = [
            RecordView.Card(
                title: "Facts",
                body: FactsView([
                    ("Type", .text(notification.type.rawValue, sub: notification.subtype?.rawValue)),
                    ("App", .text(notification.bundleId?.rawValue)),
                    ("Environment", .text(notification.environment?.rawValue)),
                    ("Token", .token(notification.externalPurchaseId, in: related)),
                    ("Signature", .time(notification.signedDate, seconds: true)),
                    (
                        "Received",
                        .time(
                            notification.receivedAt,
                            seconds: true,
                            sub: notification.arrival == .history ? "found in the history" : "delivered by Apple"
                        )
                    ),
                    (
                        "Effect",
                        notification.effect.map { .text($0.detail, sub: "at \(Shown.time($0.doneAt, seconds: true))") }
                            ?? .chip("waiting", .wait)
                    ),
                ]).html
            )
        ]
        if let payload = notification.payload {
            var body = PayloadView(label: "Signed text", bytes: Array(payload.utf8)).html
            let parts = payload.split(separator: ".")
            if parts.count == 3, let bytes = Base64URL.decode(parts[1].utf8)?.bytes {
                body = PayloadView(label: "Content", bytes: bytes, isOpen: true).html + body
            }
            cards.append(RecordView.Card(title: "As received", note: "kept as evidence", body: body))
        }
        let html = RecordView(
            parent: Dashboard.Place.notifications.link,
            title: notification.title,
            id: uuid.rawValue,
            cards: cards
        ).html
        return await dashboard.page(notification.title, at: .notifications, html, request, context)
    }
}
