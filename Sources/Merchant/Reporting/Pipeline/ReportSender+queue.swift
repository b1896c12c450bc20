import ExternalPurchaseCore
import Ledger
import Logging
import Synchronization

// What is sent next, and how many reports at once.
extension ReportSender {
    /// The number of tokens with sales that one query returns.
    private static let planned = 1_000
    /// The largest number of reports that are written, and recorded as accepted, in one transaction.
    private static let fastestPace = 32

    /// Processes the queue of one app and environment until nothing more can be done now.
    ///
    /// - Returns: the time of the next work, which may have passed already; nil if only new commits cause work.
    func drain(_ scope: ReportingScope) async -> Timestamp? {
        guard pipeline.settings.isSendingOn, let permit = leases.begin(.reports(scope)) else { return nil }
        defer { leases.end(.reports(scope)) }
        let pipeline = pipeline.under(permit)
        var turns = Turns()
        // The batch grows only while all reports are accepted, so that few are in flight when a problem occurs.
        var pace = 1
        while !pendingRequests.withLock({ $0.stops }), !stoppedApps.contains(scope.bundleId), isClockPlausible(),
            permit.outlastsRequest()
        {
            let now = dependencies.now()
            // Checked first, so that a ledger that keeps failing ends the loop here.
            if let wait = queueWaits[scope], wait.holds(at: now) { return wait.until }
            do throws(LedgerError) {
                // Done before anything is sent, because a change may have waited for a response that has arrived.
                if try await pipeline.saleChanges.applyWaiting() { turns = Turns() }
                switch try await next(in: scope, &turns, pace: pace, now: now, pipeline) {
                case .send(let reports):
                    let outcomes = try await pipeline.delivery.send(reports) {
                        !self.pendingRequests.withLock { $0.stops }
                    }
                    for (report, outcome) in outcomes { note(outcome, of: report) }
                    let isGood = outcomes.count == reports.count && outcomes.allSatisfy { $0.outcome == .accepted }
                    pace = isGood ? min(2 * pace, Self.fastestPace) : 1
                case .fetch(let report):
                    note(try await pipeline.delivery.recover(report), of: report)
                    // Sales that waited for this report may be ready now.
                    turns = Turns()
                case .later(let moment):
                    return moment
                }
            } catch {
                pace = 1
                if case .leaseLost = error {
                    if !permit.outlastsRequest() { return nil }
                    if let claim = permit.claim { leases.drop(claim) }
                    return nil
                }
                if error != .stopped {
                    logger.error("the ledger stopped the queue", metadata: ["app": "\(scope)", "error": "\(error)"])
                }
                queueWaits[scope] = wait(after: queueWaits[scope], atMost: .seconds(60))
            }
        }
        return nil
    }

    private enum Next {
        /// Reports that are committed as `sending` and are certainly not at Apple.
        case send([StoredReport])
        /// A report of unknown state.
        case fetch(StoredReport)
        /// The time of the next work; nil if only new commits cause work.
        case later(Timestamp?)
    }

    /// The order in which tokens with sales take turns while a queue is processed.
    private struct Turns {
        var tokens: ArraySlice<ExternalPurchaseId> = []
        /// Tokens whose sales have to wait; they are skipped so that other tokens get their turn.
        var waiting: Set<ExternalPurchaseId> = []
        var hasWritten = false
    }

