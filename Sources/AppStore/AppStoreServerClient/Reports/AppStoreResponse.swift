public import ExternalPurchaseCore

/// What Apple answered to a report that was sent (spec/04 section 3).
public enum SendOutcome: Hashable, Sendable {
    /// 200: received, passed every rule, kept.
    case accepted
    /// 400 with errors: nothing was kept.
    case rejected([ReportError])
    /// 400 without readable errors: malformed, or a duplicate (SA-73).
    case refusedWithoutErrors
    /// 401.
    case unauthorized
    /// 429 with the moment from which a request is allowed again, where the header says it readably (SA-82).
    case rateLimited(until: Timestamp?)
    /// Any other status: 5xx, or one that this endpoint does not document.
    case serverError(status: Int)
    /// No answer: no connection, a dropped one, or a time-out. The report's fate is unknown.
    case noAnswer(reason: String)
}

/// What Apple answered to a request for a report.
public enum RetrieveOutcome: Hashable, Sendable {
    /// 200: the report as accepted.
    case found(ReceivedReport)
    /// 400 with code 3: never accepted.
    case notFound
    /// 400 with anything else.
    case refused([ReportError])
    /// 401.
    case unauthorized
    /// 429.
    case rateLimited(until: Timestamp?)
    /// Any other status, or a 200 whose body is not a report.
    case serverError(status: Int)
    /// No answer.
    case noAnswer(reason: String)
}

/// An answer with the exact bytes received, which are kept as evidence (OB-90).
public struct AppStoreResponse<Outcome: Hashable & Sendable>: Hashable, Sendable {
    /// What it means.
    public let outcome: Outcome
    /// The HTTP status, nil without an answer.
    public let status: Int?
    /// The body as received, empty without an answer.
    public let body: [UInt8]

    /// An answer.
    ///
    /// - Parameters:
    ///   - outcome: what it means.
    ///   - status: the HTTP status.
    ///   - body: the body as received.
    public init(outcome: Outcome, status: Int?, body: [UInt8]) {
        self.outcome = outcome
        self.status = status
        self.body = body
    }
}

/// Sends reports to Apple: the HTTP client, or a stand-in for tests of the pipeline.
public protocol ReportEndpointClient: Sendable {
    /// Sends the exact bytes of a report.
    ///
    /// - Parameters:
    ///   - body: the bytes.
    ///   - environment: decides about the host (SA-92).
    /// - Returns: the answer; a failure of the network is an answer too.
    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome>

    /// Asks for an accepted report.
    ///
    /// - Parameters:
    ///   - requestIdentifier: the UUID under which it was sent.
    ///   - environment: decides about the host.
    /// - Returns: the answer; a failure of the network is an answer too.
    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome>
}
