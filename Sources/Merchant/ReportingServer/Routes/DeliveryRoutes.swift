import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// The routes `GET /v1/deliveries`, the events sent to webhooks with their attempts, and
/// `POST /v1/deliveries/{id}/redeliver`.
struct DeliveryRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("deliveries", use: list)
        group.post("deliveries/:id/redeliver", use: redeliver)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let query = request.uri.queryParameters
        let state = try query["state"].map { text in
            guard let state = WebhookDelivery.State(rawValue: String(text)) else {
                let known = WebhookDelivery.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalid("?state", "is none of \(known)")
            }
            return state
        }
        let listed = try await system.deliveries.list(
            to: query["webhook"].map { String($0) },
            in: state,
            of: context.caller.bundleId,
            page
        )
        return Response(page.json("deliveries", listed.map { ($0.delivery.sequence, $0.json) }))
    }

    @Sendable private func redeliver(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameters.require("id")
        guard let sequence = Int64(text) else {
            throw Problem.notFound("there is no delivery \(text.quoted); GET /v1/deliveries lists them")
        }
        return Response(try await system.deliveries.redeliver(sequence, of: context.caller.bundleId).json)
    }
}
