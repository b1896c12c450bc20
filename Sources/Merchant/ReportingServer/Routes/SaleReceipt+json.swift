import ExternalPurchaseCore
import Ledger
import Reporting

extension SaleReceipt {
    var listMembers: [JSONObject.Member] { listMembers(of: sale.sale.asGiven.json) }

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
                    .init("requests", .array(requests.map(\.json))),
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

extension RequestOfSale {
    fileprivate var json: JSONValue {
        [
            "requestId": requestId.map { .string($0) } ?? .null,
            "requestIdentifier": report.map { .string($0.text) } ?? .null,
            "at": .string(at.description), "changes": .array(changes.map { .string($0) }),
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
