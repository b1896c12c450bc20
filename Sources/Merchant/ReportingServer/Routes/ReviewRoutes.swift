import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// `GET /v1/attention`: what waits for a person; `POST /v1/attention/{sequence}`: what the person decides.
struct ReviewRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.get("attention", use: list)
        group.post("attention/:sequence", use: decide)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try MerchantList.review.filter(of: request, apps: merchant.apps.keys)
        let items = try await merchant.review(matching: filter, page)
        return Response(page.json("attention", items.map { ($0.sequence, $0.json) }))
    }

    @Sendable private func decide(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameters.require("sequence")
        guard let sequence = Int64(text), sequence > 0 else {
            throw Problem.notFound("there is no attention item \(text); GET /v1/attention lists them by sequence")
        }
        let decision = try ReviewDecision.read(try await RequestBody.json(of: request))
        return Response(try await merchant.decide(decision, on: sequence).json)
    }
}
