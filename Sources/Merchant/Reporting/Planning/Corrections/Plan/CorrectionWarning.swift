import ExternalPurchaseCore
import ReportValidation

/// A warning about a correction or report that the endpoint would accept.
struct CorrectionWarning: Hashable, Sendable {
    /// The machine-readable cause.
    let code: Code
    /// The affected item.
    let lineItemId: LineItemId?
    /// The meaning, as text for a person.
    let reason: String

    /// The causes of warnings.
    enum Code: String, Hashable, Sendable, CaseIterable {
        /// A refund keeps other currencies, rate or tax country than its buy, which the endpoint does not detect
        /// (RR-83).
        case refundLeftBehind = "refund-left-behind"
        /// The amounts of a refund were computed as its share of the corrected buy (RR-46).
        case refundAmountsDerived = "refund-amounts-derived"
        /// A buy or start is restored while one of its refunds or events stays retracted.
        case staysRetracted = "stays-retracted"
        /// A refund that is not part of the correction is sent once it is accepted (RR-46).
        case sentAfterwards = "sent-afterwards"
        /// A refund that waits to be sent is not sent once the correction is accepted.
        case notSentThen = "not-sent-then"
        /// The correction needs several reports, which are accepted one after another.
        case severalReports = "several-reports"
    }

    init(_ code: Code, _ lineItemId: LineItemId?, _ reason: String) {
        self.code = code
        self.lineItemId = lineItemId
        self.reason = reason
    }

    /// The warning as JSON.
    var json: JSONValue {
        var members: JSONObject = ["code": .string(code.rawValue)]
        if let lineItemId { members["lineItemId"] = .string(lineItemId.rawValue) }
        members["reason"] = .string(reason)
        return .object(members)
    }

    /// The refunds that a report leaves inconsistent with the buys it restates (RR-83).
    ///
    /// E2, E32, E33 and E23 check only the refunds in the report itself.
    ///
    /// - Parameters:
    ///   - report: any report, before it is sent.
    ///   - history: the accepted history that the validation of the report needs.
    static func refundsLeftBehind(by report: ReceivedReport, history: HistorySlice) -> [CorrectionWarning] {
        let items = report.status == .lineItem ? report.lineItems ?? [] : []
        let reported = Set(items.compactMap(\.lineItemId))
        var buys: [LineItemId: ReceivedLineItem] = [:]
        for item in items where item.eventType == .buy && item.erroneouslySubmitted != true {
            if let id = item.lineItemId { buys[id] = item }
        }
        let refunds = history.newest.values.map(\.item).filter { refund in
            guard refund.eventType == .refund, refund.erroneouslySubmitted != true, let id = refund.lineItemId,
                !reported.contains(id), let buy = refund.referenceLineItemId.flatMap({ buys[$0] })
            else { return false }
            return RefundAgreement(refund) != RefundAgreement(buy)
        }
        return refunds.compactMap { refund in
            refund.lineItemId.flatMap { id in refund.referenceLineItemId.map { .leftBehind(id, buy: $0) } }
        }.sorted { ($0.lineItemId ?? "") < ($1.lineItemId ?? "") }
    }

    static func leftBehind(_ refund: LineItemId, buy: LineItemId) -> CorrectionWarning {
        CorrectionWarning(
            .refundLeftBehind,
            refund,
            "the refund \(refund) keeps other currencies, rate or tax country than its buy \(buy);"
                + " Apple accepts that and holds two figures that do not fit"
        )
    }
}
