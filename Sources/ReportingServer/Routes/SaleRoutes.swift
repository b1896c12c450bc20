package import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
package import Reporting

/// `POST /v1/sales`, `POST /v1/sales/{saleId}/void`, `GET /v1/sales`.
struct SaleRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.post("sales", use: take)
        group.post("sales/:saleId/void", use: void)
        group.get("sales", use: list)
    }

    @Sendable private func take(_ request: Request, _ context: Context) async throws -> Response {
        let receipt = try await merchant.takeSale(body: try await RequestBody.json(of: request))
        return Response(receipt.json, status: receipt.isNew ? .created : receipt.isWaiting ? .accepted : .ok)
    }

    @Sendable private func void(_ request: Request, _ context: Context) async throws -> Response {
        let saleId = SaleId(try context.decodedParameter("saleId"))
        let receipt = try await merchant.voidSale(saleId, body: try await RequestBody.json(of: request))
        return Response(receipt.json, status: receipt.isWaiting ? .accepted : .ok)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let sales = try await merchant.sales(page)
        let standings = try await merchant.standings(of: sales)
        return Response(
            page.json("sales", zip(sales, standings).map { ($0.sequence, $0.json(needsReview: $1.needsReview)) })
        )
    }
}

extension SaleReceipt {
    /// The answer to what was sent of a sale.
    package var json: JSONValue { .object(JSONObject(sale.receiptMembers(state: stateName))) }
}

extension StoredSale {
    fileprivate func receiptMembers(state: String) -> [JSONObject.Member] {
        [
            .init("saleId", .string(sale.saleId.rawValue)),
            .init("lineItemId", .string(lineItemId.rawValue)),
            .init("externalPurchaseId", attribution.externalPurchaseId.map { .string($0.rawValue) } ?? .null),
            .init("state", .string(state)),
            .init("standing", .string(standing.rawValue)),
            .init("flags", .strings(attribution.flags.map(\.rawValue))),
        ]
    }

    fileprivate func json(needsReview: Bool) -> JSONValue {
        .object(
            JSONObject(
                receiptMembers(state: stateName) + [
                    .init("version", .integer(Int64(version))),
                    .init("needsReview", .bool(needsReview)),
                    .init("requestIdentifier", requestIdentifier.map { .string($0.text) } ?? .null),
                    .init("receivedAt", .string(receivedAt.description)),
                    .init("sale", sale.json),
                ]
            )
        )
    }
}