    /// Returns the open reports that have waited longest, or else new ones.
    private func next(
        in scope: ReportingScope,
        _ turns: inout Turns,
        pace: Int,
        now: Timestamp,
        _ pipeline: ReportPipeline
    ) async throws(LedgerError) -> Next {
        let open = try await pipeline.store.read { ledger throws(LedgerError) in try ledger.openReports(in: scope) }
        func place(_ report: StoredReport) -> (Int64, Int64) {
            (reportWaits[report.requestIdentifier]?.until.milliseconds ?? .min, report.sequence)
        }
        let ready = open.filter { reportWaits[$0.requestIdentifier].map { !$0.holds(at: now) } ?? true }
            .sorted { place($0) < place($1) }
        if let first = ready.first {
            guard first.state == .written else { return .fetch(first) }
            let notYetSent = ready.prefix(pace).prefix { $0.state == .written }
            let marked = try await pipeline.delivery.markSending(Array(notYetSent))
            if !marked.isEmpty { return .send(marked) }
        }
        if let reports = try await nextSales(in: scope, &turns, pace: pace, pipeline) { return .send(reports) }
        if let reports = try await nextAnswers(in: scope, pace: pace, now: now, pipeline) { return .send(reports) }
        let waits = open.compactMap { reportWaits[$0.requestIdentifier]?.until }
        let (position, hasDelay) = (queues[scope]?.position, pipeline.sendDelay > .zero)
        let next = try await pipeline.store.read { ledger throws(LedgerError) in
            (
                token: try ledger.nextTokenToAnswer(in: scope, after: position),
                sale: hasDelay ? try ledger.nextSaleToSend(in: scope, after: now) : nil
            )
        }
        let moments = [(queues[scope] ?? DeadlineQueue()).next(next.token), next.sale]
        return .later((waits + moments.compactMap(\.self)).min())
    }

    /// Writes reports of tokens whose sales are ready (SA-74); nil if there are none.
    private func nextSales(
        in scope: ReportingScope,
        _ turns: inout Turns,
        pace: Int,
        _ pipeline: ReportPipeline
    ) async throws(LedgerError) -> [StoredReport]? {
        while true {
            if turns.tokens.isEmpty {
                let waiting = turns.waiting
                let limit = Self.planned + waiting.count
                let rested = try await pipeline.tokensWithSalesToSend(scope, limit: limit)
                let others = try await pipeline.tokensReadyToReport(in: scope, limit: limit)
                let tokens = rested + (rested.isEmpty ? others : others.filter { !rested.contains($0) })
                turns.tokens = tokens.filter { !waiting.contains($0) }[...]
                if turns.tokens.isEmpty {
                    // The skipped tokens may have waited for a report that was sent in the meantime.
                    let isWorthAnotherRound = turns.hasWritten && !waiting.isEmpty
                    turns = Turns()
                    if isWorthAnotherRound { continue }
                    return nil
                }
            }
            let tokens = Array(turns.tokens.prefix(pace))
            let written = try await pipeline.writer.write(tokens, in: scope)
            turns.tokens.removeFirst(tokens.count)
            turns.waiting.formUnion(written.idle)
            if !written.reports.isEmpty {
                turns.hasWritten = true
                return written.reports
            }
        }
    }

    /// Writes reports of tokens whose report was requested or is due (NT-64, RR-72); nil if there are none.
    private func nextAnswers(
        in scope: ReportingScope,
        pace: Int,
        now: Timestamp,
        _ pipeline: ReportPipeline
    ) async throws(LedgerError) -> [StoredReport]? {
        while true {
            let requested = try await pipeline.store.read { ledger throws(LedgerError) in
                try ledger.requestedReports(in: scope, limit: pace)
            }
            if requested.isEmpty { break }
            // The requests are deleted with the same commit.
            let written = try await pipeline.writer.write(requested, in: scope, isRequested: true)
            if !written.reports.isEmpty { return written.reports }
        }
        while true {
            var queue = queues[scope] ?? DeadlineQueue()
            queue.restart(at: now)
            let position = queue.position
            let due = try await pipeline.store.read { ledger throws(LedgerError) in
                try ledger.tokensToAnswer(in: scope, until: now, after: position, limit: pace)
            }
            queues[scope] = queue
            guard let last = due.last?.position else { return nil }
            let written = try await pipeline.writer.write(due.map(\.token), in: scope, isRequested: true, isDue: true)
            // Reported tokens leave the ledger's queue, so the cursor has to move only past the others.
            if written.reports.isEmpty || !written.unanswered.isEmpty { queue.advance(to: last, at: now) }
            queues[scope] = queue
            if !written.reports.isEmpty { return written.reports }
        }
    }
}
