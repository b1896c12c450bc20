import AppStoreServerClient
import ExternalPurchaseCore
import Ledger
import ReportValidation

/// The stage `send`: sends reports to Apple and derives their state from the response, which ``AnswerRecorder`` stores.
struct ReportDelivery: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let limits: ReportLimits
    let recorder: AnswerRecorder
    let dependencies: ReportingDependencies
    /// The right of this server to send the reports.
    var permit = LeasePermit.alone

    /// The action that follows a delivery.
    enum Outcome: Hashable, Sendable {
        case accepted
        /// The report waits for a person.
        case held
        /// This report waits; other reports are sent.
        case waits(atMost: Duration)
        /// All reports of the app and environment wait, until a given time if Apple named one (SA-82).
        case queueWaits(until: Timestamp?, reason: String)
        /// The key was refused: nothing of the app is sent any more (SA-73).
        case unauthorized(reason: String)

        /// True if other reports of the app and environment have to wait too.
        var stopsTheQueue: Bool {
            switch self {
            case .accepted, .held, .waits: false
            case .queueWaits, .unauthorized: true
            }
        }
    }

    /// The time after sending for which a report may still arrive at Apple.
    ///
    /// A server that took the reports over also waits for it from then on, because the time of sending comes from the
    /// clock of another server (SA-78).
    private static let latestArrival = Duration.minutes(2)

    /// The conclusion stored with a report that Apple refused with error code 26.
    static let stillInProcess = "another report of the same data is in process"

    // MARK: Send

    /// Sends reports one after another that are committed as `sending` and are certainly not at Apple.
    ///
    /// Accepted reports are recorded together, at the end or before the first other response. After a crash in between,
    /// Apple's copies show the acceptance (SA-71). Reports that were not sent become `written` again.
    ///
    /// - Parameters:
    ///   - reports: the reports.
    ///   - shouldContinue: called before each report; false ends the sending.
    func send(
        _ reports: [StoredReport],
        while shouldContinue: @Sendable () -> Bool
    ) async throws(LedgerError) -> [(report: StoredReport, outcome: Outcome)] {
        var outcomes: [(report: StoredReport, outcome: Outcome)] = []
        var accepted: [StoredReport] = []
        var rest = reports[...]
        while let report = rest.first, shouldContinue(), permit.outlastsRequest(),
            let client = apps[report.scope.bundleId]?.client
        {
            rest.removeFirst()
            let answered = try await transmit(report, through: client)
            if answered.outcome == .accepted {
                accepted.append(report.concluding(.accepted, answered, at: dependencies.now(), "accepted"))
                continue
            }
            try await recorder.recordAcceptance(of: accepted)
            outcomes += accepted.map { ($0, .accepted) }
            accepted = []
            let outcome = try await conclude(report, answered)
            outcomes.append((report, outcome))
            if outcome.stopsTheQueue { break }
        }
        try await recorder.recordAcceptance(of: accepted)
        outcomes += accepted.map { ($0, .accepted) }
        guard !rest.isEmpty else { return outcomes }
        let now = dependencies.now()
        let unsent = rest.map { report in
            var report = report
            report.state = .written
            report.attempts -= 1
            report.changedAt = now
            return report
        }
        try await recorder.recordProgress(of: unsent)
        if outcomes.isEmpty, let first = unsent.first { outcomes.append((first, .waits(atMost: .seconds(300)))) }
        return outcomes
    }

    /// Commits the state `sending` of reports that are certainly not at Apple.
    ///
    /// - Returns: the reports that were not withdrawn or accepted in the meantime.
    func markSending(_ reports: [StoredReport]) async throws(LedgerError) -> [StoredReport] {
        try await store.write { ledger throws(LedgerError) in
            var marked: [StoredReport] = []
            for report in reports {
                // The report may have been withdrawn since it was read.
                let state = try ledger.report(report.requestIdentifier, in: report.scope)?.state
                guard state != .withdrawn, state != .accepted else { continue }
                var report = report
                report.state = .sending
                report.attempts += 1
                try ledger.update(report, accepting: [])
                marked.append(report)
            }
            return marked
        }
    }

    private func transmit(
        _ report: StoredReport,
        through client: any ReportEndpointClient
    ) async throws(LedgerError) -> AppStoreResponse<SendOutcome> {
        // What was sent and is not recorded is retrieved by the next holder of the lease.
        try permit.checkRequest()
        let answered = await client.send(report.body, environment: report.scope.environment)
        guard answered.outcome == .unauthorized else { return answered }
        try permit.checkRequest()
        // The client makes a new JWT for every request; the refused one may have been too old.
        return await client.send(report.body, environment: report.scope.environment)
    }

    /// Derives the state of a report from Apple's response to a PUT.
    private func conclude(
        _ report: StoredReport,
        _ answered: AppStoreResponse<SendOutcome>
    ) async throws(LedgerError) -> Outcome {
        func concluded(_ state: ReportState, _ conclusion: String) -> StoredReport {
            report.concluding(state, answered, at: dependencies.now(), conclusion)
        }
        switch answered.outcome {
        case .accepted:
            try await recorder.recordAcceptance(of: [concluded(.accepted, "accepted")])
            return .accepted
        case .rejected(let errors) where errors.contains { $0.errorCode == .simultaneousSubmission }:
            try await recorder.recordProgress(of: [concluded(.written, Self.stillInProcess)])
            return .waits(atMost: .seconds(60))
        case .rejected(let errors) where errors.contains { $0.isUsedRequestIdentifier }:
            let unknown = concluded(.unknown, "the request identifier is used: asking for the report")
            try await recorder.recordProgress(of: [unknown])
            return try await askApple(for: unknown, ifMissing: .hold(errors))
        case .rejected(let errors):
            let isUnknownToken = errors.contains { $0.isUnknownToken }
            let conclusion =
                isUnknownToken ? "Apple does not know the token: check app and environment" : "refused by Apple"
            let refused = concluded(.needsAttention, conclusion)
            try await recorder.recordRefusal(of: refused, errors, tokenIsUnknown: isUnknownToken)
            return .held
        case .refusedWithoutErrors:
            let unknown = concluded(.unknown, "refused without errors: asking for the report")
            try await recorder.recordProgress(of: [unknown])
            return try await askApple(for: unknown, ifMissing: .hold([]))
        case .unauthorized:
            return try await refuseKey(of: concluded(.written, "the key was refused twice"))
        case .rateLimited(let until):
            try await recorder.recordProgress(of: [concluded(.written, "too many requests")])
            return .queueWaits(until: until, reason: "too many requests (429)")
        case .serverError(let status):
            try await recorder.recordProgress(of: [concluded(.unknown, "Apple answered \(status)")])
            return .queueWaits(until: nil, reason: "it answers with status \(status)")
        case .noAnswer(let reason):
            try await recorder.recordProgress(of: [concluded(.unknown, "no answer: \(reason)")])
            return .queueWaits(until: nil, reason: reason)
        }
    }

    /// Records a refused key with its id, which is public; the key itself is in no message (SA-14).
    private func refuseKey(of report: StoredReport) async throws(LedgerError) -> Outcome {
        let key = apps[report.scope.bundleId]?.keyId
        try await recorder.recordRefusedKey(of: report, keyId: key)
        return .unauthorized(reason: "it refuses the key\(key.map { " \($0)" } ?? "") (401)")
    }

    // MARK: Recover

    /// Retrieves a report of unknown state from Apple, and sends it if Apple does not have it (SA-71).
    func recover(_ report: StoredReport) async throws(LedgerError) -> Outcome {
        try await askApple(for: report, ifMissing: .sendAgain)
    }

    /// The action for a report that Apple does not have.
    private enum Missing {
        /// The report never arrived, so it is sent again.
        case sendAgain
        /// The report arrived and was refused, so it is held instead of sending the same bytes again.
        case hold([ReportError])
    }

    private func askApple(
        for report: StoredReport,
        ifMissing missing: Missing
    ) async throws(LedgerError) -> Outcome {
        guard let client = apps[report.scope.bundleId]?.client else { return .waits(atMost: .seconds(300)) }
        try permit.checkRequest()
        var answered = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
        if answered.outcome == .unauthorized {
            try permit.checkRequest()
            // The client makes a new JWT for every request; the refused one may have been too old.
            answered = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
        }
        func concluded(_ state: ReportState, _ conclusion: String) -> StoredReport {
            report.concluding(state, answered, at: dependencies.now(), conclusion)
        }
        switch answered.outcome {
        case .found(let found):
            if let sent = try? ReceivedReport.read(report.body, limits: limits), found.isEqual(to: sent) {
                let accepted = concluded(.accepted, "accepted earlier, as Apple's copy shows")
                try await recorder.recordAcceptance(of: [accepted])
                return .accepted
            }
            let other = concluded(.needsAttention, "Apple has another report under this request identifier")
            try await recorder.recordRefusal(of: other, [], tokenIsUnknown: false)
            return .held
        case .notFound:
            return try await concludeMissing(report, missing, concluded)
        case .refused:
            // Apple refuses no such question: something in between answers, such as a gateway, and reports may be lost there.
            try await recorder.recordProgress(of: [concluded(.unknown, "the question for the report was refused")])
            return .queueWaits(until: nil, reason: "it refuses the question for a report (400)")
        case .unauthorized:
            return try await refuseKey(of: concluded(.unknown, "the key was refused twice"))
        case .rateLimited(let until):
            try await recorder.recordProgress(of: [concluded(.unknown, "too many requests")])
            return .queueWaits(until: until, reason: "too many requests (429)")
        case .serverError(let status):
            let conclusion = "Apple answered \(status) to the question for the report"
            try await recorder.recordProgress(of: [concluded(.unknown, conclusion)])
            return .queueWaits(until: nil, reason: "it answers with status \(status)")
        case .noAnswer(let reason):
            let conclusion = "no answer to the question for the report: \(reason)"
            try await recorder.recordProgress(of: [concluded(.unknown, conclusion)])
            return .queueWaits(until: nil, reason: reason)
        }
    }

    /// Concludes a report that Apple does not have.
    private func concludeMissing(
        _ report: StoredReport,
        _ missing: Missing,
        _ concluded: (ReportState, String) -> StoredReport
    ) async throws(LedgerError) -> Outcome {
        if case .hold(let errors) = missing {
            // The response to the PUT remains the evidence, not the response to the retrieval.
            var held = report
            held.state = .needsAttention
            held.changedAt = dependencies.now()
            try await recorder.recordRefusal(of: held, errors, tokenIsUnknown: false)
            return .held
        }
        let isChangeWaiting = try await store.read { ledger throws(LedgerError) in
            try ledger.isSaleChangeWaiting(for: report)
        }
        guard isChangeWaiting else {
            return try await sendAgain(concluded(.written, "Apple does not have it: sending it again"))
        }
        // A changed sale waits for this result. A request in flight could still deliver the old content after the
        // change, for example a sale that is voided now, so the report waits until that is impossible.
        let sent = max(report.changedAt, report.answer?.receivedAt ?? report.changedAt)
        if sent.isAhead(of: dependencies.now()) {
            // A clock that was ahead said when it was sent, so that the wait begins now.
            try await recorder.recordProgress(of: [concluded(.unknown, "Apple does not have it yet")])
            return .waits(atMost: .seconds(60))
        }
        guard dependencies.now() >= sent + Self.latestArrival, permit.age().map({ $0 >= Self.latestArrival }) ?? true
        else {
            return .waits(atMost: .seconds(60))
        }
        try await recorder.recordProgress(of: [concluded(.written, "Apple does not have it, and a sale of it changes")])
        return .waits(atMost: .seconds(1))
    }

    private func sendAgain(_ report: StoredReport) async throws(LedgerError) -> Outcome {
        guard let client = apps[report.scope.bundleId]?.client else { return .waits(atMost: .seconds(300)) }
        guard let marked = try await markSending([report]).first else { return .waits(atMost: .seconds(1)) }
        return try await conclude(marked, try await transmit(marked, through: client))
    }
}

extension StoredReport {
    /// Returns the report with Apple's response and the state that follows from it.
    func concluding(
        _ state: ReportState,
        _ answered: AppStoreResponse<some Sendable>,
        at time: Timestamp,
        _ conclusion: String
    ) -> StoredReport {
        var report = self
        report.state = state
        report.changedAt = time
        report.answer = ReportAnswer(
            status: answered.status,
            body: answered.body,
            receivedAt: time,
            conclusion: conclusion
        )
        return report
    }
}
