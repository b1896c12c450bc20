package import Hummingbird
package import HummingbirdCore
package import Logging
import NIOCore
import Synchronization

/// Keeps the connections of one server within its limits: slow clients are cut off, no more than the allowed number are
/// served at once, and all are closed in time when the server stops.
package final class ConnectionGuard: Sendable {
    private struct State {
        var limits: HTTPLimits
        var open = 0
        var lastWarning: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let pending = Atomic<Int>(0)
    let logger: Logger

    /// A guard over no connections yet.
    ///
    /// - Parameters:
    ///   - limits: what holds until ``update(_:)``.
    ///   - logger: is warned while the most connections are open.
    package init(_ limits: HTTPLimits = HTTPLimits(), logger: Logger) {
        state = Mutex(State(limits: limits))
        self.logger = logger
    }

    /// The present limits.
    package var limits: HTTPLimits { state.withLock(\.limits) }

    /// Puts other limits in place; open connections keep the times with which they began.
    package func update(_ limits: HTTPLimits) { state.withLock { $0.limits = limits } }

    /// How many connections are open.
    package var openConnections: Int { state.withLock(\.open) }

    /// The bytes of answers that were handed over and that no client has taken.
    package var pendingBytes: Int { pending.load(ordering: .relaxed) }

    func hold(_ bytes: Int) { pending.add(bytes, ordering: .relaxed) }
    func release(_ bytes: Int) { pending.subtract(bytes, ordering: .relaxed) }

    // MARK: The server

    /// HTTP/1.1 with the limits of time.
    package func server() -> HTTPServerBuilder {
        HTTPServerBuilder { [self] responder in
            GuardedChannel(base: HTTP1Channel(responder: responder), connections: self)
        }
    }

    /// Where the server listens, with the limit of connections.
    ///
    /// - Parameters:
    ///   - host: the address or name to listen on.
    ///   - port: 0 takes a free one.
    package func configuration(host: String, port: Int) -> ApplicationConfiguration {
        ApplicationConfiguration(
            address: .hostname(host, port: port),
            availableConnectionsDelegate: ConnectionCount(connections: self)
        )
    }

    // MARK: Counting

    fileprivate func opened() { state.withLock { $0.open += 1 } }

    fileprivate func closed() { state.withLock { $0.open -= 1 } }

    /// True while another connection may be accepted; says so in the log at most once a minute when none may.
    fileprivate func accepts() -> Bool {
        let (accepts, isNews, limit) = state.withLock { state in
            let limit = state.limits.connections
            guard state.open >= limit else { return (true, false, limit) }
            let now = ContinuousClock.now
            let isNews = state.lastWarning.map { now - $0 >= .seconds(60) } ?? true
            if isNews { state.lastWarning = now }
            return (false, isNews, limit)
        }
        if isNews { logger.warning("\(limit) connections are open, as many as http.maxConnections allows; more wait") }
        return accepts
    }
}

/// What Hummingbird asks before it accepts a connection.
private struct ConnectionCount: AvailableConnectionsDelegate {
    let connections: ConnectionGuard

    mutating func connectionOpened() { connections.opened() }
    mutating func connectionClosed() { connections.closed() }
    func isAcceptingNewConnections() -> Bool { connections.accepts() }
}
