package import AsyncHTTPClient
package import NIOCore

extension HTTPClient {
    /// Sends a request and receives the complete response.
    ///
    /// The client's own limit ends with the response's head: without this one a body that comes a byte at a time, or stops,
    /// would hold the caller for ever.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the longest time until the end of the body; `HTTPClientError.deadlineExceeded` after it.
    ///   - maximum: the largest size of the body in bytes; `NIOTooManyBytesError` beyond it.
    package func exchange(
        _ request: HTTPClientRequest,
        within limit: TimeAmount,
        upTo maximum: Int
    ) async throws -> (response: HTTPClientResponse, body: ByteBuffer) {
        let end = ContinuousClock.now + .nanoseconds(limit.nanoseconds)
        let response = try await execute(request, timeout: limit)
        let body = try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await response.body.collect(upTo: maximum) }
            group.addTask {
                try await ContinuousClock().sleep(until: end)
                return nil
            }
            return try await group.next() ?? nil
        }
        guard let body else { throw HTTPClientError.deadlineExceeded }
        return (response, body)
    }
}
