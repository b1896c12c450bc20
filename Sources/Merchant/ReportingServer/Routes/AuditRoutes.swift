import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// The route `GET /v1/audit`, which lists the audit log (OB-93).
struct AuditRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("audit", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.audit.filter(of: request, by: context.caller, in: system)
        let seen = context.caller.isAdmin ? system : system.withoutAccess()
        let entries = try await seen.lists.audit(matching: filter, page)
        return Response(page.json("audit", entries.map { ($0.sequence, $0.json) }))
    }
}
