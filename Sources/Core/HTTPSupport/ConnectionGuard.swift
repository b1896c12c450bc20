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
        /// The open connections of each group of addresses.
        var perAddress: [String: Int] = [:]
        var lastWarning: ContinuousClock.Instant?
        var lastRefusal: ContinuousClock.Instant?
        var stoppingSince: NIODeadline?
    }

    private let state: Mutex<State>
    private let pending = Atomic<Int>(0)
    private let inFlight = Atomic<Int>(0)
    private let trustedProxies: TrustedProxies
    let logger: Logger

    /// Creates a guard without connections.
    ///
    /// - Parameters:
    ///   - limits: the limits until ``update(_:)`` is called.
    ///   - trustedProxies: peers that have connections for many clients, so that their number is not limited by address.
    ///   - logger: receives a warning while the maximum number of connections is open.
    package init(
        _ limits: HTTPLimits = HTTPLimits(),
        trustedProxies: TrustedProxies = TrustedProxies(),
        logger: Logger
    ) {
        state = Mutex(State(limits: limits))
        self.trustedProxies = trustedProxies
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
    var pendingBytes: Int { pending.load(ordering: .relaxed) }

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

    /// Counts a connection of a peer until ``left(_:)``.
    ///
    /// - Returns: the group in which it is counted; nil if it is not counted.
    /// - Throws: ``TooManyConnections`` if the address has as many connections as allowed. A warning is logged at most once
    ///   a minute.
    func joined(_ address: IPAddress?) throws(TooManyConnections) -> String? {
        guard let address, !trustedProxies.contains(address) else { return nil }
        let group = address.group
        let (isAdmitted, isNews, limit) = state.withLock { state in
            guard let limit = state.limits.connectionsPerAddress, state.perAddress[group, default: 0] >= limit else {
                state.perAddress[group, default: 0] += 1
                return (true, false, 0)
            }
            let isNews = Self.isNews(&state.lastRefusal)
            return (false, isNews, limit)
        }
        if isAdmitted { return group }
        if isNews {
            let hint = "further ones are closed. If this is a proxy, name it under trustedProxies"
            logger.warning(
                "an address has \(limit) connections, as many as http.maxConnectionsPerAddress allows; \(hint)",
                metadata: ["address": "\(address)"]
            )
        }
        throw TooManyConnections()
    }

    /// Removes a connection from its group.
    func left(_ group: String) {
        state.withLock { state in
            let rest = (state.perAddress[group] ?? 0) - 1
            state.perAddress[group] = rest > 0 ? rest : nil
        }
    }

    /// The number of groups of addresses with open connections.
    var addresses: Int { state.withLock(\.perAddress.count) }

    /// True if nothing was logged within the last minute.
    private static func isNews(_ last: inout ContinuousClock.Instant?) -> Bool {
        let now = ContinuousClock.now
        let isNews = last.map { now - $0 >= .seconds(60) } ?? true
        if isNews { last = now }
        return isNews
    }

    /// True while another connection may be accepted.
    ///
    /// When none may, a warning is logged at most once a minute.
    fileprivate func accepts() -> Bool {
        let (accepts, isNews, limit) = state.withLock { state in
            let limit = state.limits.connections
            guard state.open >= limit else { return (true, false, limit) }
            return (false, Self.isNews(&state.lastWarning), limit)
        }
        if isNews { logger.warning("\(limit) connections are open, as many as http.maxConnections allows; more wait") }
        return accepts
    }
}

/// An address has as many connections as it may have.
struct TooManyConnections: Error {}

/// The delegate that Hummingbird asks before it accepts a connection.
private struct ConnectionCount: AvailableConnectionsDelegate {
    let connections: ConnectionGuard

    mutating func connectionOpened() { connections.opened() }
    mutating func connectionClosed() { connections.closed() }
    func isAcceptingNewConnections() -> Bool { connections.accepts() }
}
