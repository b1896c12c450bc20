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
        [
            "version": .integer(Int64(version)), "change": .string(change.rawValue),
            "at": .string(saidAt.description), "by": by.map { .string($0) } ?? .null,
            "reason": reason.map { .string($0) } ?? .null,
            "correctionId": correctionId.map { .string($0.rawValue) } ?? .null,
            "lineItemId": .string(lineItemId.rawValue), "sale": sale.json,
        ]
    }
}

extension SaleDetail.Item {
    fileprivate var json: JSONValue {
        [
            "saleId": .string(row.sale.saleId.rawValue),
            "lineItemId": .string(row.lineItemId.rawValue), "state": .string(row.stateName),
            "standing": .string(row.standing.rawValue),
            "externalPurchaseId": row.attribution.externalPurchaseId.map { .string($0.rawValue) } ?? .null,
            "flags": .strings(row.attribution.flags.map(\.rawValue)), "reason": .string(reason),
            "figures": figures?.json ?? .null,
            "report": sentIn.map { sent in
                [
                    "requestIdentifier": .string(sent.requestIdentifier.text),
                    "externalPurchaseId": .string(sent.externalPurchaseId.rawValue),
                    "state": .string(sent.reportState.rawValue),
                    "writtenAt": .string(sent.writtenAt.description),
                ]
            } ?? .null,
        ]
    }
}
