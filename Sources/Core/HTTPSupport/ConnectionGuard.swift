package import Hummingbird
package import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import Synchronization

/// Enforces the connection limits of a server: it closes connections of slow clients, limits the number of open
/// connections, and closes all connections in time when the server stops.
package final class ConnectionGuard: Sendable {
    private struct State {
        var limits: HTTPLimits
        var open = 0
        var lastWarning: ContinuousClock.Instant?
        var stoppingSince: NIODeadline?
    }

    private let state: Mutex<State>
    private let pending = Atomic<Int>(0)
    private let inFlight = Atomic<Int>(0)
    let logger: Logger

    /// Creates a guard without connections.
    ///
    /// - Parameters:
    ///   - limits: the limits until ``update(_:)`` is called.
    ///   - logger: receives a warning while the maximum number of connections is open.
    package init(_ limits: HTTPLimits = HTTPLimits(), logger: Logger) {
        state = Mutex(State(limits: limits))
        self.logger = logger
    }

    /// The current limits.
    package var limits: HTTPLimits { state.withLock(\.limits) }

    /// Replaces the limits.
    ///
    /// Open connections keep the time limits they started with.
    package func update(_ limits: HTTPLimits) { state.withLock { $0.limits = limits } }

    /// The number of open connections.
    package var openConnections: Int { state.withLock(\.open) }

    /// The number of response bytes that were written but not yet received by clients.
    package var pendingBytes: Int { pending.load(ordering: .relaxed) }

    /// The number of requests whose responses are incomplete.
    package var requestsInFlight: Int { inFlight.load(ordering: .relaxed) }

    func countRequests(_ change: Int) { inFlight.add(change, ordering: .relaxed) }

    // MARK: Stopping

    /// Begins to stop: the limit of the shutdown runs, and every further response ends its connection.
    ///
    /// New connections are accepted until the server itself stops, so that health checks get an answer.
    package func beginStopping() {
        state.withLock { state in
            if state.stoppingSince == nil { state.stoppingSince = .now() }
        }
    }

    var isStopping: Bool { state.withLock { $0.stoppingSince != nil } }

    /// The moment at which connections end when the server stops.
    func stopMoment(of limits: HTTPLimits) -> NIODeadline {
        (state.withLock(\.stoppingSince) ?? .now()) + TimeAmount(limits.shutdown)
    }

    func hold(_ bytes: Int) { pending.add(bytes, ordering: .relaxed) }
    func release(_ bytes: Int) { pending.subtract(bytes, ordering: .relaxed) }

    // MARK: The server

    /// Creates the HTTP/1.1 server with the time limits.
    ///
    /// - Parameter tls: certificate and key of HTTPS; nil serves plain HTTP.
    package func server(tls: ServerTLS? = nil) -> HTTPServerBuilder {
        HTTPServerBuilder { [self] responder in
            let channel = GuardedChannel(responder: responder, connections: self)
            guard let tls else { return channel }
            return try TLSChannel(channel, tlsConfiguration: tls.configuration)
        }
    }

    /// Creates the application configuration with the limit of connections.
    ///
    /// - Parameters:
    ///   - host: the address or name to listen on.
    ///   - port: the port; 0 selects a free one.
    package func configuration(host: String, port: Int) -> ApplicationConfiguration {
        ApplicationConfiguration(
            address: .hostname(host, port: port),
            availableConnectionsDelegate: ConnectionCount(connections: self)
        )
    }

    // MARK: Counting

    fileprivate func opened() { state.withLock { $0.open += 1 } }

    fileprivate func closed() { state.withLock { $0.open -= 1 } }

    /// True while another connection may be accepted.
    ///
    /// When none may, a warning is logged at most once a minute.
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

/// The delegate that Hummingbird asks before it accepts a connection.
private struct ConnectionCount: AvailableConnectionsDelegate {
    let connections: ConnectionGuard

    mutating func connectionOpened() { connections.opened() }
    mutating func connectionClosed() { connections.closed() }
    func isAcceptingNewConnections() -> Bool { connections.accepts() }
}
