package import ExternalPurchaseCore

/// A report with the exact bytes that every attempt sends (SA-70).
package struct StoredReport: Hashable, Sendable {
    /// The sequence number in order of creation, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let scope: ReportingScope
    package let requestIdentifier: RequestIdentifier
    package let externalPurchaseId: ExternalPurchaseId
    package let status: ReportStatus
    package let body: [UInt8]
    package let writtenAt: Timestamp
    package var state: ReportState
    package var changedAt: Timestamp
    /// How often the bytes were passed to the network.
    package var attempts: Int
    /// The last response to a PUT or GET of the report.
    package var answer: ReportAnswer?
    package var errors: [AttributedReportError]
    /// True for a report that another system sent: it is accepted and never sent again.
    package let isImported: Bool

    package init(
        sequence: Int64 = 0,
        scope: ReportingScope,
        requestIdentifier: RequestIdentifier,
        externalPurchaseId: ExternalPurchaseId,
        status: ReportStatus,
        body: [UInt8],
        writtenAt: Timestamp,
        state: ReportState = .written,
        changedAt: Timestamp? = nil,
        attempts: Int = 0,
        answer: ReportAnswer? = nil,
        errors: [AttributedReportError] = [],
        isImported: Bool = false
    ) {
        self.sequence = sequence
        self.scope = scope
        self.requestIdentifier = requestIdentifier
        self.externalPurchaseId = externalPurchaseId
        self.status = status
        self.body = body
        self.writtenAt = writtenAt
        self.state = state
        self.changedAt = changedAt ?? writtenAt
        self.attempts = attempts
        self.answer = answer
        self.errors = errors
        self.isImported = isImported
    }
}

extension StoredReport {
    /// The fields of a report; a list shows its errors and its bytes besides, with their name in each record form.
    package static let fields = RecordFields<StoredReport>([
        .init("requestIdentifier", in: .audit) { .text($0.requestIdentifier.key) },
        .init("requestIdentifier", in: .archive, .list) { .text($0.requestIdentifier.text) },
        .init("bundleId", in: .audit, .list) { .text($0.scope.bundleId.rawValue) },
        .init("environment", in: .audit, .archive, .list) { .text($0.scope.environment.rawValue) },
        .init("externalPurchaseId", in: .audit, .archive, .list) { .text($0.externalPurchaseId.rawValue) },
        .init("status", in: .audit, .archive, .list) { .text($0.status.rawValue) },
        .init("state", in: .audit, .archive, .list) { .text($0.state.rawValue) },
        .init("writtenAt", in: .archive, .list) { .time($0.writtenAt) },
        .init("changedAt", in: .archive, .list) { .time($0.changedAt) },
        .init("attempts", in: .audit, .archive, .list) { .integer(Int64($0.attempts)) },
        .init("imported", in: .archive) { .flag($0.isImported) },
        .init("answer", in: .list) { .json($0.answer?.json) },
        .init("answerStatus", in: .audit, .archive) { .integer($0.answer?.status.map { Int64($0) }) },
        .init("answerSHA256", in: .audit) { .json($0.answer.map { .digest($0.body) }) },
        .init("answeredAt", in: .archive) { .time($0.answer?.receivedAt) },
        .init("conclusion", in: .audit, .archive) { .text($0.answer?.conclusion) },
        .init("errors", in: .audit, .archive) {
            .json($0.errors.isEmpty ? nil : .array($0.errors.map(\.json)))
        },
    ])
}

/// The state of a report on its way to Apple.
package enum ReportState: String, Hashable, Sendable, CaseIterable {
    /// Committed and certainly not at Apple: not sent yet, or refused in a way that requires the same bytes again.
    case written
    /// Passed to the network; after a restart the result is unknown.
    case sending
    /// No conclusive response; GET precedes the next PUT (SA-71).
    case unknown
    /// Stored by Apple.
    case accepted
    /// Refused by Apple or by the pre-flight; a person decides.
    case needsAttention
    /// Refused, then withdrawn by a person; kept as evidence without its sales and its token.
    case withdrawn

    /// True while later reports of its token must wait (SA-74).
    package var isOpen: Bool { self != .accepted && self != .withdrawn }
}

/// A response with the exact bytes received, which are evidence (OB-90).
package struct ReportAnswer: Hashable, Sendable {
    /// The HTTP status; nil without a response.
    package let status: Int?
    package let body: [UInt8]
    package let receivedAt: Timestamp
    /// The conclusion drawn from the response, for the operator.
    package let conclusion: String

    package init(status: Int?, body: [UInt8], receivedAt: Timestamp, conclusion: String) {
        self.status = status
        self.body = body
        self.receivedAt = receivedAt
        self.conclusion = conclusion
    }
}

extension ReportAnswer {
    fileprivate var json: JSONValue {
        [
            "status": status.map { .integer(Int64($0)) } ?? .null,
            "receivedAt": .string(receivedAt.description),
            "conclusion": .string(conclusion),
        ]
    }
}

/// An error of a report, with the sale that it is about.
package struct AttributedReportError: Hashable, Sendable {
    package let error: ReportError
    /// The sale of the error's line item.
    package let saleId: SaleId?
    /// True for an error of the pre-flight, which means that nothing was sent (SA-75).
    package let isLocal: Bool

    package init(error: ReportError, saleId: SaleId?, isLocal: Bool) {
        self.error = error
        self.saleId = saleId
        self.isLocal = isLocal
    }

    /// The members of Apple's error object, and `saleId` and `local` where they apply.
    package var json: JSONValue {
        var object = error.json.objectValue ?? JSONObject()
        if let saleId { object.members.append(.init("saleId", .string(saleId.rawValue))) }
        if isLocal { object.members.append(.init("local", .bool(true))) }
        return .object(object)
    }

    /// Reads what ``json`` wrote; nil when the stored text is invalid.
    package init?(stored json: JSONValue) {
        guard let error = ReportError(json: json), let object = json.objectValue else { return nil }
        self.init(
            error: error,
            saleId: object["saleId"]?.stringValue.map { SaleId($0) },
            isLocal: object["local"]?.boolValue ?? false
        )
    }
}

/// One version of a line item that Apple accepted.
package struct AcceptedVersion: Hashable, Sendable {
    /// The sequence number in order of acceptance; 0 for a version of no ledger.
    package let sequence: Int64
    package let item: ReceivedLineItem
    package let externalPurchaseId: ExternalPurchaseId
    /// The report that contains the version; nil for a version of no ledger.
    package let requestIdentifier: RequestIdentifier?

    package init(
        item: ReceivedLineItem,
        externalPurchaseId: ExternalPurchaseId,
        sequence: Int64 = 0,
        requestIdentifier: RequestIdentifier? = nil
    ) {
        self.sequence = sequence
        self.item = item
        self.externalPurchaseId = externalPurchaseId
        self.requestIdentifier = requestIdentifier
    }
}
