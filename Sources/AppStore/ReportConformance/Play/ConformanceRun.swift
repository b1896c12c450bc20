package import ExternalPurchaseCore

/// Plays cases one after another, and stores what came before the next request is sent (CS-6, CS-7).
package struct ConformanceRun {
    /// What a run tells while it plays.
    package struct Observer {
        /// Stores the report; called before and after each request.
        var store: (ConformanceReport) throws(ConformanceStop) -> Void
        /// Records an exchange.
        var record: (RecordedExchange) throws(ConformanceStop) -> Void
        /// Shows progress: the case that is sent, and how many follow.
        var progress: (String, Int) -> Void

        /// Creates an observer.
        package init(
            store: @escaping (ConformanceReport) throws(ConformanceStop) -> Void = { _ in },
            record: @escaping (RecordedExchange) throws(ConformanceStop) -> Void = { _ in },
            progress: @escaping (String, Int) -> Void = { _, _ in }
        ) {
            self.store = store
            self.record = record
            self.progress = progress
        }
    }

    private let suite: ConformanceSuite
    private let tokens: [ConformanceToken]
    private let options: ConformancePlan.Options
    private let transport: any ConformanceTransport
    private let now: () -> Timestamp
    private let wait: () async throws(ConformanceStop) -> Void
    private let observer: Observer
    /// What was played so far.
    package private(set) var report: ConformanceReport
    private var isFirst = true

    /// Creates a run, or continues the one of a report.
    ///
    /// - Parameters:
    ///   - report: the report of the run, without results for a new one.
    ///   - suite: the cases.
    ///   - tokens: the tokens of the report, with their ids.
    ///   - options: the choices.
    ///   - transport: sends requests.
    ///   - now: the machine's clock.
    ///   - wait: waits between two requests.
    ///   - observer: stores, records and shows.
    package init(
        _ report: ConformanceReport,
        suite: ConformanceSuite,
        tokens: [ConformanceToken],
        options: ConformancePlan.Options,
        transport: any ConformanceTransport,
        now: @escaping () -> Timestamp,
        wait: @escaping () async throws(ConformanceStop) -> Void,
        observer: Observer
    ) {
        self.report = report
        self.suite = suite
        self.tokens = tokens
        self.options = options
        self.transport = transport
        self.now = now
        self.wait = wait
        self.observer = observer
    }

    /// Plays every case of the plan.
    package mutating func play() async throws(ConformanceStop) {
        if let pending = report.pending { try await resume(pending) }
        while true {
            let plan = ConformancePlan(
                suite,
                tokens: tokens,
                options: options,
                played: report.played(suite),
                now: now()
            )
            report.notAsked = plan.notAsked
            guard let step = plan.steps.first, let item = suite[step.id] else { break }
            observer.progress(step.id, plan.steps.count - 1)
            let pending = ConformanceReport.Pending(id: step.id, token: step.token, at: now())
            try await send(item, pending)
        }
        report.isComplete = true
        try observer.store(report)
    }

    private func values(of pending: ConformanceReport.Pending) -> CaseValues {
        CaseValues(
            seed: report.seed,
            id: pending.id,
            token: pending.token.map { tokens[$0] },
            now: pending.at,
            times: report.times,
            tokens: report.places.mapValues { tokens[$0] }
        )
    }

    private func request(_ item: ConformanceCase, _ pending: ConformanceReport.Pending) throws(ConformanceStop)
        -> ConformanceRequest
    {
        do {
            return try ConformanceRequest(item, values: values(of: pending))
        } catch {
            throw .unusable(error)
        }
    }

    private mutating func send(
        _ item: ConformanceCase,
        _ pending: ConformanceReport.Pending
    ) async throws(ConformanceStop) {
        let request = try request(item, pending)
        report.pending = pending
        try observer.store(report)
        let response: ConformanceResponse?
        do {
            response = try await exchange(request)
        } catch {
            response = nil
        }
        if let response, !(500..<600).contains(response.status) {
            try await settle(item, pending, request, response)
        } else {
            try await settleUnknown(item, pending, request)
        }
    }

    /// Asks first whether the report of the interrupted run arrived (SA-71).
    private mutating func resume(_ pending: ConformanceReport.Pending) async throws(ConformanceStop) {
        guard let item = suite[pending.id], item.sendsReport else {
            // Nothing can have been accepted, so the case is played as if it had not been sent.
            report.pending = nil
            return
        }
        observer.progress(pending.id, 0)
        try await settleUnknown(item, pending, try request(item, pending))
    }

    /// Sends a request whose outcome is unknown again, unless its report was accepted.
    private mutating func settleUnknown(
        _ item: ConformanceCase,
        _ pending: ConformanceReport.Pending,
        _ request: ConformanceRequest
    ) async throws(ConformanceStop) {
        let identifier = values(of: pending).requestIdentifier(of: item.id)
        let retrieval = ConformanceRequest(retrieving: identifier)
        let found = try await answer(to: retrieval)
        try refuseLimits(found)
        if found.status == 401 { throw .unauthorized }
        if (500..<600).contains(found.status) { throw .otherSide("the endpoint answers \(found.status)") }
        if item.sendsReport, found.status == 200 {
            let body = ConformanceAnswer(
                status: 200,
                content: .json(["requestIdentifier": .string(identifier)])
            )
            return try finish(item, pending, body, isRetrieved: true)
        }
        // A second 5xx is the endpoint's answer to this case, since it answers other requests.
        try await settle(item, pending, request, try await answer(to: request))
    }

    private mutating func answer(
        to request: ConformanceRequest
    ) async throws(ConformanceStop) -> ConformanceResponse {
        do throws(ConformanceTransportError) {
            return try await exchange(request)
        } catch {
            throw .otherSide(error.reason)
        }
    }

    private mutating func settle(
        _ item: ConformanceCase,
        _ pending: ConformanceReport.Pending,
        _ request: ConformanceRequest,
        _ response: ConformanceResponse
    ) async throws(ConformanceStop) {
        try refuseLimits(response)
        if response.status == 401, request.authorization.isValid {
            // Either the key is refused, or this request only.
            let probe = ConformanceRequest(retrieving: values(of: pending).requestIdentifier(of: "probe"))
            if try await answer(to: probe).status == 401 { throw .unauthorized }
        }
        let came = ConformanceAnswer(status: response.status, body: Redaction(tokens).redacted(response.body))
        try observer.record(
            RecordedExchange(
                id: item.id,
                token: pending.token,
                at: pending.at,
                request: request,
                response: response,
                tokens: tokens
            )
        )
        try finish(item, pending, came, isRetrieved: false)
    }

    /// A 429 was not processed, so the case is played by the run that continues this one.
    private mutating func refuseLimits(_ response: ConformanceResponse) throws(ConformanceStop) {
        guard response.status == 429 else { return }
        report.pending = nil
        try observer.store(report)
        throw .rateLimited(until: response.retryAt)
    }

    private mutating func finish(
        _ item: ConformanceCase,
        _ pending: ConformanceReport.Pending,
        _ came: ConformanceAnswer,
        isRetrieved: Bool
    ) throws(ConformanceStop) {
        report.results.append(
            ConformanceReport.Result(
                id: item.id,
                token: pending.token,
                at: pending.at,
                came: came,
                isAccepted: item.sendsReport && came.status == 200,
                isRetrieved: isRetrieved
            )
        )
        report.pending = nil
        try observer.store(report)
    }

    /// Sends one request, after the wait that separates it from the one before.
    private mutating func exchange(
        _ request: ConformanceRequest
    ) async throws(ConformanceTransportError) -> ConformanceResponse {
        if !isFirst {
            do {
                try await wait()
            } catch {
                throw ConformanceTransportError(reason: "the run was interrupted")
            }
        }
        isFirst = false
        return try await transport.exchange(request, now: now())
    }
}
