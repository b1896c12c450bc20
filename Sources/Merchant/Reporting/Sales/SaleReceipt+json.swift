package import ExternalPurchaseCore
import Ledger

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
            .init("standing", .string(standing.rawValue)),
            .init("reportingCurrency", reportingCurrency.map { .string($0) } ?? .null),
            .init("flags", .strings(flags.map(\.rawValue))),
            .init("reasons", .strings(flags.map(\.words))),
        ]
    }

    /// The response to a stored or changed sale.
    package var json: JSONValue { .object(JSONObject(members)) }

    /// The members of the sale in a list.
    ///
    /// - Parameter content: the sale's own JSON.
    package func listMembers(of content: JSONValue) -> [JSONObject.Member] {
        members + [
            .init("version", .integer(Int64(sale.version))),
            .init("requestIdentifier", requestIdentifier.map { .string($0.text) } ?? .null),
            .init("receivedAt", .string(sale.receivedAt.description)),
            .init("sale", content),
        ]
    }
}

extension JSONValue {
    /// Returns an array of texts in sorted order.
    package static func strings(_ texts: [String]) -> JSONValue {
        .array(texts.sorted().map(JSONValue.string))
    }
}
