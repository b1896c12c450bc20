package import ExternalPurchaseCore

/// Sends the requests of a run.
///
/// The command line sends them over HTTP, a replay reads the answers from a file, tests answer in the same process.
package protocol ConformanceTransport: Sendable {
    /// Sends a request once.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - now: the time by which its JWT is made.
    func exchange(_ request: ConformanceRequest, now: Timestamp) async throws(ConformanceTransportError)
        -> ConformanceResponse
}

/// A complete response.
package struct ConformanceResponse: Hashable, Sendable {
    /// The status.
    let status: Int
    /// The body.
    let body: [UInt8]
    /// The moment from which a request is allowed again, when the response names one.
    let retryAt: Timestamp?
    /// `Content-Type`.
    let contentType: String?

    /// Creates a response.
    package init(status: Int, body: [UInt8], retryAt: Timestamp? = nil, contentType: String? = nil) {
        self.status = status
        self.body = body
        self.retryAt = retryAt
        self.contentType = contentType
    }
}

/// Why there is no complete response; whether the request was processed is unknown.
package struct ConformanceTransportError: Error, Hashable, Sendable {
    /// One clause for people.
    let reason: String

    /// Creates an error.
    package init(reason: String) {
        self.reason = reason
    }
}

/// Why a run ended before its last case.
package enum ConformanceStop: Error, Hashable, Sendable {
    /// 429; with the moment from which requests are allowed again, if the answer names it.
    case rateLimited(until: Timestamp?)
    /// 401 for a request that is authorised as it should be.
    case unauthorized
    /// No answer, or none but 5xx.
    case otherSide(String)
    /// The state of the run cannot be stored, so the next request would not be known after an interruption.
    case notStored(String)
    /// A case that cannot be filled with the values of this run.
    case unusable(ConformanceDataError)
}
