import ExternalPurchaseCore
import Hummingbird
import Ledger
import Obligations
import Reporting

/// `GET /v1/due`: what is not reported yet, what needs a person first.
struct DueRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.get("due", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let bundleId = request.uri.queryParameters["bundleId"].map { BundleId(String($0)) }
        if let bundleId, merchant.apps[bundleId] == nil {
            throw Problem.invalid("?bundleId", "is none of the apps registered here")
        }
        let list = try await merchant.dueList(of: bundleId)
        let (now, settings) = (merchant.now, list.rules.settings)
        let first = min(Int(clamping: page.after), list.count)
        let rows = list[first..<min(first + page.limit, list.count)].enumerated().map { offset, entry in
            (sequence: Int64(first + offset + 1), json: entry.json(at: now, settings: settings))
        }
        return Response(page.json("due", rows))
    }
}
