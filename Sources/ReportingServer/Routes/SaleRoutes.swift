import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// `POST /v1/sales`, `GET /v1/sales`.
struct SaleRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.post("sales", use: take)
        group.get("sales", use: list)
    }

    @Sendable private func take(_ request: Request, _ context: Context) async throws -> Response {
        let receipt = try await merchant.takeSale(body: try await RequestBody.json(of: request))
        return Response(receipt.json, status: receipt.isNew ? .created : .ok)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let sales = try await merchant.givenSales(page)
        return Response(page.json("sales", sales.map { ($0.sale.sequence, $0.listJSON) }))
    }
}

extension SaleReceipt {
    private var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            .init("saleId", .string(sale.sale.saleId.rawValue)),
            .init("lineItemId", .string((items.first ?? sale).lineItemId.rawValue)),
        ]
        if !lines.isEmpty {
            members.append(.init("lineItems", .array(items.map { .string($0.lineItemId.rawValue) })))
        }
        return members + [
            .init("externalPurchaseId", externalPurchaseId.map { .string($0.rawValue) } ?? .null),
            .init("state", .string(stateName)),
            .init("flags", .strings(flags.map(\.rawValue))),
        ]
    }

    var json: JSONValue { .object(JSONObject(members)) }

    var listJSON: JSONValue {
        .object(
            JSONObject(
                members + [
                    .init("standing", .string(standing.rawValue)),
                    .init("requestIdentifier", requestIdentifier.map { .string($0.text) } ?? .null),
                    .init("receivedAt", .string(sale.receivedAt.description)),
                    .init("sale", sale.sale.asGiven.json),
                ]
            )
        )
    }
}
