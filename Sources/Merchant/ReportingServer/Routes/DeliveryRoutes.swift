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
        let state = try query["state"].map { try WebhookDelivery.State(named: String($0)) }
        let listed = try await system.deliveries.list(
            to: query["webhook"].map { String($0) },
            in: state,
            of: context.caller.bundleId.map { [$0] },
            page
        )
        return Response(page.json("deliveries", listed.map { ($0.delivery.sequence, $0.json) }))
    }

    @Sendable private func redeliver(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameters.require("id")
        guard let sequence = Int64(text) else {
            throw Problem.notFound("there is no delivery \(text.quoted); GET /v1/deliveries lists them")
        }
        let caller = context.caller
        let apps: Set<BundleId>? = caller.bundleId.map { [$0] }
        return Response(try await system.deliveries.redeliver(sequence, of: apps, by: caller.author).json)
    }
}

extension WebhookDelivery.State {
    /// - Throws: ``Problem`` 422 for a name of no state.
    init(named text: String) throws(Problem) {
        guard let state = Self(rawValue: text) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.invalid("?state", "is none of \(known)")
        }
        self = state
    }
}
