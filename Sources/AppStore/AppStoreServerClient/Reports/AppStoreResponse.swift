package import ExternalPurchaseCore

/// The outcome of sending a report (spec/04 section 3).
package enum SendOutcome: Hashable, Sendable {
    /// 200: the report was received, passed every rule and was stored.
    case accepted
    /// 400 with errors: nothing was stored.
    case rejected([ReportError])
    /// 400 without readable errors: the report is malformed or a duplicate (SA-73).
    case refusedWithoutErrors
    /// 401.
    case unauthorized
    /// 429, with the moment from which a request is allowed again if the header is readable (SA-82).
    case rateLimited(until: Timestamp?)
    /// Any other status: 5xx, or one that is not documented for this endpoint.
    case serverError(status: Int)
    /// No response: no connection, a lost connection or a timeout.
    ///
    /// It is unknown whether Apple accepted the report.
    case noAnswer(reason: String)
}

/// The outcome of retrieving a report.
package enum RetrieveOutcome: Hashable, Sendable {
    /// 200, with the accepted report.
    case found(ReceivedReport)
    /// 400 with code 3: the report was never accepted.
    case notFound
    /// 400 with any other errors.
    case refused([ReportError])
    /// 401.
    case unauthorized
    /// 429.
    case rateLimited(until: Timestamp?)
    /// Any other status, or a 200 whose body is not a report.
    case serverError(status: Int)
    /// No response.
    case noAnswer(reason: String)
}

/// A response of Apple's report endpoint with its exact bytes, which are stored as evidence (OB-90).
package struct AppStoreResponse<Outcome: Hashable & Sendable>: Hashable, Sendable {
    /// The meaning of the response.
    package let outcome: Outcome
    /// The HTTP status; nil without a response.
    package let status: Int?
    /// The body as received; empty without a response.
    package let body: [UInt8]
    /// The moment of the answer to a retrieval by the other side's clock, to the second; nil where it did not say it.
    package var serverTime: Timestamp?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - outcome: the meaning of the response.
    ///   - status: the HTTP status; nil without a response.
    ///   - body: the body as received.
    package init(outcome: Outcome, status: Int?, body: [UInt8]) {
        self.outcome = outcome
        self.status = status
        self.body = body
    }
}

/// Sends reports to Apple.
///
/// Implemented by the HTTP client, and by substitutes in tests.
package protocol ReportEndpointClient: Sendable {
    /// Sends the exact bytes of a report.
    ///
    /// - Parameters:
    ///   - body: the bytes.
    ///   - environment: determines the host (SA-92).
    /// - Returns: the response. A network failure is one of its outcomes.
    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome>

    /// Retrieves an accepted report.
    ///
    /// - Parameters:
    ///   - requestIdentifier: the UUID under which the report was sent.
    ///   - environment: determines the host.
    /// - Returns: the response. A network failure is one of its outcomes.
    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome>
}
