package import ExternalPurchaseCore

/// An HTTP response before it is interpreted.
package struct ReceivedResponse: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]
    /// The moment from which a request is allowed again.
    package let retryAt: Timestamp?
    /// The moment of the response by the other side's clock, from its `Date` header.
    var serverTime: Timestamp?

    init(status: Int, body: [UInt8], retryAt: Timestamp?) {
        self.status = status
        self.body = body
        self.retryAt = retryAt
    }

    /// Creates a response from the text of its `Retry-After` header, whose seconds count from `now`.
    package init(status: Int, body: [UInt8], retryAfter: String?, now: Timestamp) {
        self.init(status: status, body: body, retryAt: retryAfter.flatMap { RetryAfter.moment($0, now: now) })
    }

    /// The body as a JSON object; nil for an absent, empty or other body, which only a retrieval's 200 does not permit
    /// (SA-22).
    var object: JSONObject? {
        guard let value = try? JSONReader().read(body) else { return nil }
        return value.objectValue
    }

    /// The errors in the body, which may be an array or a single object (SA-22).
    var errors: [ReportError] {
        guard let object else { return [] }
        guard let errors = object["errors"] else {
            return ReportError(json: .object(object)).map { [$0] } ?? []
        }
        if let elements = errors.arrayValue { return elements.compactMap(ReportError.init(json:)) }
        return ReportError(json: errors).map { [$0] } ?? []
    }
}

extension SendOutcome {
    /// What an answer to a report means.
    package init(_ answer: ReceivedResponse) {
        self =
            switch answer.status {
            case 200: .accepted
            case 400 where answer.errors.isEmpty: .refusedWithoutErrors
            case 400: .rejected(answer.errors)
            case 401: .unauthorized
            case 429: .rateLimited(until: answer.retryAt)
            case let status: .serverError(status: status)
            }
    }
}

extension RetrieveOutcome {
    /// What an answer to a question for a report means.
    package init(_ answer: ReceivedResponse) {
        self =
            switch answer.status {
            case 200: Self.report(in: answer).map(RetrieveOutcome.found) ?? .serverError(status: 200)
            case 400 where answer.errors.map(\.errorCode) == [.notFound]: .notFound
            case 400: .refused(answer.errors)
            case 401: .unauthorized
            case 429: .rateLimited(until: answer.retryAt)
            case let status: .serverError(status: status)
            }
    }

    private static func report(in answer: ReceivedResponse) -> ReceivedReport? {
        guard let object = answer.object?["report"]?.objectValue else { return nil }
        return try? ReceivedReport.read(object)
    }
}
