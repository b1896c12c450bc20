import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// `GET /v1/attention`: what waits for a person.
struct AttentionRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.get("attention", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let items = try await merchant.attention(page)
        return Response(page.json("attention", items.map { ($0.sequence, $0.json) }))
    }
}
