import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The route `GET /v1/reports`.
struct ReportRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("reports", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.reports.filter(of: request, by: context.caller, in: system)
        let reports = try await system.lists.reports(matching: filter, page)
        return Response(page.json("reports", reports.map { ($0.sequence, $0.json) }))
    }
}

extension StoredReport {
    fileprivate var json: JSONValue { .object(JSONObject(listMembers)) }
}
