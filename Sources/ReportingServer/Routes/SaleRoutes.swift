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
        return Response(receipt.sale.receiptJSON, status: receipt.isNew ? .created : .ok)
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

extension StoredSale {
    fileprivate var receiptMembers: [JSONObject.Member] {
        [
            .init("saleId", .string(sale.saleId.rawValue)),
            .init("lineItemId", .string(lineItemId.rawValue)),
            .init("externalPurchaseId", attribution.externalPurchaseId.map { .string($0.rawValue) } ?? .null),
            .init("state", .string(attribution.state.rawValue)),
            .init("flags", .strings(attribution.flags.map(\.rawValue))),
        ]
    }

    fileprivate var receiptJSON: JSONValue { .object(JSONObject(receiptMembers)) }

    fileprivate func json(needsReview: Bool) -> JSONValue {
        .object(
            JSONObject(
                receiptMembers + [
                    .init("standing", .string(standing.rawValue)),
                    .init("needsReview", .bool(needsReview)),
                    .init("requestIdentifier", requestIdentifier.map { .string($0.text) } ?? .null),
                    .init("receivedAt", .string(receivedAt.description)),
                    .init("sale", sale.json),
                ]
            )
        )
    }
}
