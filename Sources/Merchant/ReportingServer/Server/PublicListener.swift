import NIOCore
import ServiceLifecycle
import Synchronization

/// The address of a listener that serves only what the public may reach.
package struct PublicListener: Hashable, Sendable {
    /// The address to bind; any address, because its paths need no key.
    package let host: String
    /// The port; 0 selects a free one.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The listener's port cannot be bound.
    package struct Failure: Error {
        /// The error of the socket or of the host's name.
        package let underlying: any Error
    }
}

/// The ports of a server that accepts requests.
package struct BoundPorts: Hashable, Sendable {
    /// The port of all paths.
    package var main: Int
    /// The port of the public listener; nil without one.
    package var publicPort: Int?
}

/// Waits until every listener is bound, so that a server that cannot start completely starts nothing.
final class Binding: Sendable {
    private struct State {
        var main: Int?
        var publicPort: Int?
    }

    private let state = Mutex(State())
    private let hasPublicPort: Bool
    private let onBound: @Sendable (BoundPorts) async -> Void

    init(hasPublicPort: Bool, onBound: @escaping @Sendable (BoundPorts) async -> Void) {
        self.hasPublicPort = hasPublicPort
        self.onBound = onBound
    }

    func bound(main port: Int) async { await bound { $0.main = port } }

    func bound(public port: Int) async { await bound { $0.publicPort = port } }

    private func bound(_ change: @Sendable (inout State) -> Void) async {
        let ports = state.withLock { state -> BoundPorts? in
            change(&state)
            guard let main = state.main, !hasPublicPort || state.publicPort != nil else { return nil }
            return BoundPorts(main: main, publicPort: state.publicPort)
        }
        if let ports { await onBound(ports) }
    }
}

/// Runs the public listener and tells its errors from those of the main one.
package struct PublicListenerService: Service {
    let application: any Service

    package func run() async throws {
        do {
            try await application.run()
        } catch {
            throw PublicListener.Failure(underlying: error)
        }
    }
}
