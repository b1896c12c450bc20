import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// The route `GET /v1/due`, which lists unreported tokens and sales, sorted by urgency.
struct DueRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("due", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let query = request.uri.queryParameters
        let limit = try LedgerPage.limit(of: request)
        let filter = try await MerchantList.due.filter(of: request, by: context.caller, in: system)
        let after = try query["after"].map { text in
            guard let place = DeadlinePosition(text: text) else {
                throw Problem.invalid("?after", "is not the 'next' of an earlier page")
            }
            return place
        }
        let page = try await system.deadlines(matching: filter, after: after, limit: limit)
        let next = page.isCut ? page.entries.last?.position.text : nil
        return Response(
            [
                "due": .array(page.entries.map { $0.entry.json(page.classifier, settings: page.settings) }),
                "next": next.map { .string($0) } ?? .null,
            ]
        )
    }
}
