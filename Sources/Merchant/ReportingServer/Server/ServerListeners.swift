import HTTPSupport
import Synchronization

/// The connections of all listeners of a server, and whether the server stops.
package final class ServerListeners: Sendable {
    private struct State {
        var guards: [ConnectionGuard] = []
        var isStopping = false
    }

    private let state = Mutex(State())

    init() {}

    func add(_ connections: ConnectionGuard) { state.withLock { $0.guards.append(connections) } }

    /// True from the moment at which the server was asked to end.
    var isStopping: Bool { state.withLock(\.isStopping) }

    /// The number of open connections.
    var openConnections: Int { guards.reduce(0) { $0 + $1.openConnections } }

    /// The number of requests whose responses are incomplete.
    var requestsInFlight: Int { guards.reduce(0) { $0 + $1.requestsInFlight } }

    private var guards: [ConnectionGuard] { state.withLock(\.guards) }

    /// Prepares the end of the server: `GET /health/ready` answers 503 and every response ends its connection, while
    /// requests are still accepted.
    ///
    /// Returns when no request is in progress, so that a load balancer learns that the server ends before its port is
    /// closed.
    ///
    /// - Parameters:
    ///   - delay: the time for which requests are accepted at least.
    ///   - limit: the longest time for requests in progress, after the delay.
    package func drain(delay: Duration, limit: Duration) async {
        state.withLock { $0.isStopping = true }
        try? await Task.sleep(for: delay)
        for connections in guards { connections.beginStopping() }
        let end = ContinuousClock.now + limit
        while requestsInFlight > 0, .now < end { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
