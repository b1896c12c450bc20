import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// The routes `GET /v1/review`, which lists review items, and `POST /v1/review/{sequence}`, which decides about one.
struct ReviewRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("review", use: list)
        group.post("review/:sequence", use: decide)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.review.filter(of: request, by: context.caller, in: system)
        let items = try await system.lists.review(matching: filter, page)
        return Response(page.json("review", items.map { ($0.sequence, $0.json) }))
    }

    @Sendable private func decide(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameters.require("sequence")
        guard let sequence = Int64(text), sequence > 0 else {
            throw Problem.notFound("there is no review item \(text.quoted); GET /v1/review lists them by sequence")
        }
        let decision = try ReviewDecision(
            body: try await RequestBody.json(of: request, upTo: context.bodyLimits.body),
            caller: context.caller
        )
        return Response(try await system.review.decide(decision, on: sequence).json)
    }
}
