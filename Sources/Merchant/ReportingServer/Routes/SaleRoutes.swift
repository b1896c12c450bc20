import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The routes `GET /v1/sales/{saleId}`, `POST /v1/sales`, `POST /v1/sales/{saleId}/void` and `GET /v1/sales`.
struct SaleRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("sales", use: receive)
        group.post("sales/:saleId/void", use: void)
        group.get("sales", use: list)
        group.get("sales/:saleId", use: one)
    }

    @Sendable private func receive(_ request: Request, _ context: Context) async throws -> Response {
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let command = try SaleCommand(body: body, apps: system.apps, caller: context.caller)
        let receipt = try await system.sales.receive(command)
        return Response(receipt.json, status: receipt.isNew ? .created : receipt.isWaiting ? .accepted : .ok)
    }

    @Sendable private func void(_ request: Request, _ context: Context) async throws -> Response {
        let saleId = SaleId(try context.decodedParameter("saleId"))
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let command = try VoidCommand(body: body, saleId: saleId, caller: context.caller)
        let receipt = try await system.sales.void(command)
        return Response(receipt.json, status: receipt.isWaiting ? .accepted : .ok)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.sales.filter(of: request, by: context.caller, in: system)
        let sales = try await system.lists.sales(matching: filter, page)
        var standings = try await system.lists.standings(of: sales.flatMap(\.receipt.items))[...]
        return Response(
            page.json(
                "sales",
                sales.map { listed in
                    let count = listed.receipt.items.count
                    let own = standings.prefix(count)
                    standings = standings.dropFirst(count)
                    return (listed.place, listed.receipt.listJSON(needsReview: own.contains(where: \.needsReview)))
                }
            )
        )
    }

    @Sendable private func one(_ request: Request, _ context: Context) async throws -> Response {
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        let id = SaleId(try context.decodedParameter("saleId"))
        let detail = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.lists.sale(id, of: bundleId)
        }
        return Response(detail.json)
    }
}
