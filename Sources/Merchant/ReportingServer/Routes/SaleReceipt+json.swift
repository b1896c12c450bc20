package import ExternalPurchaseCore
import Ledger
package import Reporting

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

    var listMembers: [JSONObject.Member] {
        members + [
            .init("version", .integer(Int64(sale.version))),
            .init("requestIdentifier", requestIdentifier.map { .string($0.text) } ?? .null),
            .init("receivedAt", .string(sale.receivedAt.description)),
            .init("sale", sale.sale.asGiven.json),
        ]
    }

    /// - Parameter needsReview: true if a person must act before the sale, or a line of it, is reported.
    func listJSON(needsReview: Bool) -> JSONValue {
        .object(JSONObject(listMembers + [.init("needsReview", .bool(needsReview))]))
    }
}

extension SaleDetail {
    /// The response to `GET /v1/sales/{saleId}`.
    var json: JSONValue {
        .object(
            JSONObject(
                receipt.listMembers + [
                    .init("versions", .array(versions.map(\.json))), .init("items", .array(items.map(\.json))),
                ]
            )
        )
    }
}

extension SaleVersion {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                .init("version", .integer(Int64(version))), .init("change", .string(change.rawValue)),
                .init("at", .string(saidAt.description)), .init("by", by.map { .string($0) } ?? .null),
                .init("reason", reason.map { .string($0) } ?? .null),
                .init("correctionId", correctionId.map { .string($0.rawValue) } ?? .null),
                .init("lineItemId", .string(lineItemId.rawValue)), .init("sale", sale.json),
            ])
        )
    }
}

extension SaleDetail.Item {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                .init("saleId", .string(row.sale.saleId.rawValue)),
                .init("lineItemId", .string(row.lineItemId.rawValue)), .init("state", .string(row.stateName)),
                .init("standing", .string(row.standing.rawValue)),
                .init("externalPurchaseId", row.attribution.externalPurchaseId.map { .string($0.rawValue) } ?? .null),
                .init("flags", .strings(row.attribution.flags.map(\.rawValue))), .init("reason", .string(reason)),
                .init("figures", figures?.json ?? .null),
                .init(
                    "report",
                    sentIn.map { sent in
                        .object(
                            JSONObject([
                                .init("requestIdentifier", .string(sent.requestIdentifier.text)),
                                .init("externalPurchaseId", .string(sent.externalPurchaseId.rawValue)),
                                .init("state", .string(sent.reportState.rawValue)),
                                .init("writtenAt", .string(sent.writtenAt.description)),
                            ])
                        )
                    } ?? .null
                ),
            ])
        )
    }
}
