package import ExternalPurchaseCore

/// A sale in the ledger: the caller's content, its line item and its attribution to a token.
package struct StoredSale: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let sale: Sale
    package let lineItemId: LineItemId
    package let receivedAt: Timestamp
    package var attribution: Attribution
    /// The report that contains the line item, from its creation on.
    package var requestIdentifier: RequestIdentifier?
    /// The state of that report.
    package var reportState: ReportState?
    /// The manual export that contains the sale instead (OB-62).
    package var exportId: ManualExportId?
    /// The number of the version in ``sale``: 1 for the arrival, higher after changes.
    package var version: Int
    /// True when the newest version retracts the sale.
    package var isRetracted: Bool
    /// The sale of which this row is one line: an order, or the refund or reversal of an order.
    ///
    /// Nil for a sale as the caller submitted it.
    package let partOf: SaleId?

    package init(
        sequence: Int64 = 0,
        sale: Sale,
        lineItemId: LineItemId,
        receivedAt: Timestamp,
        attribution: Attribution,
        requestIdentifier: RequestIdentifier? = nil,
        reportState: ReportState? = nil,
        exportId: ManualExportId? = nil,
        version: Int = 1,
        isRetracted: Bool = false,
        partOf: SaleId? = nil
    ) {
        self.sequence = sequence
        self.sale = sale
        self.lineItemId = lineItemId
        self.receivedAt = receivedAt
        self.attribution = attribution
        self.requestIdentifier = requestIdentifier
        self.reportState = reportState
        self.exportId = exportId
        self.version = version
        self.isRetracted = isRetracted
        self.partOf = partOf
    }

    /// Returns the same row with other content.
    package func with(_ sale: Sale) -> StoredSale {
        StoredSale(
            sequence: sequence,
            sale: sale,
            lineItemId: lineItemId,
            receivedAt: receivedAt,
            attribution: attribution,
            requestIdentifier: requestIdentifier,
            reportState: reportState,
            exportId: exportId,
            version: version,
            isRetracted: isRetracted,
            partOf: partOf
        )
    }

    /// The environment in whose lists and figures the sale counts (OB-51).
    ///
    /// It is that of the sale's token, else of the token that the sale names, else the one that it states. A sale
    /// without any of them counts in production, because only its token could show that it owes nothing.
    package var environment: AppStoreEnvironment {
        (attribution.externalPurchaseId ?? sale.externalPurchaseId)?.environment ?? sale.environment ?? .production
    }

    /// True when the sale was withdrawn before Apple accepted it; a void sale is never reported.
    package var isVoid: Bool { standing == .void }

    /// The member `state` in the HTTP interface.
    package var stateName: String { isVoid ? "void" : attribution.state.rawValue }

    /// The standing of the sale, derived from the stored columns.
    package var standing: SaleStanding {
        if exportId != nil { return .handedOver }
        if isRetracted, reportState == nil || reportState == .accepted {
            return reportState == nil ? .void : .retracted
        }
        return switch (reportState, attribution.state) {
        case (.accepted, _): .reported
        case (_?, _): .inReport
        case (nil, .planned): .planned
        case (nil, .held): .held
        case (nil, .recorded): .recorded
        }
    }
}

extension StoredSale {
    /// The fields of a sale, with their name in each record form.
    package static let fields = RecordFields<StoredSale>([
        .init("sale", in: .audit) { .sale($0.sale) },
        .init("saleId", in: .archive) { .text($0.sale.saleId.rawValue) },
        .init("lineItemId", in: .audit, .archive) { .text($0.lineItemId.rawValue) },
        .init("partOf", in: .audit, .archive) { .text($0.partOf?.rawValue) },
        .init("type", in: .archive) { .text($0.sale.typeName) },
        .init("occurredAt", in: .archive) { .time($0.sale.occurredAt) },
        .init("receivedAt", in: .audit, .archive) { .time($0.receivedAt) },
        .init("customer", in: .archive) { .customer($0.sale.customerId) },
        .init("attribution", in: .audit) { .json($0.attribution.auditContent) },
        .init("standing", in: .archive) { .text($0.standing.rawValue) },
        .init("flags", in: .archive) { .texts($0.attribution.flags.map(\.rawValue)) },
        .init("externalPurchaseId", in: .archive) { .text($0.attribution.externalPurchaseId?.rawValue) },
        .init("requestIdentifier", in: .archive) { .text($0.requestIdentifier?.text) },
        .init("exportId", in: .archive) { .text($0.exportId?.rawValue) },
        .init("version", in: .archive) { .integer(Int64($0.version)) },
        .init("retracted", in: .archive) { .flag($0.isRetracted) },
    ])
}

/// The standing of a sale between its arrival and Apple's acceptance.
package enum SaleStanding: String, Hashable, Sendable, CaseIterable {
    /// Goes into the next report of its token.
    case planned
    /// Waits for a token or for a person; the hold causes say why.
    case held
    /// In a report that Apple has not accepted yet.
    case inReport
    /// In an accepted report.
    case reported
    /// Submitted by hand with a manual export (OB-62).
    case handedOver
    /// Records an event of a subscription; there is nothing to report.
    case recorded
    /// Accepted by Apple and then retracted by a correction.
    case retracted
    /// Withdrawn before Apple accepted it.
    case void
}
