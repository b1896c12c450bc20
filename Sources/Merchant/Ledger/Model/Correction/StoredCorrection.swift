package import ExternalPurchaseCore

/// The id of a correction, chosen by the caller that requests it and unique per app.
package struct CorrectionId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A correction, from the request to its reports (RR-80 to RR-84).
package struct StoredCorrection: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let correctionId: CorrectionId
    package let bundleId: BundleId
    package let requestedBy: String
    package let reason: String
    package let requestedAt: Timestamp
    /// The requested changes.
    package let request: JSONValue
    /// The result of the newest dry run: changes and predicted validation results.
    package var dryRun: JSONValue?
    package var confirmation: CorrectionStep?
    /// Set when the reports are accepted or the correction is abandoned; the note tells which.
    package var closing: CorrectionStep?
    /// The reports in the order in which they are sent.
    package var reports: [CorrectionReport]

    package init(
        sequence: Int64 = 0,
        correctionId: CorrectionId,
        bundleId: BundleId,
        requestedBy: String,
        reason: String,
        requestedAt: Timestamp,
        request: JSONValue,
        dryRun: JSONValue? = nil,
        confirmation: CorrectionStep? = nil,
        closing: CorrectionStep? = nil,
        reports: [CorrectionReport] = []
    ) {
        self.sequence = sequence
        self.correctionId = correctionId
        self.bundleId = bundleId
        self.requestedBy = requestedBy
        self.reason = reason
        self.requestedAt = requestedAt
        self.request = request
        self.dryRun = dryRun
        self.confirmation = confirmation
        self.closing = closing
        self.reports = reports
    }
}

extension StoredCorrection {
    /// The fields of a correction, with their name in each record form.
    package static let fields = RecordFields<StoredCorrection>([
        .init("correctionId", in: .audit, .archive, .list) { .text($0.correctionId.rawValue) },
        .init("bundleId", in: .audit, .list) { .text($0.bundleId.rawValue) },
        .init("saleId", in: .audit) { .text($0.request.objectValue?["saleId"]?.stringValue) },
        .init("requestedBy", in: .audit, .archive, .list) { .text($0.requestedBy) },
        .init("reason", in: .audit, .archive, .list) { .text($0.reason) },
        .init("requestedAt", in: .archive, .list) { .time($0.requestedAt) },
        .init("request", in: .archive, .list) { .json($0.request) },
        .init("requestSHA256", in: .audit) { .json(.digest($0.request.canonical.encoded())) },
        .init("dryRunSHA256", in: .audit) { .json($0.dryRun.map { .digest($0.canonical.encoded()) }) },
        .init("plan", in: .list) { .json($0.dryRun?.objectValue?["plan"]) },
        .init([.audit: "confirmation"]) { .json($0.confirmation?.json { .integer($0.milliseconds) }) },
        .init([.list: "confirmed"]) { .json($0.confirmation?.json { .string($0.description) }) },
        .init("confirmedAt", in: .archive) { .time($0.confirmation?.at) },
        .init("confirmedBy", in: .archive) { .text($0.confirmation?.by) },
        .init([.audit: "closing"]) { .json($0.closing?.json { .integer($0.milliseconds) }) },
        .init([.list: "closed"]) { .json($0.closing?.json { .string($0.description) }) },
        .init("closedAt", in: .archive) { .time($0.closing?.at) },
        .init("closedBy", in: .archive) { .text($0.closing?.by) },
        .init("note", in: .archive) { .text($0.closing?.note) },
        .init("reports", in: .archive) {
            .text($0.reports.map(\.requestIdentifier.text).joined(separator: " "))
        },
        .init("reports", in: .list) { .json(.array($0.reports.map { .string($0.requestIdentifier.text) })) },
    ])
}

/// A step of a correction: its time, the person who took it, and a note.
package struct CorrectionStep: Hashable, Sendable {
    package let at: Timestamp
    package let by: String
    package let note: String

    package init(at: Timestamp, by: String, note: String = "") {
        self.at = at
        self.by = by
        self.note = note
    }
}

extension CorrectionStep {
    fileprivate func json(_ time: (Timestamp) -> JSONValue) -> JSONValue {
        ["at": time(at), "by": .string(by), "note": .string(note)]
    }
}

/// A report that belongs to a correction.
package struct CorrectionReport: Hashable, Sendable {
    package let environment: AppStoreEnvironment
    package let requestIdentifier: RequestIdentifier

    package init(environment: AppStoreEnvironment, requestIdentifier: RequestIdentifier) {
        self.environment = environment
        self.requestIdentifier = requestIdentifier
    }
}
