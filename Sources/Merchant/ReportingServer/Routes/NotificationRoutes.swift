import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import NIOCore
import Reporting

/// The routes `POST /v1/notifications`, which Apple calls, and `GET /v1/notifications`.
struct NotificationRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    /// Adds the route for deliveries from Apple, which are verified by their signature.
    func addDelivery(to router: Router<Context>) {
        router.post("v1/notifications", use: receive)
    }

    func add(to group: RouterGroup<Context>) {
        group.get("notifications", use: list)
    }

    @Sendable private func receive(_ request: Request, _ context: Context) async throws -> Response {
        switch try await system.notifications.receive(
            body: try await RequestBody.bytes(of: request, upTo: context.bodyLimits.body)
        ) {
        case .stored, .known: return Response(status: .ok)
        case .refused(let refusal): throw Problem(refusal)
        }
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.notifications.filter(of: request, by: context.caller, in: system)
        let notifications = try await system.lists.notifications(matching: filter, page)
        return Response(page.json("notifications", notifications.map { ($0.sequence, $0.json) }))
    }
}

extension StoredNotification {
    fileprivate var json: JSONValue { .object(JSONObject(Self.fields.listMembers(of: self))) }
}
