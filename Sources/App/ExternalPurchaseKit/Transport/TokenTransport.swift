/// Hands tokens to the developer's server.
///
/// `HTTPTokenTransport` of `ExternalPurchaseKitHTTP` sends `POST /v1/tokens` to the server of this package;
/// ``ClosureTokenTransport`` calls a closure of the app.
public protocol TokenTransport: Sendable {
    /// Sends a token once.
    ///
    /// The same token may be sent again after any answer; the server stores it once (TK-67). The call must end: no
    /// other token is sent before.
    ///
    /// - Parameter token: the token.
    /// - Returns: what became of it.
    func send(_ token: PurchaseToken) async -> TokenDelivery
}

/// What became of a token that was sent.
public enum TokenDelivery: Hashable, Sendable {
    /// The server has stored the token durably.
    case stored
    /// The server will never store the token; the reason is for people.
    ///
    /// The token is kept aside and not sent again by itself.
    case refused(reason: String)
    /// The token is to be sent again.
    ///
    /// `reason` goes to the log and must not contain the token. `after` is the shortest wait that the server asked for.
    case retry(reason: String, after: Duration?)
}

/// A transport that calls a closure.
public struct ClosureTokenTransport: TokenTransport {
    private let timeout: Duration
    private let closure: @Sendable (PurchaseToken) async -> TokenDelivery

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - timeout: how long the closure may take; afterwards it is cancelled, and the token is sent again later.
    ///   - closure: sends a token once.
    public init(
        timeout: Duration = .seconds(60),
        _ closure: @escaping @Sendable (PurchaseToken) async -> TokenDelivery
    ) {
        self.timeout = timeout
        self.closure = closure
    }

    /// Calls the closure and waits for its answer until the timeout.
    ///
    /// - Parameter token: the token.
    public func send(_ token: PurchaseToken) async -> TokenDelivery {
        let (answers, continuation) = AsyncStream.makeStream(of: TokenDelivery.self)
        let sending = Task { continuation.yield(await closure(token)) }
        let limit = Task {
            try await Task.sleep(for: timeout)
            continuation.yield(.retry(reason: "no answer in \(timeout.components.seconds) s", after: nil))
        }
        defer {
            sending.cancel()
            limit.cancel()
        }
        // A closure that ignores its cancellation runs on, and its answer is not read.
        for await first in answers { return first }
        return .retry(reason: "cancelled", after: nil)
    }
}
