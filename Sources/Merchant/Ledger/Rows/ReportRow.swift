import ExternalPurchaseCore

/// The columns of a report.
///
/// A withdrawn report has the stored state `needsAttention`.
enum ReportRow {
    typealias Column<Value> = RowColumn<StoredReport, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.scope.bundleId }
    static let environment = Column("environment", .rawValue, written: .once) { $0.scope.environment }
    static let requestKey = Column("request_key", .text, written: .once) { $0.requestIdentifier.key }
    static let requestIdentifier = Column("request_identifier", .requestIdentifier, written: .once) {
        $0.requestIdentifier
    }
    static let externalPurchaseId = Column("external_purchase_id", .rawValue, written: .once) {
        $0.externalPurchaseId
    }
    static let status = Column("status", .rawValue, written: .once) { $0.status }
    static let body = Column("body", .bytes, written: .once) { $0.body }
    static let writtenAt = Column("written_at", .time, written: .once) { $0.writtenAt }
    static let state = Column("state", .rawValue, written: .always) {
        $0.state == .withdrawn ? .needsAttention : $0.state
    }
    static let withdrawnAt = Column("withdrawn_at", .optional(.time), written: .always) {
        $0.state == .withdrawn ? $0.changedAt : nil
    }
    static let changedAt = Column("changed_at", .time, written: .always) { $0.changedAt }
    static let attempts = Column("attempts", .count, written: .always) { $0.attempts }
    static let answerStatus = Column("answer_status", .optional(.count), written: .always) { $0.answer?.status }
    static let answerBody = Column("answer_body", .optional(.bytes), written: .always) { $0.answer?.body }
    static let answerAt = Column("answer_at", .optional(.time), written: .always) { $0.answer?.receivedAt }
    static let answerConclusion = Column("answer_conclusion", .optional(.text), written: .always) {
        $0.answer?.conclusion
    }
    static let errors = Column("errors", .reportErrors, written: .always) { $0.errors }
    static let isImported = Column("imported", .flag, written: .once) { $0.isImported }

    static let table = RowTable<StoredReport>(
        "reports",
        [
            sequence, bundleId, environment, requestKey, requestIdentifier, externalPurchaseId, status, body, writtenAt,
            state, withdrawnAt, changedAt, attempts, answerStatus, answerBody, answerAt, answerConclusion, errors,
            isImported,
        ]
    )
    static let update = table.update(
        where: "bundle_id = ? AND environment = ? AND request_key = ? AND state <> 'accepted'"
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredReport {
        var answer: ReportAnswer?
        if let conclusion = try answerConclusion.read(from: row) {
            guard let receivedAt = try answerAt.read(from: row) else { throw .corrupt("answer_at is missing") }
            answer = ReportAnswer(
                status: try answerStatus.read(from: row),
                body: try answerBody.read(from: row) ?? [],
                receivedAt: receivedAt,
                conclusion: conclusion
            )
        }
        return StoredReport(
            sequence: try sequence.read(from: row),
            scope: ReportingScope(
                bundleId: try bundleId.read(from: row),
                environment: try environment.read(from: row)
            ),
            requestIdentifier: try requestIdentifier.read(from: row),
            externalPurchaseId: try externalPurchaseId.read(from: row),
            status: try status.read(from: row),
            body: try body.read(from: row),
            writtenAt: try writtenAt.read(from: row),
            state: try withdrawnAt.read(from: row) == nil ? try state.read(from: row) : .withdrawn,
            changedAt: try changedAt.read(from: row),
            attempts: try attempts.read(from: row),
            answer: answer,
            errors: try errors.read(from: row),
            isImported: try isImported.read(from: row)
        )
    }
}
