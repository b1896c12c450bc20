// The native part of a wrapper, which docs/wrapper-bridge.md shows.

// region module
import ExternalPurchaseKit
import ExternalPurchaseKitBridge
import ExternalPurchaseKitHTTP
import Foundation

/// Connects a host with the bridge; `send` hands an event to the host, on any thread that the host accepts.
@MainActor
final class PurchaseModule {
    private let bridge: ExternalPurchaseBridge
    private let listener: Task<Void, Never>

    init(store: any ExternalPurchaseStore, folder: URL, send: @escaping @Sendable (String) -> Void) {
        let bridge = ExternalPurchaseBridge(store: store, folder: folder) { server in
            try HTTPTokenTransport(server: server.url, publishableKey: server.publishableKey)
        }
        let events = bridge.events
        self.bridge = bridge
        listener = Task {
            for await event in events { send(String(decoding: event, as: UTF8.self)) }
        }
    }

    /// In the app: `SystemExternalPurchaseStore()` and `TokenOutbox.applicationSupport`.
    func call(_ request: String) async -> String {
        String(decoding: await bridge.call(Data(request.utf8)), as: UTF8.self)
    }

    deinit { listener.cancel() }
}
// endregion
